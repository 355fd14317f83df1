"""A class that is graded into a folder: what stands there already, what is to be graded, and what is written."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from memlab.grading.crew import graded
from memlab.grading.feedback import write_feedback
from memlab.grading.files import write_whole
from memlab.grading.grade import Grade
from memlab.grading.gradebook import ENCODING, GRADEBOOK, gradebook
from memlab.grading.grader import Setting, grade
from memlab.grading.gradescope import write_results
from memlab.grading.journal import Entry, Journal
from memlab.grading.nbgrader import write_nbgrader
from memlab.grading.regrade import Change, changes, standing, write_changes
from memlab.grading.run import Run
from memlab.grading.submissions import Submission

BEFORE = "gradebook.before.csv"


@dataclass(frozen=True)
class Written:
    """What stands in the folder: every grade, by its submission's name, and what is other than in the last gradebook.

    `changes` is None where there was no other gradebook.
    """

    grades: list[Grade]
    changes: list[Change] | None


@dataclass(frozen=True)
class Batch:
    """Submissions, by what they are graded, and the folder that has the grades."""

    submissions: Sequence[Submission]
    setting: Setting
    run: Run
    folder: Path

    def ahead(self) -> list[Submission]:
        """List what is to be graded: a grade stands if nothing that decided it has changed since."""
        there = latest(Journal(self.folder), self.submissions, self.run)
        stands = {name for name, one in there.items() if one.grade.status != "internal"}
        return [one for one in self.submissions if one.name not in stands]

    def grades(self, ahead: Sequence[Submission], jobs: int) -> Generator[Grade, None, None]:
        """Grade what is ahead in `jobs` processes, and give each grade once it is on the disk."""
        journal = Journal(self.folder)
        with closing(journal), closing(graded(ahead, partial(grade, setting=self.setting), jobs)) as crew:
            for one in crew:
                journal.add(Entry(one, self.run))
                yield one

    def write(self, roster: Roster | None) -> Written:
        """Write all that the grades are told in, and keep the last gradebook where this one is another."""
        lab, level = self.setting.lab, self.setting.level.name
        journal = Journal(self.folder)
        entries = list(latest(journal, self.submissions, self.run).values())
        grades = by_student((one.grade for one in entries), roster)
        changed = self._gradebook(gradebook(grades, lab, level), journal, entries, roster)
        ...
        journal.settle(entries)
        return Written(grades, changed)
