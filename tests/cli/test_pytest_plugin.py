from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STALE = ("-k", "deploy-script-moved-0")


def run(folder: Path, *words: str) -> tuple[int, str]:
    """Run pytest in a folder, and return its exit code and output."""
    output = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return output.returncode, output.stdout + output.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--memlab-system", "nope.py:Mine"), "ERROR: there is no file"),
        (("--memlab-system", "nul"), "ERROR: no system is called 'nul'. Did you mean 'null'?"),
        (("--memlab-system", "null", "--memlab-seeds", "0"), "ERROR: --memlab-seeds is 0; it must be at least 1"),
        (("--memlab-system", "null", "--memlab-scenarios", "nowhere"), "ERROR: nowhere: is not a folder."),
        (("--memlab-system", "null", "--memlab-isolation", "jail"), "ERROR: isolation 'jail' is not known, expected"),
    ],
)
def test_an_error_is_reported_once_and_no_test_passes(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    code, output = run(tmp_path, *words)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert output.count("ERROR") == 1
    assert message in output


def test_in_an_empty_folder_the_evals_of_memlab_run(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--memlab-system", "hybrid", *STALE)
    assert code == 0, output
    assert "1 passed" in output


def test_a_failure_says_what_was_served_expected_forbidden_and_which_defence_was_missing(tmp_path: Path) -> None:
    code, output = run(tmp_path, "--memlab-system", "bucket-search", "--memlab-system", "null", *STALE)
    assert code == 1
    for words in (
        "stale/deploy-script-moved (seed 0), probe",
        "served:",
        "to keep:",
        "forbidden: old:",
        "missing defence: ",
    ):
        assert words in output
    assert "Traceback" not in output
    assert "  expected:  who: On Fridays" in output
    assert "  served:    nothing" in output


def test_the_tests_of_the_repository_and_its_fixtures_of_the_same_names_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n", encoding="utf-8"
    )
    (tmp_path / "test_mine.py").write_text(
        "import pytest\n"
        "@pytest.fixture(params=[1, 2])\ndef system(request): return request.param\n"
        "@pytest.fixture\ndef cell(): return 3\n"
        "def test_mine(system, cell): assert system < cell\n",
        encoding="utf-8",
    )
    code, output = run(tmp_path)
    assert (code, "2 passed" in output) == (0, True), output


def test_the_sandbox_of_a_file_can_be_chosen_and_is_printed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def observe(self, event): pass\n    def recall(self, query, k=5): return []\n",
        encoding="utf-8",
    )
    chosen = ("--memlab-isolation", "rlimits", "--memlab-network")
    _, output = run(tmp_path, "--memlab-system", "mine.py:Mine", *chosen, *STALE)
    assert "mine.py:Mine, in a sandbox: rlimits with the network" in output


def test_a_cell_without_questions_does_not_pass(tmp_path: Path) -> None:
    folder = tmp_path / "private" / "stale"
    folder.mkdir(parents=True)
    story = "A story that is long enough for a learner to read before predicting anything."
    (folder / "silent.yaml").write_text(
        f"id: stale/silent\ntitle: Silent\nstory: {story}\ntimeline:\n  - turn: {{text: hello}}\n", encoding="utf-8"
    )
    code, output = run(tmp_path, "--memlab-system", "null", "--memlab-scenarios", "private", "-k", "silent")
    assert code == 1
    assert "the scenario has no probe, so nothing was tested" in output
