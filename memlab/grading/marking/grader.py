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
from memlab.grading.marking.points import Outcome, earned, lacking, marked, unasked, with_needed
from memlab.grading.marking.printout_task import printed
from memlab.grading.marking.scenario_task import played
from memlab.grading.marking.step_task import asked
from memlab.labs.lab import Printout, Scenarios, Step, Task
from memlab.sandbox.client import CheckFailed, LoadingFailed
from memlab.sandbox.folders import in_memory_folder

WORST: tuple[Status, ...] = ("missing", "syntax error", "crashed", "timeout")
SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
OURS = "was not decided: the grader itself failed. That is no fault of the submission; grade it again"


def grade(submission: Submission, setting: GradingConfig) -> Grade:
    """Grade a submission: in the same setting it gets the same grade, whoever else is graded.

    What the grader itself fails at in one task leaves that task undecided; what it fails at before is raised.
    """
    begun = time.monotonic()
    tasks = with_needed(setting.lab.rubric.task, setting.tasks)
    troubles, outcomes = _outcomes(submission, setting, tasks)
    status, says, fault = _fared(troubles, outcomes)
    shares = earned(tasks, outcomes)
    marks = tuple(marked(one, outcomes[one.name], shares.get(one.name, 0.0)) for one in setting.tasks)
    seconds = time.monotonic() - begun
    return Grade(submission.name, submission.name, submission.digest, status, says, marks, seconds, fault)


def _outcomes(
    submission: Submission, setting: GradingConfig, tasks: Sequence[Task]
) -> tuple[list[Failure], dict[str, Outcome]]:
    """Ask every task of a submission; give what befell it on the way, too."""
    problem = submission.problem or ("" if submission.source.strip() else f"{submission.name} is empty")
    if problem:
        return _nothing(tasks, Failure(None, "missing", problem))
    with TemporaryDirectory(prefix="memlab-", dir=in_memory_folder()) as folder:
        path = Path(folder) / setting.lab.file
        path.write_bytes(submission.source.encode("utf-8", "surrogatepass"))
        with GradingAttempt(path, setting) as sitting:
            if trouble := _does_not_load(sitting):
                return _nothing(tasks, trouble)
            outcomes: dict[str, Outcome] = {}
            for task in tasks:
                outcomes[task.name] = _outcome(task, sitting, lacking(task, earned(tasks, outcomes)))
        return sitting.troubles, outcomes


def _nothing(tasks: Sequence[Task], trouble: Failure) -> tuple[list[Failure], dict[str, Outcome]]:
    return [trouble], {one.name: unasked(one, f"was not asked: {trouble.says}") for one in tasks}


def _does_not_load(sitting: GradingAttempt) -> Failure | None:
    """Tell why no task can be asked of a file; None where it loads."""
    try:
        sitting.work().reset()
    except LoadingFailed as wrong:
        if lacking_class := _without_its_class(sitting):
            return Failure(None, "missing", lacking_class)
        return Failure(None, "syntax error" if wrong.raised in SYNTAX else "crashed", str(wrong))
    except CheckFailed:
        sitting.leave()
        if not sitting.troubles:  # its process lives: what went wrong is no doing of the file's, which has not begun
            raise
        return sitting.troubles[-1]
    return None


def _without_its_class(sitting: GradingAttempt) -> str:
    """Say that a file loads, but has not the class that calls go to an object of; "" where it is something else."""
    made = sitting.setting.lab.class_name
    sitting.leave()
    with suppress(CheckFailed):
        work = sitting.work(made="")
        work.reset()
        if made and not work.has_function(made):
            return f"{sitting.path.name} has no class {made}. Keep the name that it had: the interface is fixed"
    return ""


def _outcome(task: Task, sitting: GradingAttempt, need: str) -> Outcome:
    """Ask one task, unless one that it needs earned nothing."""
    if need:
        return unasked(task, f"was not asked: it builds on the task {need!r}, which earned nothing")
    sitting.begin(task)
    try:
        match task:
            case Step():
                return asked(task, sitting)
            case Scenarios():
                return played(task, sitting)
            case Printout():
                return printed(task, sitting)
    except Exception:  # noqa: BLE001 - a fault of ours in one task leaves the others theirs
        return unasked(task, OURS, fault=traceback.format_exc())
    raise TypeError(f"task {task.name!r} is of no kind that can be asked: {type(task).__name__}")


def _fared(troubles: Sequence[Failure], outcomes: Mapping[str, Outcome]) -> tuple[Status, str, str]:
    """Give the status as a whole, by the worst that happened; what that was, in a sentence; and a fault of ours."""
    if faults := [one.fault for one in outcomes.values() if one.fault]:
        return "internal", OURS, faults[0]
    if not troubles:
        return "ok", "", ""
    worst = min(troubles, key=lambda one: WORST.index(one.status))
    if worst.task is None:
        return worst.status, worst.says, ""
    says = worst.says if worst.task.visible else "what was asked there is kept back"
    return worst.status, f"in the task {worst.task.name!r}: {says}", ""
