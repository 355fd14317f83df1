"""A class that is graded into a folder: what stands there already, what is to be graded, and what is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from memlab.grading.alike import Pair, alike
from memlab.grading.crew import graded
from memlab.grading.feedback import write_feedback
from memlab.grading.files import write_whole
from memlab.grading.grade import Grade
from memlab.grading.gradebook import ENCODING, GRADEBOOK, gradebook, table
from memlab.grading.grader import grade
from memlab.grading.gradescope import write_results
from memlab.grading.journal import Entry, Journal
from memlab.grading.nbgrader import write_nbgrader
from memlab.grading.overview import write_overview
from memlab.grading.regrade import Change, changes, latest, write_changes
from memlab.grading.roster import Matched, Roster, Student
from memlab.grading.run import RUN, Run
from memlab.grading.sitting import Setting
from memlab.grading.submissions import Submission

BEFORE, ALIKE = "gradebook.before.csv", "alike.csv"
WRITTEN = ("feedback/*.html", "gradescope/*/results.json")
"""Files of which every student has one."""
NOTHING = "nothing was handed in"
NOBODY = Roster(())


@dataclass(frozen=True)
class Written:
    """What a folder tells now: a grade for each student, pairs to look at, and what the last gradebook told otherwise.

    `changes` is None where there was none, or where it was the same.
    """

    grades: list[Grade]
    pairs: list[Pair]
    changes: list[Change] | None


@dataclass(frozen=True)
class Batch:
    """Submissions, by what they are graded, the folder that has their grades, and who is in the class."""

    submissions: Sequence[Submission]
    setting: Setting
    run: Run
    folder: Path
    roster: Roster = NOBODY

    @cached_property
    def people(self) -> Matched:
        """Tell who handed in what, as far as the roster knows."""
        return self.roster.matched(self.submissions)

    def ahead(self) -> list[Submission]:
        """List what is to be graded: a grade stands while all that decided it is the same, unless the grader failed."""
        there = latest(Journal(self.folder), self.submissions, self.run)
        stands = {name for name, one in there.items() if one.grade.status != "internal"}
        return [one for one in self.submissions if one.name not in stands]

    def grades(self, ahead: Sequence[Submission], jobs: int) -> Generator[Grade, None, None]:
        """Grade what is ahead in `jobs` processes, and give each grade once it is on the disk."""
        journal = Journal(self.folder)
        with closing(journal), closing(graded(ahead, partial(grade, setting=self.setting), jobs)) as finished:
            for one in finished:
                journal.add(Entry(one, self.run))
                yield one

    def write(self) -> Written:
        """Write all that tells the grades. The last gradebook is kept where this one is another, with what changed.

        The journal is settled at the end: until then it tells what the last gradebook was made of.
        """
        journal = Journal(self.folder)
        students = {one.name: self._students(one) for one in self.submissions}
        entries = [
            one._replace(grade=replace(one.grade, student=" & ".join(student.told for student in students[name])))
            for name, one in sorted(latest(journal, self.submissions, self.run).items())
        ]
        grades = [replace(one.grade, student=who.told) for one in entries for who in students[one.grade.submission]]
        grades += [Grade("", who.told, "", "missing", NOTHING) for who in self.people.missing]
        grades.sort(key=lambda one: (one.student, one.submission))
        pairs = alike(self.submissions, self.setting.lab)
        self._pages(grades, pairs)
        changed = self._gradebook(grades, lambda: changes([one for one in journal if one.told], entries))
        journal.settle(entries)
        return Written(grades, pairs, changed)

    def _students(self, one: Submission) -> Sequence[Student]:
        """Tell who handed in a submission: of the roster, else whom its name tells."""
        return self.people.students.get(one.name) or [Student("", one.student or one.name)]

    def _pages(self, grades: Sequence[Grade], pairs: Sequence[Pair]) -> None:
        """Write what students, other programs and the instructor are told, but for the gradebook."""
        lab, folder = self.setting.lab, self.folder
        written = {write_feedback(one, lab, folder) for one in grades}
        written |= {write_results(one, lab, folder) for one in grades}
        for path in chain.from_iterable(map(folder.glob, WRITTEN)):
            if path not in written:  # of somebody who is not in the class any more, or under another name
                path.unlink()
        ids = {one.told: one.id or one.told for one in self.roster.students}
        write_nbgrader([replace(one, student=ids.get(one.student, one.student)) for one in grades], lab, folder)
        rows = [(one.one, one.other, one.similarity, one.shared) for one in pairs]
        write_whole(folder / ALIKE, table(("submission", "other", "similarity", "shared"), rows), ENCODING)
        write_overview(grades, lab, json.loads((folder / RUN).read_bytes()), pairs, folder)

    def _gradebook(self, grades: Sequence[Grade], compared: Callable[[], list[Change]]) -> list[Change] | None:
        """Write the gradebook, and give what changed where it is another than the last one, which is then kept."""
        path = self.folder / GRADEBOOK
        now = gradebook(grades, self.setting.lab, self.run.isolation)
        last = path.read_bytes().decode(ENCODING) if path.exists() else now
        changed = None
        if last != now:
            changed = compared()
            write_changes(changed, self.folder)
            write_whole(self.folder / BEFORE, last, ENCODING)
        write_whole(path, now, ENCODING)
        return changed
