"""README and CONTRIBUTING are executed, block by block and in order, as a reader in an empty folder would.

A block says what it is behind its opening fence: `sh` is run, `python` is run, and a language with a path, as in
`python my_agent/memory.py`, is written to that path. Lines that would take minutes, or change this checkout, are run
in the smaller form that INSTEAD gives.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

from memlab.cli.commands import COMMANDS
from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load, load_all
from memlab.harness.scenarios.schema import LIMITS
from memlab.report.tables.tidy import HEADLINE
from memlab.systems.registry import default_entries, entry

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    *(
        "README.md",
        "CONTRIBUTING.md",
        "docs/concepts.md",
        "docs/datasets.md",
        "docs/documents.md",
        "docs/grading.md",
        "docs/labs.md",
        "docs/limits.md",
    ),
    *("docs/memory.md", "docs/mutants.md", "docs/results.md", "docs/scale.md", "docs/turns.md"),
    *(f"docs/tutorial/{name}.md" for name in ("first-table", "labs", "your-memory")),
    *(
        f"docs/how-to/{name}.md"
        for name in ("attack", "audit", "ci", "import", "metric", "models", "scenario", "serve", "system")
    ),
    *("docs/explanation/defences.md", "docs/explanation/which-design.md"),
    *("docs/reference/files.md", "docs/reference/python.md"),
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "systems").glob("*.md")),
)
BLOCK = re.compile(r"^```(\w+)[ ]?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^<!-- printed by make compare -->\n+```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(
    r"^```python\n((?:(?!```)[^\n]*\n)+)```\n+<!-- printed by the block above -->\n+```text\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FIGURES = re.compile(
    r"^\| `([\w-]+)` \| [^|]* \| (\d+) % \[([^]]+)\] \| [^|]* \| (?:\d+) % \[[^]]+\] \|$", re.MULTILINE
)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")
NONE = "\N{EN DASH}"
WORDS = ["Event", "Claim", "World", "Workspace", "MemorySystem", "Memory", "Probe", "Scenario", "Result", "Metric"]
CHECKS = [f".venv/bin/{tool}" for tool in ("ruff check", "ruff format --check", "mypy", "lint-imports", "pytest")]
ATTACKED = "--seeds 1 --scenarios recall/first-week --systems hybrid,bucket-search --out attacked"
SMALL = "--seeds 1 --scenarios stale/deploy-script-moved,recall/when-what-how"
LEAST = f"--systems null,oracle {SMALL}"


@dataclass(frozen=True)
class Instead:
    """What is run in place of a line that a reader runs, why, and the exit code that it must have."""

    command: str
    why: str
    exit_code: int = 0


def planned(target: str) -> str:
    return f"make --no-print-directory --directory {ROOT} --dry-run --assume-new=pyproject.toml {target}"


INSTEAD = {
    "make compare": Instead(
        f"{planned('compare')} > plan && $(grep 'memlab compare' plan | sed s,^.venv/bin/,,) {LEAST}",
        "it installs, and plays everything: here the very command that make would run plays two scenarios",
    ),
    "make test": Instead(f"{planned('test')} | grep '^.venv/bin/pytest '", "it would run these tests in themselves"),
    "make install": Instead(f"{planned('install')} | grep 'pip install'", "it installs into this checkout"),
    "make bench": Instead(f"{planned('bench')} | grep tests/bench", "it takes minutes"),
    "make speed": Instead(f"{planned('speed')} | grep report_beside_products", "it installs three products"),
    "make smoke": Instead(f"{planned('smoke')} | grep tests/models", "it downloads a model"),
    "make golden": Instead(f"{planned('golden')} | grep tests/golden", "it takes ten minutes"),
    "make hostile": Instead(f"{planned('hostile')} | grep tests/grading", "it takes hours"),
    "make faults": Instead(f"{planned('faults')} | grep tests/faults", "a short form of it runs in `make test`"),
    "make fuzz": Instead(
        f"{planned('fuzz')} | grep evals/properties", "`make test` runs the same properties with fewer examples"
    ),
    "make mutants": Instead(f"{planned('mutants')} | grep mutmut", "it takes hours; its report has tests of its own"),
    "python3 -m venv .venv && source .venv/bin/activate": Instead("true", "pip would take seconds to copy"),
    "pip install .": Instead(f"pip --version && test -f {ROOT}/pyproject.toml", "tests/package installs"),
    "make docs": Instead(f"{planned('docs')} | grep mkdocs", "test_site.py builds the site"),
    "memlab compare --systems hybrid,bucket-search,my_agent/memory.py:MyMemory --scenarios stale --seeds 1": Instead(
        f"memlab compare --systems hybrid,bucket-search,my_agent/memory.py:MyMemory {SMALL}", "it plays a family"
    ),
    "pytest --memlab-system my_agent/memory.py:MyMemory": Instead(
        "pytest --memlab-system my_agent/memory.py:MyMemory --memlab-seeds 1 -k deploy-script-moved",
        "tests/package plays them all; the memory in the README is simple, and fails some",
        exit_code=1,
    ),
    f"memlab compare --attacks all {ATTACKED}": Instead(
        f"memlab compare --attacks update,order.web {ATTACKED}", "tests/harness/attacks plays every attack"
    ),
    "memlab turns": Instead("memlab turns --systems null,oracle --tasks 'pilot-*'", "it plays everything: a minute"),
    "memlab curves --history 10,100,1000": Instead(
        "memlab curves --systems null,oracle --history 10 --budgets 100", "it plays everything, for many minutes"
    ),
    "memlab compare --systems bm25,bucket-search --out big": Instead(
        f"memlab compare --systems bm25,bucket-search --out big {SMALL}", "it plays everything"
    ),
    "memlab compare --systems bm25,bucket-search --out big --resume": Instead(
        f"memlab compare --systems bm25,bucket-search --out big --resume {SMALL}", "it plays everything"
    ),
    "dask scheduler": Instead("dask scheduler --version", "it runs until it is stopped"),
    "dask worker tcp://10.0.0.5:8786 --nworkers 4 --nthreads 1": Instead(
        "dask worker --version", "it runs until it is stopped"
    ),
    "memlab compare --systems bm25,bucket-search --out cluster --engine dask --scheduler tcp://10.0.0.5:8786": Instead(
        "memlab compare --engine dask", "tests/harness/running/test_dask_engine.py plays on a cluster", exit_code=2
    ),
    "memlab costs": Instead("memlab costs --scenarios recall/first-week", "it plays every scenario: minutes"),
    "memlab serve memory --http 8765": Instead("memlab serve --help", "it runs until it is stopped"),
    "memlab check": Instead("memlab check --scenarios recall/first-week", "evals/test_validity.py checks them all"),
    **{
        line: Instead(line.replace("labs/lab06", f"{ROOT}/labs/lab06"), "its reader stands in a checkout")
        for line in (
            "memlab show stale/script-that-moved --folder labs/lab06/scenarios",
            "memlab compare --folder labs/lab06/scenarios --systems lab06,bucket-search,hybrid --seeds 1 --out first",
            "memlab check --folder labs/lab06/scenarios",
            "cp labs/lab06/rubric.toml mine.toml",
            "sed s/script-that-moved/mine/ labs/lab06/scenarios/stale/script-that-moved.yaml > private/stale/mine.yaml",
        )
    },
    "memlab grade class --lab 06 --roster roster.csv --out grades --jobs 2": Instead(
        "memlab grade class --lab 06 --roster roster.csv --out grades --jobs 2 --only write",
        "tests/grading grades for all tasks",
    ),
    "pytest tests/labs/test_lab_scenarios.py": Instead(
        f"test -f {ROOT}/tests/labs/test_lab_scenarios.py", "`make test` runs it"
    ),
    **{
        line: Instead(f"cd lab06 && {line}", "each line is run from the folder where the reader began", exit_code)
        for line, exit_code in (("memlab lab hint", 0), ("memlab lab status", 0), ("memlab lab check", 1))
    },
    "make labs": Instead(
        f"{planned('labs')} | grep memlab.labs.handout.make_notebooks", "it writes into this checkout"
    ),
    "jupyter execute --inplace notebooks/first_comparison.ipynb": Instead(
        "jupyter execute --help",
        "test_notebooks.py executes it",
    ),
}


def text(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def blocks(document: str) -> list[tuple[str, str, str]]:
    """Give language, path and body of every block."""
    return BLOCK.findall(text(document))


def lines(body: str) -> list[str]:
    """Give the commands of a sh block without their comments."""
    return [line.split("  #")[0].strip() for line in body.splitlines()]


def write(folder: Path, path: str, body: str) -> Path:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(body, encoding="utf-8")
    return place


def run(command: str, folder: Path) -> tuple[int, str]:
    """Run one line of a shell in a folder, with this environment's commands first on the path."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MAKE"))}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],  # noqa: S607 - wherever the reader's bash is
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_block_of_a_document_runs(document: str, tmp_path: Path) -> None:
    for language, path, body in blocks(document):
        if path:
            write(tmp_path, path, body)
            continue
        if language == "python":
            write(tmp_path, "block.py", body)
        for line in {"sh": lines(body), "python": ["python block.py"]}.get(language, []):
            instead = INSTEAD.get(line, Instead(line, "as it stands"))
            code, output = run(instead.command, tmp_path)
            assert code == instead.exit_code, f"{document}: {line}\n{output}"


def test_every_replaced_line_is_in_a_document() -> None:
    commands = [lines(body) for one in DOCUMENTS for language, _, body in blocks(one) if language == "sh"]
    assert INSTEAD.keys() <= set(chain.from_iterable(commands))


@pytest.mark.parametrize(
    ("document", "name"), [("docs/tutorial/your-memory.md", "MyMemory"), ("docs/how-to/system.md", "FirstSaid")]
)
def test_the_memory_that_a_document_shows_answers_without_an_error(document: str, name: str, tmp_path: Path) -> None:
    shown = [write(tmp_path, path, body) for language, path, body in blocks(document) if language == "python" and path]
    own = entry(f"{shown[0]}:{name}")
    scenario = load(library() / "recall" / "when-what-how.yaml").sample(0)
    results = [result for cell in play(scenario, [own]) for result in cell]
    assert not [one.error for one in results if one.error]
    assert any(one.items for one in results)


@pytest.mark.parametrize("document", [*DOCUMENTS, "CHANGELOG.md"])
def test_every_relative_link_leads_somewhere(document: str) -> None:
    assert not [link for link in LINK.findall(text(document)) if not (ROOT / document).parent.joinpath(link).exists()]


@pytest.mark.parametrize("word", [*WORDS, *HEADLINE])
def test_the_concepts_page_explains_every_word_and_every_column(word: str) -> None:
    assert re.search(rf"^\| `?{word}`? \|.+\|$", text("docs/concepts.md"), re.MULTILINE)


@pytest.mark.parametrize("document", ["README.md", "docs/memory.md"])
def test_the_output_that_a_document_shows_is_what_its_code_prints_but_for_dates(document: str, tmp_path: Path) -> None:
    shown = OUTPUT.findall(text(document))
    assert len(shown) == text(document).count("<!-- printed by the block above -->") > 0
    for code, output in shown:
        write(tmp_path, "block.py", code)
        status, printed = run("python block.py", tmp_path)
        assert (status, DATE.sub("", printed)) == (0, DATE.sub("", output))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_names_every_command(command: str) -> None:
    assert re.search(rf"\bmemlab {command}\b", text("README.md"))


def printed_rows() -> dict[str, list[str]]:
    """Map each system of the printed table to its mean and interval in every column."""
    found = PRINTED.search(text("docs/results.md"))
    assert found, "docs/results.md lacks the table of `make compare`"
    rows: dict[str, list[str]] = {}
    for line in filter(str.strip, found[1].splitlines()):
        system, *cells = line.replace(NONE, f"{NONE} {NONE}").split()  # a cell has a mean and an interval
        rows.setdefault(system.rstrip("!†‡°"), cells)  # columns that do not fit are in a second part
    return rows


def test_the_printed_table_is_of_the_systems_and_scenarios_that_there_are() -> None:
    counted = [one for one in load_all([library()]) if one.family != LIMITS]
    rows = printed_rows()
    missing = {one.name for one in default_entries()} - rows.keys()
    assert (f"n={len(counted)}" in rows["system"], missing) == (True, set()), "paste the table of `make compare` anew"


def test_the_short_table_of_the_readme_has_the_figures_of_the_printed_one() -> None:
    rows = printed_rows()
    short = FIGURES.findall(text("README.md"))
    assert len(short) == 5
    for system, *figures in short:
        assert figures == rows[system][0:2], system


@pytest.mark.parametrize("document", ["README.md", "docs/limits.md", "docs/results.md"])
def test_the_figures_on_unseen_scenarios_are_beside_those_on_public_ones(document: str) -> None:
    figures = re.compile(r"62 % \[39-82\].*83 % \[61-94\].*12 %.*11 %", re.DOTALL)
    assert figures.search(text(document))
