"""nbgrader.csv: the columns that `nbgrader export` writes (nbgrader/plugins/export.py).

It has no byte order mark: many programs would read the mark as part of the first heading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Student
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.gradebook import NOBODY, points_cell, to_csv
from memlab.labs.lab import Lab

NBGRADER = "nbgrader.csv"
HEAD = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def write_nbgrader(grades: Iterable[Grade], lab: Lab, folder: Path, known: Mapping[str, Student] = NOBODY) -> None:
    """Write a row for each grade; unknown values, such as dates, are left empty.

    `known` maps the label of a grade to its student in the roster. If it is not empty, only its students have a row.
    """
    rows = (_row(one, lab, known.get(one.student)) for one in grades if not known or one.student in known)
    write_atomically(folder / NBGRADER, to_csv(HEAD, rows))


def _row(grade: Grade, lab: Lab, student: Student | None) -> tuple[str | float, ...]:
    who = (student.id, student.last, student.first, student.email) if student else (grade.student, "", "", "")
    before = "" if grade.status == "internal" else grade.points_before
    return (lab.name, "", "", *who, before, grade.penalty, points_cell(grade), grade.max_points)
