"""All files that tell the grades of a class, written anew from its journal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from memlab.grading.course.batch import Batch
from memlab.grading.course.journal import Entry, Journal
from memlab.grading.course.regrade import Change, compare_grades, latest_grades, write_changes
from memlab.grading.course.run import RUN
from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Student
from memlab.grading.intake.similarity import Pair, find_similar_pairs
from memlab.grading.marking.points import make_empty_marks
from memlab.grading.reports.feedback import FEEDBACK, write_feedback
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.gradebook import GRADEBOOK, render_gradebook, write_table
from memlab.grading.reports.gradescope import GRADESCOPE, RESULTS, write_results
from memlab.grading.reports.nbgrader import write_nbgrader
from memlab.grading.reports.overview import write_overview

EARLIER_GRADEBOOK, SIMILAR = "gradebook.before.csv", "alike.csv"
PAGES = (f"{FEEDBACK}/*.html", f"{GRADESCOPE}/*/{RESULTS}")
"""Files of which every student has one."""
NOT_HANDED_IN = "nothing was handed in"


@dataclass(frozen=True)
class Outputs:
    """What was written: each student's grade in brief, pairs to look at, and what the last gradebook told otherwise.

    `changes` is None where there was no gradebook, or where it was the same. `doubled` names the students with two
    submissions, whom nbgrader.csv leaves out.
    """

    grades: list[Grade]
    pairs: list[Pair]
    changes: list[Change] | None
    doubled: list[str]


class Grades:
    """Each student's grade, in brief all at once, or whole and one at a time."""

    def __init__(self, batch: Batch) -> None:
        self._journal = Journal(batch.folder)
        self._latest = dict(sorted(latest_grades(self._journal, batch.submissions, batch.run).items()))
        self._students = {one.name: [who.label for who in batch.students_of(one)] for one in batch.submissions}
        brief = [
            replace(one.grade, student=who) for name, (_, one) in self._latest.items() for who in self._students[name]
        ]
        nothing = Grade(
            "",
            "",
            "",
            "missing",
            NOT_HANDED_IN,
            make_empty_marks(batch.config.tasks, f"was not asked: {NOT_HANDED_IN}"),
        )
        brief += [replace(nothing, student=who.label) for who in batch.matches.missing]
        self.brief = sorted(brief, key=lambda one: (one.student, one.submission))

    def __iter__(self) -> Iterator[Grade]:
        for one in self.brief:
            yield replace(self._read(one.submission), student=one.student) if one.submission else one

    def before(self) -> list[Entry]:
        """Give in brief what the last gradebook was made of."""
        return [one.brief() for one in self._journal if one.in_gradebook]

    def now(self) -> list[Entry]:
        """Give in brief what is graded now, by submission."""
        return [one._replace(grade=self._with_students(one.grade)) for _, one in self._latest.values()]

    def settle(self) -> None:
        """Have the journal hold these alone."""
        self._journal.settle(
            one._replace(grade=self._with_students(self._read(name))) for name, (_, one) in self._latest.items()
        )

    def _read(self, name: str) -> Grade:
        return self._journal.at(self._latest[name][0]).grade

    def _with_students(self, grade: Grade) -> Grade:
        return replace(grade, student=" & ".join(self._students[grade.submission]))


def write_outputs(batch: Batch) -> Outputs:
    """Write all that tells the grades; the last gradebook is kept where this one is another, with what changed.

    The journal is settled at the end: until then it tells what the last gradebook was made of.
    """
    grades = Grades(batch)
    pairs = find_similar_pairs(batch.submissions, batch.config.lab)
    _write_pages(batch, grades)
    doubled = _write_tables(batch, grades.brief, pairs)
    write_overview(grades, batch.config.lab, json.loads((batch.folder / RUN).read_bytes()), pairs, batch.folder)
    changed = _write_gradebook(batch, grades.brief, lambda: compare_grades(grades.before(), grades.now()))
    grades.settle()
    return Outputs(grades.brief, pairs, changed, doubled)


def _write_pages(batch: Batch, grades: Grades) -> None:
    """Write what each student is told; who is not in the class any more, or has another name, has no page."""
    lab, folder = batch.config.lab, batch.folder
    written: set[Path] = set()
    for one in grades:
        written |= {write_feedback(one, lab, folder, batch.run.isolation), write_results(one, lab, folder)}
    for path in chain.from_iterable(map(folder.glob, PAGES)):
        if path not in written:
            path.unlink()


def _write_tables(batch: Batch, grades: Sequence[Grade], pairs: Sequence[Pair]) -> list[str]:
    """Write what other programs read; give the students of two submissions, of which nbgrader would take the last."""
    times = Counter(one.student for one in grades)
    once = [one for one in grades if times[one.student] == 1]
    write_nbgrader(once, batch.config.lab, batch.folder, _roster_by_label(batch))
    rows = [(one.first, one.second, one.similarity, one.shared, one.note) for one in pairs]
    write_table(batch.folder / SIMILAR, ("submission", "other", "similarity", "shared", "says"), rows)
    return sorted(who for who, number in times.items() if number > 1)


def _roster_by_label(batch: Batch) -> dict[str, Student]:
    """Give the students of the roster by what a grade calls them."""
    return {one.label: one for one in batch.roster.students}


def _write_gradebook(
    batch: Batch, grades: Sequence[Grade], compared: Callable[[], list[Change]]
) -> list[Change] | None:
    """Write the gradebook, and give what changed where it is another than the last one, which is then kept."""
    path = batch.folder / GRADEBOOK
    late = {one.name for one in batch.submissions if one.late}
    now = render_gradebook(grades, batch.config.lab, batch.run.isolation, _roster_by_label(batch), late)
    if not path.exists():
        write_atomically(path, now)
        return None
    changed, same = compared(), path.read_bytes() == now.encode()
    if same and not changed:
        return None
    write_changes(changed, batch.folder)
    if not same:
        path.replace(batch.folder / EARLIER_GRADEBOOK)
    write_atomically(path, now)
    return changed
