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
from memlab.grading.course.regrade import Change, changes, latest, write_changes
from memlab.grading.course.run import RUN
from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Student
from memlab.grading.intake.similarity import Pair, alike
from memlab.grading.marking.points import blank
from memlab.grading.reports.feedback import FEEDBACK, write_feedback
from memlab.grading.reports.files import write_whole
from memlab.grading.reports.gradebook import GRADEBOOK, gradebook, write_table
from memlab.grading.reports.gradescope import GRADESCOPE, RESULTS, write_results
from memlab.grading.reports.nbgrader import write_nbgrader
from memlab.grading.reports.overview import write_overview

BEFORE, ALIKE = "gradebook.before.csv", "alike.csv"
PAGES = (f"{FEEDBACK}/*.html", f"{GRADESCOPE}/*/{RESULTS}")
"""Files of which every student has one."""
NOTHING = "nothing was handed in"


@dataclass(frozen=True)
class Written:
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
        self._found = dict(sorted(latest(self._journal, batch.submissions, batch.run).items()))
        self._students = {one.name: [who.told for who in batch.students(one)] for one in batch.submissions}
        brief = [
            replace(one.grade, student=who) for name, (_, one) in self._found.items() for who in self._students[name]
        ]
        nothing = Grade("", "", "", "missing", NOTHING, blank(batch.setting.tasks, f"was not asked: {NOTHING}"))
        brief += [replace(nothing, student=who.told) for who in batch.people.missing]
        self.brief = sorted(brief, key=lambda one: (one.student, one.submission))

    def __iter__(self) -> Iterator[Grade]:
        for one in self.brief:
            yield replace(self._at(one.submission), student=one.student) if one.submission else one

    def before(self) -> list[Entry]:
        """Give in brief what the last gradebook was made of."""
        return [one.brief() for one in self._journal if one.told]

    def now(self) -> list[Entry]:
        """Give in brief what is graded now, by submission."""
        return [one._replace(grade=self._named(one.grade)) for _, one in self._found.values()]

    def settle(self) -> None:
        """Have the journal hold these alone."""
        self._journal.settle(one._replace(grade=self._named(self._at(name))) for name, (_, one) in self._found.items())

    def _at(self, name: str) -> Grade:
        return self._journal.at(self._found[name][0]).grade

    def _named(self, grade: Grade) -> Grade:
        return replace(grade, student=" & ".join(self._students[grade.submission]))


def write(batch: Batch) -> Written:
    """Write all that tells the grades; the last gradebook is kept where this one is another, with what changed.

    The journal is settled at the end: until then it tells what the last gradebook was made of.
    """
    grades = Grades(batch)
    pairs = alike(batch.submissions, batch.setting.lab)
    _pages(batch, grades)
    doubled = _tables(batch, grades.brief, pairs)
    write_overview(grades, batch.setting.lab, json.loads((batch.folder / RUN).read_bytes()), pairs, batch.folder)
    changed = _gradebook(batch, grades.brief, lambda: changes(grades.before(), grades.now()))
    grades.settle()
    return Written(grades.brief, pairs, changed, doubled)


def _pages(batch: Batch, grades: Grades) -> None:
    """Write what each student is told; who is not in the class any more, or has another name, has no page."""
    lab, folder = batch.setting.lab, batch.folder
    written: set[Path] = set()
    for one in grades:
        written |= {write_feedback(one, lab, folder, batch.run.isolation), write_results(one, lab, folder)}
    for path in chain.from_iterable(map(folder.glob, PAGES)):
        if path not in written:
            path.unlink()


def _tables(batch: Batch, grades: Sequence[Grade], pairs: Sequence[Pair]) -> list[str]:
    """Write what other programs read; give the students of two submissions, of which nbgrader would take the last."""
    times = Counter(one.student for one in grades)
    once = [one for one in grades if times[one.student] == 1]
    write_nbgrader(once, batch.setting.lab, batch.folder, _known(batch))
    rows = [(one.one, one.other, one.similarity, one.shared, one.says) for one in pairs]
    write_table(batch.folder / ALIKE, ("submission", "other", "similarity", "shared", "says"), rows)
    return sorted(who for who, number in times.items() if number > 1)


def _known(batch: Batch) -> dict[str, Student]:
    """Give the students of the roster by what a grade calls them."""
    return {one.told: one for one in batch.roster.students}


def _gradebook(batch: Batch, grades: Sequence[Grade], compared: Callable[[], list[Change]]) -> list[Change] | None:
    """Write the gradebook, and give what changed where it is another than the last one, which is then kept."""
    path = batch.folder / GRADEBOOK
    late = {one.name for one in batch.submissions if one.late}
    now = gradebook(grades, batch.setting.lab, batch.run.isolation, _known(batch), late)
    if not path.exists():
        write_whole(path, now)
        return None
    changed, same = compared(), path.read_bytes() == now.encode()
    if same and not changed:
        return None
    write_changes(changed, batch.folder)
    if not same:
        path.replace(batch.folder / BEFORE)
    write_whole(path, now)
    return changed
