"""`memlab new-system` writes an adapter that works, and `memlab run` shows one scenario on one system."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app

RUN = "from memlab.cli import app; app()", "run", "recall/first-week", "my_memory.py:MyMemory"


def invoke(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert "Traceback" not in result.output
    return result.exit_code, result.output


def beside_it() -> str:
    """Run the test beside my_memory.py; return what it prints if it fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:memlab", "test_my_memory.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_new_adapter_passes_the_test_beside_it_and_a_scenario() -> None:
    code, output = invoke("new-system", "my_memory")
    assert code == 0
    assert "memlab run recall/first-week my_memory.py:MyMemory" in output
    assert "pip install pytest && python -m pytest test_my_memory.py" in output
    assert beside_it() == ""
    assert invoke("run", "recall/first-week", "my_memory.py:MyMemory")[0] == 0


def test_an_async_adapter_without_assemble_passes_the_test_beside_it_and_one_that_forgets_fails() -> None:
    invoke("new-system", "my_memory")
    adapter = Path("my_memory.py").read_text(encoding="utf-8")
    is_async = adapter[: adapter.index("    def assemble")].replace("    def observe", "    async def observe")
    Path("my_memory.py").write_text(is_async.replace("    def recall", "    async def recall"), encoding="utf-8")
    assert beside_it() == ""
    forgets = is_async.replace("self.notes.touch()", "self.notes.write_text('')")
    Path("my_memory.py").write_text(forgets, encoding="utf-8")
    assert "AssertionError" in beside_it()


def test_an_adapter_runs_from_a_virtual_environment_in_its_own_folder() -> None:
    invoke("new-system", "my_memory")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], check=True)
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([".venv/bin/python", "-c", *RUN], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_file_that_exists_is_not_overwritten_and_nothing_is_written_beside_it() -> None:
    Path("test_mine.py").write_text("precious", encoding="utf-8")
    code, output = invoke("new-system", "mine")
    assert code == 2
    assert "test_mine.py exists" in output
    assert Path("test_mine.py").read_text(encoding="utf-8") == "precious"
    assert not Path("mine.py").exists()


@pytest.mark.parametrize("name", ["my-memory", "../mine", "Mine", "class", "1st", ""])
def test_a_name_that_no_module_can_have_is_refused(name: str) -> None:
    code, output = invoke("new-system", name)
    assert code == 2
    assert "lower-case letters" in output
    assert not list(Path().iterdir())


def test_a_run_shows_what_the_system_printed_and_fails_if_a_question_does() -> None:
    Path("loud.py").write_text(
        "import sys\nclass Loud:\n    def observe(self, event): print('stored', event.id, file=sys.stderr)\n"
        "    def recall(self, query, k=5): return []\n",
        encoding="utf-8",
    )
    code, output = invoke("run", "recall/first-week", "loud.py:Loud")
    assert code == 1
    assert "printed: stored " in output
    assert "failed" in output
    assert invoke("run", "recall/first-week", "nobody")[0] == 2
    assert invoke("run", "recall/nothing", "loud.py:Loud")[0] == 2
    code, output = invoke("run", "recall", "loud.py:Loud")
    assert code == 2
    assert "scenarios match recall" in output
