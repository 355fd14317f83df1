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

    kept: int
    asked: int
    reasons: tuple[Reason, ...] = ()
    sunk: bool = False
    fault: str = ""


def unasked(task: Task, why: str, *, fault: str = "") -> Outcome:
    """Give the outcome of a task of which nothing was asked, for a reason."""
    return Outcome(0, 0, (_rule(task, why),), fault=fault)


def blank(tasks: Iterable[Task], why: str) -> tuple[Mark, ...]:
    """Give the marks of whom nothing was asked, for a reason."""
    return tuple(marked(one, unasked(one, why), 0.0) for one in tasks)


def earned(tasks: Iterable[Task], outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    """Give the share, 0 to 1, of its points that each task earns of those that have an outcome and are decided."""
    shares: dict[str, float] = {}
    for task in tasks:  # what a task needs stands above it
        outcome = outcomes.get(task.name)
        if outcome and not outcome.fault:
            shares[task.name] = 0.0 if lacking(task, shares) else _share(task, outcome)
    return shares


def lacking(task: Task, shares: Mapping[str, float]) -> str:
    """Name the first task that one needs and that earned nothing; "" where there is none."""
    return next((name for name in task.needs if not shares.get(name, 1.0)), "")


def marked(task: Task, outcome: Outcome, share: float) -> Mark:
    """Give the mark of a task that earned a share of its points, with a reason for whatever it lost."""
    taken = _taken(task, outcome)
    return Mark(
        task.name,
        task.title,
        points=task.points * share,
        max_points=task.points,
        kept=outcome.kept,
        asked=outcome.asked,
        visible=task.visible,
        reasons=outcome.reasons + ((_rule(task, taken),) if taken else ()),
    )


def with_needed(tasks: Sequence[Task], some: Iterable[Task]) -> list[Task]:
    """Give the tasks to ask for some of them: these, and all that they need."""
    names = {one.name for one in some}
    for task in reversed(tasks):  # what a task needs stands above it
        if task.name in names:
            names.update(task.needs)
    return [one for one in tasks if one.name in names]


def _share(task: Task, outcome: Outcome) -> float:
    """Give the share that a task earns by itself."""
    if outcome.sunk or not outcome.asked:
        return 0.0
    if not task.partial:
        return float(outcome.kept == outcome.asked)
    return outcome.kept / outcome.asked


def _rule(task: Task, says: str) -> Reason:
    """Say something of a task as a whole."""
    return Reason("", task.title, says)


def _taken(task: Task, outcome: Outcome) -> str:
    """Tell which rule took the points of what held; "" where none did."""
    if outcome.fault or not outcome.kept:
        return ""
    held = f"{outcome.kept} of {outcome.asked} held"
    if outcome.sunk:
        return f"earns nothing, though {held}: the first of its laws did not, and the others mean nothing without it"
    if not task.partial and outcome.kept < outcome.asked:
        return f"earns all of its points or none, and {held}"
    return ""
