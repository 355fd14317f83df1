"""Grades one submission: task after task, each in a room of its own, with a reason for every point that is lost."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from memlab.grading.grade import Grade, Status
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.attempt import Failure, GradingAttempt
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.points import (
    Outcome,
    add_needed_tasks,
    compute_shares,
    find_unmet_need,
    make_mark,
    skip_task,
)
from memlab.grading.marking.printout_task import grade_printout
from memlab.grading.marking.scenario_task import grade_scenarios
from memlab.grading.marking.step_task import grade_step
from memlab.labs.lab import Printout, Scenarios, Step, Task
from memlab.sandbox.client import CheckFailed, LoadingFailed
from memlab.sandbox.folders import in_memory_folder

WORST_FIRST: tuple[Status, ...] = ("missing", "syntax error", "crashed", "timeout")
SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})
GRADER_FAILED = "was not decided: the grader itself failed. That is no fault of the submission; grade it again"


def grade(submission: Submission, config: GradingConfig) -> Grade:
    """Grade a submission: in the same config it gets the same grade, whoever else is graded.

    What the grader itself fails at in one task leaves that task undecided; what it fails at before is raised.
    """
    begun = time.monotonic()
    tasks = add_needed_tasks(config.lab.rubric.task, config.tasks)
    failures, outcomes = _grade_tasks(submission, config, tasks)
    status, says, fault = _summarise(failures, outcomes)
    shares = compute_shares(tasks, outcomes)
    marks = tuple(make_mark(one, outcomes[one.name], shares.get(one.name, 0.0)) for one in config.tasks)
    seconds = time.monotonic() - begun
    return Grade(submission.name, submission.name, submission.digest, status, says, marks, seconds, fault)


def _grade_tasks(
    submission: Submission, config: GradingConfig, tasks: Sequence[Task]
) -> tuple[list[Failure], dict[str, Outcome]]:
    """Ask every task of a submission; give what befell it on the way, too."""
    problem = submission.problem or ("" if submission.source.strip() else f"{submission.name} is empty")
    if problem:
        return _skip_all(tasks, Failure(None, "missing", problem))
    with TemporaryDirectory(prefix="memlab-", dir=in_memory_folder()) as folder:
        path = Path(folder) / config.lab.file
        path.write_bytes(submission.source.encode("utf-8", "surrogatepass"))
        with GradingAttempt(path, config) as attempt:
            if failure := _find_load_failure(attempt):
                return _skip_all(tasks, failure)
            outcomes: dict[str, Outcome] = {}
            for task in tasks:
                outcomes[task.name] = _grade_task(task, attempt, find_unmet_need(task, compute_shares(tasks, outcomes)))
        return attempt.failures, outcomes


def _skip_all(tasks: Sequence[Task], failure: Failure) -> tuple[list[Failure], dict[str, Outcome]]:
    return [failure], {one.name: skip_task(one, f"was not asked: {failure.message}") for one in tasks}


def _find_load_failure(attempt: GradingAttempt) -> Failure | None:
    """Tell why no task can be asked of a file; None where it loads."""
    try:
        attempt.open_sandbox().reset()
    except LoadingFailed as wrong:
        if lacking_class := _find_missing_class(attempt):
            return Failure(None, "missing", lacking_class)
        return Failure(None, "syntax error" if wrong.raised in SYNTAX_ERRORS else "crashed", str(wrong))
    except CheckFailed:
        attempt.close_sandbox()
        if not attempt.failures:  # its process lives: what went wrong is no doing of the file's, which has not begun
            raise
        return attempt.failures[-1]
    return None


def _find_missing_class(attempt: GradingAttempt) -> str:
    """Say that a file loads, but has not the class that calls go to an object of; "" where it is something else."""
    class_name = attempt.config.lab.class_name
    attempt.close_sandbox()
    with suppress(CheckFailed):
        work = attempt.open_sandbox(class_name="")
        work.reset()
        if class_name and not work.has_function(class_name):
            return f"{attempt.path.name} has no class {class_name}. Keep the name that it had: the interface is fixed"
    return ""


def _grade_task(task: Task, attempt: GradingAttempt, need: str) -> Outcome:
    """Ask one task, unless one that it needs earned nothing."""
    if need:
        return skip_task(task, f"was not asked: it builds on the task {need!r}, which earned nothing")
    attempt.begin_task(task)
    try:
        match task:
            case Step():
                return grade_step(task, attempt)
            case Scenarios():
                return grade_scenarios(task, attempt)
            case Printout():
                return grade_printout(task, attempt)
    except Exception:  # noqa: BLE001 - a fault of ours in one task leaves the others theirs
        return skip_task(task, GRADER_FAILED, fault=traceback.format_exc())
    raise TypeError(f"task {task.name!r} is of no kind that can be asked: {type(task).__name__}")


def _summarise(failures: Sequence[Failure], outcomes: Mapping[str, Outcome]) -> tuple[Status, str, str]:
    """Give the status as a whole, by the worst that happened; what that was, in a sentence; and a fault of ours."""
    if faults := [one.fault for one in outcomes.values() if one.fault]:
        return "internal", GRADER_FAILED, faults[0]
    if not failures:
        return "ok", "", ""
    worst = min(failures, key=lambda one: WORST_FIRST.index(one.status))
    if worst.task is None:
        return worst.status, worst.message, ""
    says = worst.message if worst.task.visible else "what was asked there is kept back"
    return worst.status, f"in the task {worst.task.name!r}: {says}", ""
