"""What each task earns: the three rules of points, and a sentence for what they take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memlab.grading.grade import Mark, Reason
from memlab.labs.lab import Task


@dataclass(frozen=True)
class Outcome:
    """What came of a task: `kept` of the `asked` things held, and a reason for each that did not.

    `sunk` says that the first of a step's laws did not hold, on which the rest stands. `fault` is what the grader
    itself failed with: then the task is undecided, and takes nothing from those that need it.
    """

    passed: int
    total: int
    reasons: tuple[Reason, ...] = ()
    main_check_failed: bool = False
    fault: str = ""


def skip_task(task: Task, why: str, *, fault: str = "") -> Outcome:
    """Give the outcome of a task of which nothing was asked, for a reason."""
    return Outcome(0, 0, (_task_reason(task, why),), fault=fault)


def make_empty_marks(tasks: Iterable[Task], why: str) -> tuple[Mark, ...]:
    """Give the marks of whom nothing was asked, for a reason."""
    return tuple(make_mark(one, skip_task(one, why), 0.0) for one in tasks)


def compute_shares(tasks: Iterable[Task], outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    """Give the share, 0 to 1, of its points that each task earns of those that have an outcome and are decided."""
    shares: dict[str, float] = {}
    for task in tasks:  # what a task needs stands above it
        outcome = outcomes.get(task.name)
        if outcome and not outcome.fault:
            shares[task.name] = 0.0 if find_unmet_need(task, shares) else _compute_share(task, outcome)
    return shares


def find_unmet_need(task: Task, shares: Mapping[str, float]) -> str:
    """Name the first task that one needs and that earned nothing; "" where there is none."""
    return next((name for name in task.needs if not shares.get(name, 1.0)), "")


def make_mark(task: Task, outcome: Outcome, share: float) -> Mark:
    """Give the mark of a task that earned a share of its points, with a reason for whatever it lost."""
    why = _explain_lost_points(task, outcome)
    return Mark(
        task.name,
        task.title,
        points=task.points * share,
        max_points=task.points,
        passed=outcome.passed,
        total=outcome.total,
        visible=task.visible,
        reasons=outcome.reasons + ((_task_reason(task, why),) if why else ()),
    )


def add_needed_tasks(tasks: Sequence[Task], some: Iterable[Task]) -> list[Task]:
    """Give the tasks to ask for some of them: these, and all that they need."""
    names = {one.name for one in some}
    for task in reversed(tasks):  # what a task needs stands above it
        if task.name in names:
            names.update(task.needs)
    return [one for one in tasks if one.name in names]


def _compute_share(task: Task, outcome: Outcome) -> float:
    """Give the share that a task earns by itself."""
    if outcome.main_check_failed or not outcome.total:
        return 0.0
    if not task.partial:
        return float(outcome.passed == outcome.total)
    return outcome.passed / outcome.total


def _task_reason(task: Task, says: str) -> Reason:
    """Say something of a task as a whole."""
    return Reason("", task.title, says)


def _explain_lost_points(task: Task, outcome: Outcome) -> str:
    """Tell which rule took the points of what held; "" where none did."""
    if outcome.fault or not outcome.passed:
        return ""
    held = f"{outcome.passed} of {outcome.total} held"
    if outcome.main_check_failed:
        return f"earns nothing, though {held}: the first of its laws did not, and the others mean nothing without it"
    if not task.partial and outcome.passed < outcome.total:
        return f"earns all of its points or none, and {held}"
    return ""
