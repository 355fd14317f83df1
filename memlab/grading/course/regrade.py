"""Compares two gradebooks: for each task whose points changed, the points before and after, and the cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from memlab.grading.course.grade_log import ADDED, LATE, Entry, GradeLog
from memlab.grading.course.run import Run
from memlab.grading.grade import Grade, Mark
from memlab.grading.intake.submissions import Submission
from memlab.grading.reports.gradebook import write_table

CHANGES = "changes.csv"
ALL, EVERYBODY = "(all tasks)", "(everybody)"
"""The task of a change that is about a whole submission, and the student of one that is about the rubric."""
CAUSES: Mapping[str, str] = {
    "lab": "the lab changed",
    "only": "other tasks were selected",
    "rubric": "the rubric was edited",
    "seed": "the seed changed",
    "overlay": "the scenarios changed",
    "scenarios": "the scenarios changed",
    "isolation": "the isolation level changed",
    "memlab": "the version of memlab changed",
    "hypothesis": "the version of Hypothesis changed",
    "python": "the version of Python changed",
    "sandbox": "the version of Python in the sandbox changed",
}
"""Why an unchanged submission is graded again, by the field of Run that changed."""


NO_RUN = "The stored results were scored again; no submission was run."
NOT_RUN = "The rubric was edited, no submission was run"
LATE_CHANGED = "The days late, the points or the rubric changed."


class Change(NamedTuple):
    """A task whose points changed. A value of None means not graded, or unchanged."""

    student: str
    task: str
    before: float | None
    after: float | None
    why: str


def latest_grades(journal: GradeLog, submissions: Iterable[Submission], run: Run) -> dict[str, tuple[int, Entry]]:
    """Return the latest grade of each submission that this run would give again.

    Each is in brief, with its place in the grade log.
    """
    digests = {one.name: one.digest for one in submissions}
    return {
        one.grade.submission: (place, one.brief())
        for place, one in journal.placed()
        if one.run == run and digests.get(one.grade.submission) == one.grade.digest
    }


def compare_grades(before: Sequence[Entry], after: Sequence[Entry]) -> list[Change]:
    """Return the changes between two gradebooks, matched by submission, or else by student."""
    now = {one.grade.submission for one in after}
    names = {one.grade.submission: one for one in before}
    students = {one.grade.student: one for one in before if one.grade.submission not in now}
    found: list[Change] = []
    matched = set()
    for new in after:
        old = names.get(new.grade.submission) or students.get(new.grade.student)
        if old is None:
            found.append(Change(new.grade.student, ALL, None, new.grade.points, "New submission."))
        else:
            matched.add(old.grade.submission)
            found += [*_compare_marks(old, new), *_compare_adjustments(old, new)]
    gone = [one.grade for one in before if one.grade.submission not in matched]
    found += [Change(one.student, ALL, one.points, None, "Submission removed.") for one in gone]
    return [*_rubric_changes(before, after), *sorted(found, key=lambda one: one.student)]


def _rubric_changes(before: Sequence[Entry], after: Sequence[Entry]) -> list[Change]:
    """Return what changed in the rubric: the points of a task, or whether students see it."""
    was, now = ({mark.task: mark for one in some for mark in one.grade.marks} for some in (before, after))
    changes = []
    for task in was.keys() & now.keys():
        if was[task].max_points != now[task].max_points:
            changes.append((task, f"{was[task].max_points:g} -> {now[task].max_points:g} points"))
        if was[task].visible != now[task].visible:
            changes.append((task, "visible to students now" if now[task].visible else "hidden from students now"))
    total_before, total_now = (sum(mark.max_points for mark in marks.values()) for marks in (was, now))
    if was and now and total_before != total_now:
        changes.append((ALL, f"{total_before:g} -> {total_now:g} points"))
    runs = [{one.run for one in some} for some in (before, after)]
    note = f" {NO_RUN}" if runs[0] == runs[1] else ""
    notes = ((task, f"The rubric was edited: {why}.{note}") for task, why in sorted(changes))
    return [Change(EVERYBODY, task, None, None, why) for task, why in notes]


def list_adjustments(grade: Grade) -> dict[str, float]:
    """Return what is not from the grader: the points given for tasks, those added, and those deducted."""
    given = {mark.task: mark.points for mark in grade.marks if mark.graded is not None}
    return given | ({ADDED: grade.added} if grade.added else {}) | ({LATE: -grade.penalty} if grade.penalty else {})


def write_changes(found: Iterable[Change], folder: Path) -> None:
    """Write changes.csv."""
    head = ("student", "task", "points_before", "points_after", "why")
    rows = (["" if value is None else value for value in one] for one in found)
    write_table(folder / CHANGES, head, rows)


def _compare_marks(old: Entry, new: Entry) -> list[Change]:
    cause = _cause(old, new)
    earlier = {one.task: one for one in old.grade.marks}
    now = {one.task: one for one in new.grade.marks}
    found = []
    for task in dict.fromkeys([*earlier, *now]):
        was, is_ = earlier.get(task), now.get(task)
        before, after = (one.points if one else None for one in (was, is_))
        by_hand = any(one.adjusted and all(task in given for given in one.adjusted.values()) for one in (old, new))
        if before != after and not by_hand:
            why = f"{cause}: {_describe_change(old.grade, new.grade, was, is_)}."
            found.append(Change(new.grade.student, task, before, after, why))
    return found


def _compare_adjustments(old: Entry, new: Entry) -> list[Change]:
    """Return the changes of marks.csv and of late penalties; a task whose points are not given has the grader's."""
    earlier, now = ({mark.task: mark.points for mark in one.grade.marks} for one in (old, new))
    found = []
    for student in dict.fromkeys([*old.adjusted, *new.adjusted]):
        was, is_ = (one.adjusted.get(student, {}) for one in (old, new))
        for task in dict.fromkeys([*was, *is_]):
            before, after = was.get(task, earlier.get(task, 0.0)), is_.get(task, now.get(task, 0.0))
            if before != after:
                by_hand = "Given in marks.csv." if task in is_ else "No longer given in marks.csv."
                found.append(Change(student, task, before, after, LATE_CHANGED if task == LATE else by_hand))
    return found


def _cause(old: Entry, new: Entry) -> str:
    """Return why a submission was graded again."""
    if old.grade.digest != new.grade.digest:
        return "Submitted again"
    if old.grade.status == "internal":
        return "The grader failed before"
    differs = [one.name for one in fields(Run) if getattr(old.run, one.name) != getattr(new.run, one.name)]
    if not differs:
        return NOT_RUN
    causes = dict.fromkeys(CAUSES[name] for name in differs)
    reasons = " and ".join(causes)
    return reasons[0].upper() + reasons[1:]


def _describe_change(old: Grade, new: Grade, was: Mark | None, now: Mark | None) -> str:
    """Return what changed in a task: its points, the status of the submission, or its failed checks."""
    if was is None or now is None:
        return "new task" if was is None else "removed task"
    if was.max_points != now.max_points:
        return f"{now.max_points:g} points instead of {was.max_points:g}"
    if old.status != new.status:
        return f"{old.status} before, {new.status} now"
    if not (was.total and now.total):
        return "not checked before" if now.total else "not checked now"
    failed_now, failed_before = ([one.name for one in mark.reasons if one.name] for mark in (now, was))
    fixed = [one for one in failed_before if one not in failed_now]
    broken = [one for one in failed_now if one not in failed_before]
    parts = [f"passes now: {_count_names(fixed)}"] if fixed else []
    parts += [f"fails now: {_count_names(broken)}"] if broken else []
    return "; ".join(parts) or f"{now.passed} of {now.total} checks passed, {was.passed} of {was.total} before"


def _count_names(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
