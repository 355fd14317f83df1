"""Writes all files about the grades of a class from its grade log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from memlab.grading.course.batch import Batch
from memlab.grading.course.grade_log import Entry, GradeLog
from memlab.grading.course.regrade import Change, compare_grades, latest_grades, list_adjustments, write_changes
from memlab.grading.course.run import RUN
from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Student
from memlab.grading.intake.similarity import Pair, find_similar_pairs
from memlab.grading.marking.points import make_empty_marks, rescore
from memlab.grading.reports.feedback import FEEDBACK, write_feedback
from memlab.grading.reports.gradebook import GRADEBOOK, render_gradebook, write_gradebook, write_table
from memlab.grading.reports.gradescope import GRADESCOPE, RESULTS, write_results
from memlab.grading.reports.nbgrader import write_nbgrader
from memlab.grading.reports.overview import write_overview

SIMILAR = "alike.csv"
PAGES = (f"{FEEDBACK}/*.html", f"{GRADESCOPE}/*/{RESULTS}")
"""Files of which each student has one."""
NOT_SUBMITTED = "nothing was submitted"


@dataclass(frozen=True)
class Outputs:
    """What was written: each grade in brief, similar pairs, and changes since the last gradebook.

    `changes` is None if there was no gradebook before, or it did not change. `doubled` names the students with two
    submissions, who are left out of nbgrader.csv. `rescored` counts the grades with new points for stored results.
    """

    grades: list[Grade]
    pairs: list[Pair]
    changes: list[Change] | None
    doubled: list[str]
    rescored: int


class Grades:
    """The final grade of each student: all in brief, or one at a time in full.

    `rescored` counts the submissions whose stored results have other points now.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._late = {one.name for one in batch.submissions if one.late}
        self._journal = GradeLog(batch.folder)
        self._latest = dict(sorted(latest_grades(self._journal, batch.submissions, batch.run).items()))
        self._students = {one.name: [who.label for who in batch.students_of(one)] for one in batch.submissions}
        stored = [(one.grade, who) for name, (_, one) in self._latest.items() for who in self._students[name]]
        marks = make_empty_marks(batch.config.tasks, f"was not checked: {NOT_SUBMITTED}")
        missing = Grade("", "", "", "missing", NOT_SUBMITTED, marks)
        stored += [(missing, who.label) for who in batch.matches.missing]
        self.brief = sorted((self._complete(*one) for one in stored), key=lambda one: (one.student, one.submission))
        tasks = batch.config.tasks
        self.rescored = sum(one.grade != rescore(one.grade, tasks) for _, one in self._latest.values())

    def __iter__(self) -> Iterator[Grade]:
        for one in self.brief:
            yield self._complete(self._read(one.submission), one.student) if one.submission else one

    def before(self) -> list[Entry]:
        """Return the entries of the last gradebook, in brief."""
        return [one.brief() for one in self._journal if one.in_gradebook]

    def now(self) -> list[Entry]:
        """Return the current entry of each submission, in brief."""
        return [self._final(one, one.grade) for _, one in self._latest.values()]

    def settle(self) -> None:
        """Reduce the grade log to these entries."""
        self._journal.settle(self._final(one, self._read(name)) for name, (_, one) in self._latest.items())

    def _read(self, name: str) -> Grade:
        return self._journal.at(self._latest[name][0]).grade

    def _complete(self, grade: Grade, student: str) -> Grade:
        return self._batch.complete(grade, student, is_late=grade.submission in self._late)

    def _final(self, entry: Entry, grade: Grade) -> Entry:
        """Return the entry of a submission as it is in the new gradebook."""
        students = self._students[grade.submission]
        adjusted = {who: list_adjustments(self._complete(grade, who)) for who in students}
        named = replace(rescore(grade, self._batch.config.tasks), student=" & ".join(students))
        return entry._replace(grade=named, adjusted=adjusted if any(adjusted.values()) else {})


def write_outputs(batch: Batch) -> Outputs:
    """Write all files. If the gradebook changed, the last one is kept, and the changes are listed.

    The grade log is settled at the end: until then it has the entries of the last gradebook.
    """
    grades = Grades(batch)
    pairs = find_similar_pairs(batch.submissions, batch.config.lab)
    _write_pages(batch, grades)
    doubled = _write_tables(batch, grades.brief, pairs)
    write_overview(grades, batch.config.lab, json.loads((batch.folder / RUN).read_bytes()), pairs, batch.folder)
    changed = _write_gradebook(batch, grades.brief, lambda: compare_grades(grades.before(), grades.now()))
    grades.settle()
    return Outputs(grades.brief, pairs, changed, doubled, grades.rescored)


def _write_pages(batch: Batch, grades: Grades) -> None:
    """Write the page and the Gradescope results of each student; delete those of students who are gone or renamed."""
    lab, folder = batch.config.lab, batch.folder
    written: set[Path] = set()
    for one in grades:
        written |= {write_feedback(one, lab, folder, batch.run.isolation), write_results(one, lab, folder)}
    for path in chain.from_iterable(map(folder.glob, PAGES)):
        if path not in written:
            path.unlink()


def _write_tables(batch: Batch, grades: Sequence[Grade], pairs: Sequence[Pair]) -> list[str]:
    """Write the tables for other programs. Returns the students with two submissions: nbgrader.csv omits them."""
    counts = Counter(one.student for one in grades)
    once = [one for one in grades if counts[one.student] == 1]
    write_nbgrader(once, batch.config.lab, batch.folder, _roster_by_label(batch))
    rows = [(one.first, one.second, one.similarity, one.shared, one.note) for one in pairs]
    write_table(batch.folder / SIMILAR, ("submission", "other", "similarity", "shared", "says"), rows)
    return sorted(who for who, number in counts.items() if number > 1)


def _roster_by_label(batch: Batch) -> dict[str, Student]:
    """Return the students of the roster by the label that a grade has."""
    return {one.label: one for one in batch.roster.students}


def _write_gradebook(batch: Batch, grades: Sequence[Grade], compare: Callable[[], list[Change]]) -> list[Change] | None:
    """Write the gradebook. Returns what changed if it differs from the last one, which is then kept."""
    path = batch.folder / GRADEBOOK
    late = {one.name for one in batch.submissions if one.late}
    now = render_gradebook(grades, batch.config.lab, batch.run.isolation, _roster_by_label(batch), late)
    if not path.exists():
        write_gradebook(now, batch.folder)
        return None
    changed = compare()
    if not changed and path.read_bytes() == now.encode():
        return None
    write_changes(changed, batch.folder)
    write_gradebook(now, batch.folder)
    return changed
