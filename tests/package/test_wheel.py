"""The wheel, as a user has it: built, installed into a venv of its own, and used in an empty folder.

The venv gets memlab from the wheel alone. What memlab depends on it sees through a .pth file that names the
site-packages of these tests: to download pandas, scipy and matplotlib again would take a minute and a network. Python
does not follow the .pth files found behind a .pth file, so the checkout stays invisible; a test makes sure.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MINE = """\
from pathlib import Path


class Memory:
    def __init__(self, workspace):
        self.notes = workspace.directory / "notes.md"

    def observe(self, event):
        with self.notes.open("a") as notes:
            notes.write(event.text + "\\n")

    def recall(self, query, k=5):
        return self.notes.read_text().splitlines()[-k:]
"""
OTHERS = """\
import sys
import pytest


@pytest.mark.parametrize("system", ["theirs"])
def test_their_fixtures_stay_theirs(system):
    assert system == "theirs"


def test_nothing_of_memlab_is_loaded_but_the_plugin():
    assert not {"memlab.harness", "pydantic", "yaml"} & set(sys.modules)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT), cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a new venv, and give the folder of its commands."""
    venv = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=venv)
    python = str(venv / "bin" / "python")
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel), cwd=venv)
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return venv / "bin"


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; what it printed is the message where it fails."""
    done = attempt(*command, cwd=cwd)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done


def attempt(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_wheel_carries_scenarios_evals_and_labs_and_nothing_of_the_workshop(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder in ("scenarios", "evals", "labs"):
        beside = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.suffix != ".pyc"}
        files = {f"memlab/data/{name}" for name in beside if (ROOT / name).is_file()}
        assert files
        assert files <= set(names)
    assert "memlab/py.typed" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests/", ".ci/", "notebooks/"))]


def test_memlab_is_imported_from_the_wheel(scripts: Path, tmp_path: Path) -> None:
    found = run(str(scripts / "python"), "-c", "import memlab; print(memlab.__file__)", cwd=tmp_path)
    assert Path(found.stdout.strip()).is_relative_to(scripts.parent)


def test_compare_writes_the_whole_report_in_an_empty_folder(scripts: Path, tmp_path: Path) -> None:
    systems = "hybrid,lab07,bucket-search"
    some = ("--systems", systems, "--scenarios", "recall/first-week,oversize/condensed-at-noon", "--seeds", "1")
    done = run(str(scripts / "memlab"), "compare", *some, cwd=tmp_path)
    out = tmp_path / "memlab-results"
    assert all(name in done.stdout for name in systems.split(","))
    assert out.name in done.stdout
    assert {"results.jsonl", "table.csv", "report.html"} <= {path.name for path in out.iterdir()}
    charts = {path.suffix: path for path in out.rglob("*") if path.suffix in {".png", ".svg"}}
    assert set(charts) == {".png", ".svg"}


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--scenarios", "recall"],
        ["scenarios"],
        ["show", "stale/deploy-script-moved"],
        ["systems"],
        ["lab", "start", "06"],
        ["lab", "start", "07", "--notebook"],
    ],
)
def test_the_commands_find_what_was_packaged(command: list[str], scripts: Path, tmp_path: Path) -> None:
    assert run(str(scripts / "memlab"), *command, cwd=tmp_path).stdout.strip()


def test_pytest_judges_your_own_memory_by_the_packaged_evals(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    pytest_ = (str(scripts / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider")
    systems = ("--memlab-system", "mine.py:Memory", "--memlab-system", "hybrid")
    some = ("--memlab-seeds", "1", "-k", "agent-says-it-again or first-week or no-standing-discount")
    done = attempt(*pytest_, *systems, *some, cwd=tmp_path)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert re.search(r"^\d failed, \d passed", done.stdout, re.MULTILINE), done.stdout
    assert "served:" in done.stdout
    assert "forbidden:" in done.stdout
    assert "missing defence:" in done.stdout
    assert " - not served" in done.stdout


def test_the_tests_of_another_repository_do_not_notice_memlab(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(OTHERS, encoding="utf-8")
    assert "2 passed" in run(str(scripts / "python"), "-m", "pytest", "-q", cwd=tmp_path).stdout
