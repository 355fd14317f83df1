"""Submissions and checks that fail: their status, and the points that are left."""

from __future__ import annotations

import pytest
from tiny_checks import ADD, RIGHT, SAY
from tiny_lab import NoIsolation, grade_source, mark, tiny

from memlab.grading.intake.submissions import Submission
from memlab.grading.marking import attempt, step_task
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.checks.check import Checks, LearnerFile
from memlab.sandbox.sandbox import Sandbox, SandboxNotStarted, SupervisedSandbox

pytestmark = pytest.mark.usefixtures("tiny_checks")


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("import os; os._exit(3)", "crashed", "ended Python itself (exit code 3)"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "crashed",
            "was ended by SIGKILL (from outside, for example because memory was short",
        ),
        (
            "import os; os.kill(os.getpid(), 11)",
            "crashed",
            "was ended by SIGSEGV (it touched memory that is not its own",
        ),
        ("import os; os.kill(os.getpid(), 24)", "timeout", "was ended by SIGXCPU (its computing time was used up)"),
        ("import os; os.kill(os.getpid(), 40)", "crashed", "was ended by signal 40"),
        ("raise MemoryError", "crashed", "raised MemoryError: it needs more memory than a submission may use"),
        ("while True: pass", "timeout", "did not return within 1 s. Is there an endless loop?"),
        ("import time; time.sleep(0.5); return one + two", "timeout", "the calls of this check took"),
        ("return 1 / 0", "ok", ""),
        ("raise SystemExit", "ok", ""),
    ],
)
def test_the_failure_of_one_task_is_reported_and_the_others_keep_their_marks(
    monkeypatch: pytest.MonkeyPatch, body: str, status: str, message: str
) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    monkeypatch.setattr(attempt, "TASK_SECONDS", 3.0)
    found = grade_source(tiny(ADD, SAY), f"{RIGHT}def add(one, two):\n    {body}\n")
    assert (found.status, found.points) == (status, 10)
    assert message in found.message
    assert found.message.startswith("in the task 'add': ") or not message
    assert {one.name for one in mark(found, "add").reasons} == {"add/adds", "add/begins-with-zero"}


@pytest.mark.parametrize(
    ("source", "status", "message"),
    [
        ("def add(:\n", "syntax error", "memory_store.py does not load, line 1: SyntaxError: invalid syntax"),
        ("if True:\nadd = 1\n", "syntax error", "memory_store.py does not load, line 2: IndentationError: expected an"),
        ("x = '\ud800'\n", "syntax error", "memory_store.py does not load, line 1: SyntaxError: (unicode error)"),
        ("import nowhere_at_all\n", "crashed", "memory_store.py does not load, line 1: ModuleNotFoundError"),
        ("import os; os._exit(0)\n", "crashed", "loading memory_store.py ended Python itself (exit code 0)"),
        ("while True: pass\n", "timeout", "loading memory_store.py did not return within 1 s"),
        (" \n", "missing", "memory_store.py is empty"),
    ],
)
def test_a_file_that_does_not_load_is_not_checked_and_each_task_says_why(
    monkeypatch: pytest.MonkeyPatch, source: str, status: str, message: str
) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    level = NoIsolation()
    found = grade_source(tiny(ADD, SAY), source, level=level)
    assert (found.status, found.points) == (status, 0)
    assert found.message.startswith(message)
    assert [one.message for mark in found.marks for one in mark.reasons] == [f"was not checked: {found.message}"] * 2
    assert level.sandboxes <= 2


def test_a_missing_class_is_reported_as_missing_and_not_as_a_crash() -> None:
    lab = tiny({"step": "rules", "checks": ["rules/read-every-turn"]}, lab="07")
    found = grade_source(lab, "class Mix:\n    pass\n")
    assert (found.status, found.points) == ("missing", 0)
    assert found.message == "memory_mix.py has no class MemoryMix. Keep the name that it had: the interface is fixed"
    assert grade_source(lab, "class MemoryMix:\n    def __init__(self):\n        raise OSError\n").status == "crashed"


def test_an_unreadable_submission_is_missing_with_its_reason() -> None:
    nothing = Submission("anna", "", "there is no file memory_store.py in it", "digest")
    level = NoIsolation()
    found = grade(nothing, GradingConfig(tiny(ADD), 1, level))
    assert (found.status, found.message, found.points, level.sandboxes) == ("missing", nothing.problem, 0, 0)
    assert mark(found, "add").reasons[0].message == f"was not checked: {nothing.problem}"


def test_a_check_that_loops_does_not_affect_the_points_of_other_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    found = grade_source(
        tiny(SAY), "def say(name):\n    while name not in ('Ann', 'Bob', 'Cleo'): pass\n    return 'Hello ' + name\n"
    )
    assert (found.status, mark(found, "say").passed, mark(found, "say").points) == ("timeout", 1, 5)


def test_a_task_ends_after_the_maximum_number_of_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    checks = Checks("06")
    for number in range(5):

        def one(work: LearnerFile) -> None:
            """Every call returns."""
            work.reset()
            work.call("add", 1, 1)

        one.__name__ = f"check-{number}"
        checks.add("many")(one)
    monkeypatch.setattr(step_task, "load_checks", lambda _: checks)
    level = NoIsolation()
    many = {"step": "many", "checks": [check.name for check in checks]}
    reasons = mark(grade_source(tiny(many), "def add(one, two):\n    while True: pass\n", level=level), "many").reasons
    assert level.sandboxes == 1 + attempt.MAX_TIMEOUTS
    assert sum("was not checked: 2 calls of this task did not return" in one.message for one in reasons) == 3


def test_a_submission_that_used_its_time_is_not_checked_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "SUBMISSION_SECONDS", 0.0)
    found = grade_source(tiny(ADD, SAY), RIGHT)
    assert (found.status, found.points) == ("timeout", 0)
    assert "used up its limit of 0 s" in found.message


@pytest.mark.parametrize("check_name", ["broken/is-broken", "broken/raises-an-error"])
def test_a_failure_of_the_grader_is_internal_and_takes_no_points_from_other_tasks(check_name: str) -> None:
    lab = tiny({"step": "broken", "checks": [check_name]}, ADD | {"needs": ["broken"]}, SAY)
    found = grade_source(lab, RIGHT)
    assert (found.status, found.points) == ("internal", 20)
    (reason,) = mark(found, "broken").reasons
    assert reason.message == found.message
    assert "The submission is not at fault" in found.message
    assert "Traceback" in found.fault
    assert "Error" in found.fault
    assert "Traceback" not in found.message


def test_an_answer_of_another_shape_fails_the_check_and_is_not_an_internal_error() -> None:
    found = grade_source(tiny({"step": "shape", "checks": ["shape/is-a-list"]}), RIGHT)
    assert (found.status, found.points) == ("ok", 0)
    assert "returned or left something of another shape" in mark(found, "shape").reasons[0].message


def test_a_sandbox_that_does_not_start_is_an_error_and_gives_no_grade() -> None:
    class NotStarting(NoIsolation):
        def start_sandbox(self, provided: str = "") -> Sandbox:
            return SupervisedSandbox(["/bin/false"], "/tmp", env={})  # noqa: S108 - nothing is written there

    with pytest.raises(SandboxNotStarted, match="a sandbox could not be started"):
        grade_source(tiny(ADD), RIGHT, level=NotStarting())
