"""A class that is graded into a folder: what stands there already, and what is still to be graded."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from memlab.grading.course.journal import Entry, Journal
from memlab.grading.course.parallel_grading import grade_in_parallel
from memlab.grading.course.regrade import latest_grades
from memlab.grading.course.run import Run, describe_run
from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Matched, Roster, Student
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.grading.marking.points import make_empty_marks

EMPTY_ROSTER = Roster(())


@dataclass(frozen=True)
class Batch:
    """Submissions, by what they are graded, the folder that has their grades, and who is in the class."""

    submissions: Sequence[Submission]
    config: GradingConfig
    folder: Path
    roster: Roster = EMPTY_ROSTER

    @cached_property
    def run(self) -> Run:
        """All that decides a grade, beside the submission."""
        return describe_run(self.config)

    @cached_property
    def matches(self) -> Matched:
        """Tell who handed in what, as far as the roster knows."""
        return self.roster.match(self.submissions)

    def students_of(self, one: Submission) -> Sequence[Student]:
        """Tell who handed in a submission: of the roster, else whom its name tells."""
        return self.matches.students.get(one.name) or [Student("", one.student or one.name)]

    def pending(self) -> list[Submission]:
        """List what is to be graded: a grade stands while all that decided it is the same, unless the grader failed."""
        there = latest_grades(Journal(self.folder), self.submissions, self.run)
        stands = {name for name, (_, one) in there.items() if one.grade.status != "internal"}
        return [one for one in self.submissions if one.name not in stands]

    def grade_pending(self, pending: Sequence[Submission], jobs: int) -> Generator[Grade, None, None]:
        """Grade what is pending in `jobs` processes, and give each grade once it is on the disk."""
        grades = grade_in_parallel(pending, partial(grade, config=self.config), jobs)
        with closing(Journal(self.folder)) as journal, closing(grades):
            for one in grades:
                complete = one if one.marks else replace(one, marks=make_empty_marks(self.config.tasks, one.message))
                journal.add(Entry(complete, self.run))
                yield complete
