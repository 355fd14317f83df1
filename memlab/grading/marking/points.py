"""Turns the outcome of a task into points by three rules, with a sentence for the points that each rule deducts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memlab.grading.grade import Grade, Mark, Reason
from memlab.labs.rubric import Step, Task


@dataclass(frozen=True)
class Outcome:
    """The result of a task: `passed` of `total` checks passed, with a reason for each that failed.

    If the first check of a step fails, `main_check_failed` is set and the step earns nothing. `fault` is the traceback
    of a grader failure: the task is then undecided, and tasks that need it lose no points for it.
    """

    passed: int
    total: int
    reasons: tuple[Reason, ...] = ()
    main_check_failed: bool = False
    fault: str = ""


def skip_task(task: Task, why: str, *, fault: str = "") -> Outcome:
    """Return the outcome of a task that was not checked."""
    return Outcome(0, 0, (_task_reason(task, why),), fault=fault)


def make_empty_marks(tasks: Iterable[Task], why: str) -> tuple[Mark, ...]:
    """Return a mark of 0 points for each task, all with the same reason."""
    return tuple(make_mark(one, skip_task(one, why), 0.0) for one in tasks)


def compute_shares(tasks: Iterable[Task], outcomes: Mapping[str, Outcome]) -> dict[str, float]:
    """Return the share (0 to 1) of its points that each decided task earns."""
    shares: dict[str, float] = {}
    for task in tasks:  # a task comes after the tasks that it needs
        outcome = outcomes.get(task.name)
        if outcome and not outcome.fault:
            shares[task.name] = 0.0 if find_unmet_need(task, shares) else _compute_share(task, outcome)
    return shares


def find_unmet_need(task: Task, shares: Mapping[str, float]) -> str:
    """Return the first needed task that earned nothing; "" if there is none."""
    return next((name for name in task.needs if not shares.get(name, 1.0)), "")


def make_mark(task: Task, outcome: Outcome, share: float, untouched: Container[str] = ()) -> Mark:
    """Return the mark of a task that earned a share of its points; `untouched` names the steps left as they were."""
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
        attempted=task.name not in untouched or _passes_first_check(outcome),
    )


def rescore(grade: Grade, tasks: Iterable[Task]) -> Grade:
    """Return a stored grade with the points that its tasks have now; the results of the checks stay.

    Points never decide which checks run, so nothing has to be graded again.
    """
    now = {task.name: task for task in tasks}
    return replace(grade, marks=tuple(_rescore(mark, now[mark.task]) for mark in grade.marks))


def _rescore(mark: Mark, task: Task) -> Mark:
    if mark.max_points == task.points:
        return mark
    first = task.checks[0] if isinstance(task, Step) else ""
    main_check_failed = bool(first) and any(reason.name == first for reason in mark.reasons)
    share = _compute_share(task, Outcome(mark.passed, mark.total, main_check_failed=main_check_failed))
    return replace(mark, points=task.points * share, max_points=task.points)


def add_needed_tasks(tasks: Sequence[Task], some: Iterable[Task]) -> list[Task]:
    """Return some tasks and all tasks that they need, in the order of the rubric."""
    names = {one.name for one in some}
    for task in reversed(tasks):  # a task comes after the tasks that it needs
        if task.name in names:
            names.update(task.needs)
    return [one for one in tasks if one.name in names]


def _compute_share(task: Task, outcome: Outcome) -> float:
    """Return the share that a task earns, without regard to the tasks that it needs."""
    if outcome.main_check_failed or not outcome.total:
        return 0.0
    if not task.partial:
        return float(outcome.passed == outcome.total)
    return outcome.passed / outcome.total


def _passes_first_check(outcome: Outcome) -> bool:
    return outcome.total > 0 and not outcome.main_check_failed


def _task_reason(task: Task, says: str) -> Reason:
    """Return a reason about the task as a whole."""
    return Reason("", task.title, says)


def _explain_lost_points(task: Task, outcome: Outcome) -> str:
    """Return the rule by which passed checks earn no points; "" if there is none."""
    if outcome.fault or not outcome.passed:
        return ""
    passed = f"{outcome.passed} of {outcome.total} checks passed"
    if outcome.main_check_failed:
        return f"earns nothing, though {passed}: its first check failed, and the others mean nothing without it"
    if not task.partial and outcome.passed < outcome.total:
        return f"earns all of its points or none, and {passed}"
    return ""
