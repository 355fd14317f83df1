"""A class and the folder of its grades: which submissions are graded already, and which are pending."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from memlab.grading.course.grade_log import Entry, GradeLog
from memlab.grading.course.manual_marks import ManualMarks, read_marks
from memlab.grading.course.parallel_grading import grade_in_parallel
from memlab.grading.course.regrade import latest_grades
from memlab.grading.course.run import Run, describe_run
from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Matched, Roster, Student
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.grading.marking.points import make_empty_marks, rescore

EMPTY_ROSTER = Roster(())


@dataclass(frozen=True)
class Batch:
    """Submissions, the config to grade them with, the folder of their grades, and the roster."""

    submissions: Sequence[Submission]
    config: GradingConfig
    folder: Path
    roster: Roster = EMPTY_ROSTER

    @cached_property
    def run(self) -> Run:
        """Everything that decides a grade, except the submission."""
        return describe_run(self.config)

    @cached_property
    def matches(self) -> Matched:
        """The student of each submission, according to the roster."""
        return self.roster.match(self.submissions)

    @cached_property
    def manual_marks(self) -> ManualMarks:
        """The instructor's own marks. Raises BadMarks."""
        names: dict[str, list[str]] = defaultdict(list)
        for one in self.submissions:
            students = self.students_of(one)
            for student in students:
                names[student.label] += [one.name, *(one.ids if len(students) == 1 else ())]
        for student in (*self.roster.students, *(who for one in self.submissions for who in self.students_of(one))):
            names[student.label] += filter(None, (student.id, student.name, *student.keys))
        return read_marks(self.folder, self.config.tasks, names)

    def students_of(self, one: Submission) -> Sequence[Student]:
        """Return the students who submitted a file, from the roster, or else the name in the submission."""
        return self.matches.students.get(one.name) or [Student("", one.student or one.name)]

    def complete(self, grade: Grade, student: str, *, is_late: bool) -> Grade:
        """Return the final grade of a student: with the points of today's rubric, the manual marks and the penalty."""
        own = replace(rescore(grade, self.config.tasks), student=student)
        return self.manual_marks.complete(own, self.config.lab.rubric.late, is_late=is_late)

    def pending(self) -> list[Submission]:
        """Return the submissions to grade: those without a grade of this run, and those for which the grader failed."""
        graded = latest_grades(GradeLog(self.folder), self.submissions, self.run)
        done = {name for name, (_, one) in graded.items() if one.grade.status != "internal"}
        return [one for one in self.submissions if one.name not in done]

    def grade_pending(self, pending: Sequence[Submission], jobs: int) -> Generator[Grade, None, None]:
        """Grade submissions in `jobs` processes, and yield each grade once it is on the disk."""
        grades = grade_in_parallel(pending, partial(grade, config=self.config), jobs)
        with closing(GradeLog(self.folder)) as journal, closing(grades):
            for one in grades:
                complete = one if one.marks else replace(one, marks=make_empty_marks(self.config.tasks, one.message))
                journal.add(Entry(complete, self.run))
                yield complete
