from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_runs import FORGETFUL, LAB, MINE, PUBLISHED, SKELETON, holding, run_lab

from memlab.cli.teaching import lab as command
from memlab.labs.lab import load
from memlab.labs.learner import check_order
from memlab.labs.learner.progress import Progress, write
from memlab.sandbox.client import LearnerFile

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.mark.parametrize(("number", "function"), [("06", "write_memory"), ("07", "rules")])
def test_check_of_the_skeleton_names_the_first_step_its_check_and_the_next_command(number: str, function: str) -> None:
    run_lab("start", number, ".")
    output = run_lab("check", code=1)
    first = load(number).steps[0].name
    assert output.startswith(f"✗ {first}")
    assert f"{function} is not written yet: it raises NotImplementedError" in output
    assert output.endswith(f"Next: memlab lab hint {first}\n")
    assert holding(number) == []


def test_check_goes_on_while_steps_hold_and_stops_at_the_first_open_one_with_its_answer() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    output = run_lab("check", code=1)
    assert output.startswith("✓ write")
    assert "✗ recall" in output
    assert "returned None, expected" in output
    assert "after   write_memory(" in output
    assert [line.split()[1] for line in output.splitlines() if line[:1] in {"✗", "✓"}] == ["write:", "recall:"]
    assert holding() == ["write"]


def test_check_resumes_at_the_first_open_step() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    assert run_lab("check", code=1).startswith("✗ recall")


def test_a_step_that_held_before_and_fails_now_is_named_as_such() -> None:
    MINE.write_text(SKELETON, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    assert run_lab("check", code=1).startswith("✗ write passed before and fails now")
    assert holding() == []
    assert "passed before" not in run_lab("check", code=1)


def test_check_of_one_step_says_that_it_holds_and_what_comes_next() -> None:
    MINE.write_text(PUBLISHED, encoding="utf-8")
    output = run_lab("check", "recall")
    assert "✓ recall" in output
    assert "Next: memlab lab check, for stale" in output
    assert set(holding()) == {"write", "recall"}


def test_a_step_that_breaks_an_earlier_one_is_reported_with_its_answer_and_where_to_look() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    write(Path(), "06", Progress(["recall"]))
    output = run_lab("check", "stale", code=1)
    assert "✓ stale" in output
    assert "✗ recall passed before and fails now" in output
    assert "returned None, expected" in output
    assert "recall passed before: check first what you changed last.\nCore " in output
    assert output.endswith("Next: memlab lab hint recall\n")
    assert holding() == ["write", "stale"]


def test_check_says_once_that_build_is_done_before_the_answer_of_the_first_fix() -> None:
    MINE.write_text(PUBLISHED, encoding="utf-8")
    done = "Build is done: 50 of 50 points. Go on with Part 2, Break it, in lab.md; then check goes on with `words`."
    lines = run_lab("check", code=1).splitlines()
    place = lines.index(done)
    assert lines[place - 2].startswith("✓ gate")
    assert lines[place + 1].startswith("✗ words")
    assert "Build is done" not in run_lab("check", code=1)


def test_a_step_checked_out_of_order_says_what_comes_first() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    output = run_lab("check", "gate", code=1)
    assert "gate builds on recall, which comes first:\n✗ recall" in output
    assert output.endswith("Next: memlab lab hint recall\n")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def write_memory(:", "✗ memory_store.py does not load, line 1: SyntaxError"),
        ("\nimport nowhere", "✗ memory_store.py does not load, line 2: ModuleNotFoundError: No module named 'nowhere'"),
        ("while True: pass", "Is there an endless loop?"),
        ("raise SystemExit", "✗ memory_store.py does not load, line 1: SystemExit"),
    ],
)
def test_a_file_that_does_not_load_says_so_and_forgets_nothing(
    source: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source.startswith("while"):  # the others take no time, and may take it
        monkeypatch.setattr(check_order, "LearnerFile", functools.partial(LearnerFile, limit=0.5))
    MINE.write_text(source, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    output = run_lab("check", code=1)
    assert message in " ".join(output.split())
    assert output.endswith("Next: correct it, then memlab lab check\n")
    assert holding() == ["write"]


def test_the_suggested_commands_work_in_the_current_folder() -> None:
    run_lab("start", "06", "mine")
    assert run_lab("check", "--dir", "mine", code=1).endswith("Next: memlab lab hint write --dir mine\n")


def test_a_notebook_is_checked_like_a_file() -> None:
    solved = LAB.folder.parents[1] / "notebooks" / "lab06_solved.ipynb"
    Path("lab06.ipynb").write_bytes(solved.read_bytes())
    assert "✓ recall" in run_lab("check", "recall")
    run_lab("reset", "--yes")
    assert Path("lab06-1.ipynb").read_bytes() == solved.read_bytes()
    assert run_lab("check", code=1).startswith("✗ write")


def saves(*steps: Callable[[], object]) -> Callable[[float], None]:
    """Give a sleep in which the learner does one thing after the other, and then presses Ctrl-C."""
    coming = iter(steps)

    def sleep(_: float) -> None:
        act = next(coming, None)
        if act is None:
            raise KeyboardInterrupt
        act()

    return sleep


def save(source: str) -> Callable[[], None]:
    def act() -> None:
        MINE.write_text(source, encoding="utf-8")
        os.utime(MINE, ns=(1, MINE.stat().st_mtime_ns + 1))

    return act


def test_watch_checks_again_at_every_save_and_ends_at_ctrl_c_with_a_friendly_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_lab("start", "06", ".")
    coming = saves(lambda: None, MINE.unlink, save("("), save(FORGETFUL))
    monkeypatch.setattr(command, "sleep", coming)
    output = run_lab("check", "--watch")
    assert [line.split(":")[0] for line in output.splitlines() if line[:1] in {"✗", "✓"}] == [
        "✗ write",
        "✗ memory_store.py does not load, line 1",
        "✓ write",
        "✗ recall",
    ]
    assert output.count("Watching memory_store.py") == 3
    assert output.endswith("Your progress is saved: `memlab lab check` continues from there.\n")
    assert "\x1b" not in output


def test_watch_ends_when_the_requested_steps_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    run_lab("start", "06", ".")
    monkeypatch.setattr(command, "sleep", saves(save(PUBLISHED)))
    assert "✓ write" in run_lab("check", "write", "--watch")


def test_without_the_extra_a_check_says_what_to_install() -> None:
    run_lab("start", "06", ".")
    start = "import sys; sys.modules['hypothesis'] = None; from memlab.cli import app; app()"
    done = subprocess.run([sys.executable, "-c", start, "lab", "check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install '.[labs]'" in done.stderr
    assert "Traceback" not in done.stderr
