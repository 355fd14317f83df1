"""Grades one submission: each task in a sandbox of its own, with a reason for every lost point."""

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
from memlab.labs.learner.untouched import untouched_steps
from memlab.labs.rubric import Printout, Scenarios, Step, Task
from memlab.sandbox.client import CheckFailed, LoadingFailed
from memlab.sandbox.folders import in_memory_folder

WORST_FIRST: tuple[Status, ...] = ("missing", "syntax error", "crashed", "timeout")
SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})
GRADER_FAILED = "could not be graded: the grader itself failed. The submission is not at fault; grade it again"


def grade(submission: Submission, config: GradingConfig) -> Grade:
    """Grade a submission. The grade depends on the submission and the config only.

    If the grader fails in a task, that task stays undecided and the grade is "internal". A failure before the first
    task is raised.
    """
    begun = time.monotonic()
    tasks = add_needed_tasks(config.lab.rubric.task, config.tasks)
    failures, outcomes = _grade_tasks(submission, config, tasks)
    status, message, fault = _summarise(failures, outcomes)
    shares = compute_shares(tasks, outcomes)
    untouched = untouched_steps(submission.source, config.lab) if submission.source.strip() else ()
    marks = tuple(make_mark(one, outcomes[one.name], shares.get(one.name, 0.0), untouched) for one in config.tasks)
    seconds = time.monotonic() - begun
    return Grade(submission.name, submission.name, submission.digest, status, message, marks, seconds, fault)


def _grade_tasks(
    submission: Submission, config: GradingConfig, tasks: Sequence[Task]
) -> tuple[list[Failure], dict[str, Outcome]]:
    """Grade every task. Returns the outcomes, and the failures of the submission's processes."""
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
    """Return the outcomes of a submission that cannot be checked at all."""
    return [failure], {one.name: skip_task(one, f"was not checked: {failure.message}") for one in tasks}


def _find_load_failure(attempt: GradingAttempt) -> Failure | None:
    """Return why the file cannot be loaded; None if it loads."""
    try:
        attempt.open_sandbox().reset()
    except LoadingFailed as error:
        if missing_class := _find_missing_class(attempt):
            return Failure(None, "missing", missing_class)
        return Failure(None, "syntax error" if error.raised in SYNTAX_ERRORS else "crashed", str(error))
    except CheckFailed:
        attempt.close_sandbox()
        if not attempt.failures:  # the process is alive: the sandbox failed, not the file
            raise
        return attempt.failures[-1]
    return None


def _find_missing_class(attempt: GradingAttempt) -> str:
    """Return a sentence if the file loads but lacks the lab's class; else ""."""
    class_name = attempt.config.lab.class_name
    attempt.close_sandbox()
    with suppress(CheckFailed):
        work = attempt.open_sandbox(class_name="")
        work.reset()
        if class_name and not work.has_function(class_name):
            return f"{attempt.path.name} has no class {class_name}. Keep the name that it had: the interface is fixed"
    return ""


def _grade_task(task: Task, attempt: GradingAttempt, need: str) -> Outcome:
    """Grade one task, unless a task that it needs earned nothing."""
    if need:
        return skip_task(task, f"was not checked: it needs the task {need!r}, which earned nothing")
    attempt.begin_task(task)
    try:
        match task:
            case Step():
                return grade_step(task, attempt)
            case Scenarios():
                return grade_scenarios(task, attempt)
            case Printout():
                return grade_printout(task, attempt)
    except Exception:  # noqa: BLE001 - an error of the grader affects one task, not all
        return skip_task(task, GRADER_FAILED, fault=traceback.format_exc())
    raise TypeError(f"task {task.name!r} has an unknown kind: {type(task).__name__}")


def _summarise(failures: Sequence[Failure], outcomes: Mapping[str, Outcome]) -> tuple[Status, str, str]:
    """Return the status of the worst failure, a sentence about it, and the traceback of a grader failure."""
    if faults := [one.fault for one in outcomes.values() if one.fault]:
        return "internal", GRADER_FAILED, faults[0]
    if not failures:
        return "ok", "", ""
    worst = min(failures, key=lambda one: WORST_FIRST.index(one.status))
    if worst.task is None:
        return worst.status, worst.message, ""
    message = worst.message if worst.task.visible else "its checks are hidden"
    return worst.status, f"in the task {worst.task.name!r}: {message}", ""
