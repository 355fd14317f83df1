"""What a regrade has changed: for each task whose points are others now, the points before and after, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from memlab.grading.course.journal import Entry, Journal
from memlab.grading.course.run import Run
from memlab.grading.grade import Grade, Mark
from memlab.grading.intake.submissions import Submission
from memlab.grading.reports.gradebook import write_table

CHANGES = "changes.csv"
ALL, EVERYBODY = "(all tasks)", "(everybody)"
"""The task of a change that is about a whole submission, and the student of one that is about the rubric."""
CAUSES: Mapping[str, str] = {
    "lab": "another lab",
    "only": "other tasks were chosen",
    "rubric": "the rubric was edited",
    "seed": "another seed",
    "overlay": "other scenarios",
    "scenarios": "other scenarios",
    "isolation": "another isolation level",
    "memlab": "another memlab",
    "hypothesis": "another hypothesis",
    "python": "another Python",
    "sandbox": "another Python in the sandbox",
}
"""Why a submission that is the same is graded again, by what differs between two runs."""


class Change(NamedTuple):
    """A task whose points are others than they were; None where it was, or is, not graded, or where none changed."""

    student: str
    task: str
    before: float | None
    after: float | None
    why: str


def latest_grades(journal: Journal, submissions: Iterable[Submission], run: Run) -> dict[str, tuple[int, Entry]]:
    """Give, by the names of their submissions, the latest grades that were given by all that decides one now.

    They come with their places in the journal, and in brief.
    """
    digests = {one.name: one.digest for one in submissions}
    return {
        one.grade.submission: (place, one.brief())
        for place, one in journal.placed()
        if one.run == run and digests.get(one.grade.submission) == one.grade.digest
    }


def compare_grades(before: Sequence[Entry], after: Sequence[Entry]) -> list[Change]:
    """Compare the grades of two gradebooks, matched by submission, else by student; the students are those of now."""
    now = {one.grade.submission for one in after}
    names = {one.grade.submission: one for one in before}
    students = {one.grade.student: one for one in before if one.grade.submission not in now}
    found: list[Change] = []
    matched = set()
    for new in after:
        old = names.get(new.grade.submission) or students.get(new.grade.student)
        if old is None:
            found.append(Change(new.grade.student, ALL, None, new.grade.points, "Handed in since."))
        else:
            matched.add(old.grade.submission)
            found += _compare_marks(old, new)
    gone = [one.grade for one in before if one.grade.submission not in matched]
    found += [Change(one.student, ALL, one.points, None, "No longer handed in.") for one in gone]
    return [*_rubric_changes(before, after), *sorted(found, key=lambda one: one.student)]


def _rubric_changes(before: Sequence[Entry], after: Sequence[Entry]) -> list[Change]:
    """Tell what the rubric says otherwise: a task that is worth other points, is hidden now, or is not any more."""
    was, now = ({mark.task: mark for one in some for mark in one.grade.marks} for some in (before, after))
    told = []
    for task in was.keys() & now.keys():
        if was[task].max_points != now[task].max_points:
            told.append((task, f"worth {was[task].max_points:g} -> {now[task].max_points:g}"))
        if was[task].visible != now[task].visible:
            told.append((task, "shown to students now" if now[task].visible else "hidden from students now"))
    whole, is_ = (sum(mark.max_points for mark in marks.values()) for marks in (was, now))
    if was and now and whole != is_:
        told.append((ALL, f"worth {whole:g} -> {is_:g}"))
    return [Change(EVERYBODY, task, None, None, f"The rubric was edited: {why}.") for task, why in sorted(told)]


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
        if before != after:
            why = f"{cause}: {_describe_change(old.grade, new.grade, was, is_)}."
            found.append(Change(new.grade.student, task, before, after, why))
    return found


def _cause(old: Entry, new: Entry) -> str:
    """Say why a submission was graded again."""
    if old.grade.digest != new.grade.digest:
        return "Handed in again"
    if old.grade.status == "internal":
        return "The grader had failed"
    differs = [one.name for one in fields(Run) if getattr(old.run, one.name) != getattr(new.run, one.name)]
    causes = dict.fromkeys(CAUSES[name] for name in differs)
    told = " and ".join(causes) or "graded again"
    return told[0].upper() + told[1:]


def _describe_change(old: Grade, new: Grade, was: Mark | None, now: Mark | None) -> str:
    """Say what is other in a task: what it is worth, how the submission fared, or what holds."""
    if was is None or now is None:
        return "a task that is new" if was is None else "a task that is gone"
    if was.max_points != now.max_points:
        return f"worth {now.max_points:g} instead of {was.max_points:g}"
    if old.status != new.status:
        return f"{old.status} before, {new.status} now"
    if not (was.total and now.total):
        return "not asked before" if now.total else "not asked now"
    lost, lacked = ([one.name for one in mark.reasons if one.name] for mark in (now, was))
    gained, fell = [one for one in lacked if one not in lost], [one for one in lost if one not in lacked]
    told = [f"holds now: {_count_names(gained)}"] if gained else []
    told += [f"does not hold any more: {_count_names(fell)}"] if fell else []
    return "; ".join(told) or f"{now.passed} of {now.total} held, {was.passed} of {was.total} before"


def _count_names(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
