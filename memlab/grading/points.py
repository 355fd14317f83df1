"""What each task earns: the three rules of points, and a sentence for what they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memlab.grading.grade import Reason
from memlab.labs.lab import Task


@dataclass(frozen=True)
class Held:
    """What held of all that a task asks, by name, in the order of the rubric.

    Without `first` the task earns nothing ("" where no answer is that). `ours` says that a fault of the grader kept
    the task from being decided: it earns nothing yet, and takes nothing from the tasks that need it.
    """

    answers: Mapping[str, bool]
    first: str = ""
    ours: bool = False

    @property
    def kept(self) -> int:
        """Count what held."""
        return sum(self.answers.values())


def points(task: Task, held: Held, earned: Mapping[str, float]) -> float:
    """Give the points of a task; `earned` are the shares, 0 to 1, of the tasks that were asked before."""
    return task.points * share(task, held, earned)


def share(task: Task, held: Held, earned: Mapping[str, float]) -> float:
    """Give the share of its points that a task earns."""
    if held.ours or lacking(task, earned) or not held.answers.get(held.first, True):
        return 0.0
    if not task.partial:
        return float(held.kept == len(held.answers))
    return held.kept / len(held.answers)


def lacking(task: Task, earned: Mapping[str, float]) -> str:
    """Name the first task that one needs and that earned nothing; "" where there is none."""
    return next((name for name in task.needs if not earned.get(name, 1.0)), "")


def taken(task: Task, held: Held, earned: Mapping[str, float]) -> tuple[Reason, ...]:
    """Tell which rule took points for what held; nothing where none did."""
    kept = f"{held.kept} of {len(held.answers)} held"
    if held.ours:
        why = ""
    elif need := lacking(task, earned):
        why = f"earns nothing, since it needs the task {need!r}, which earned nothing"
    elif not held.kept:
        why = ""  # each of them has a reason of its own
    elif not held.answers.get(held.first, True):
        why = f"earns nothing without {held.first}, on which the rest stands, though {kept}"
    elif not task.partial and held.kept < len(held.answers):
        why = f"earns all of its points or none, and {kept}"
    else:
        why = ""
    return (Reason(task.name, task.title, why),) if why else ()


def wanted(tasks: Sequence[Task], only: Sequence[str]) -> list[Task]:
    """Give the tasks to ask: those that are named and all that they need; every task where none is named."""
    names = set(only or (one.name for one in tasks))
    for task in reversed(tasks):  # what a task needs stands above it
        if task.name in names:
            names.update(task.needs)
    return [one for one in tasks if one.name in names]
