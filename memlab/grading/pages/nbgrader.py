"""nbgrader.csv: the columns that `nbgrader export` writes (nbgrader/plugins/export.py), for what reads those.

It has no byte order mark: programs read it, and many would take the mark for a part of the first head.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memlab.grading.grade import Grade
from memlab.grading.pages.files import write_whole
from memlab.grading.pages.gradebook import given, table, worth
from memlab.labs.lab import Lab

NBGRADER = "nbgrader.csv"
HEAD = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def write_nbgrader(grades: Iterable[Grade], lab: Lab, folder: Path) -> None:
    """Write a row for each grade; what memlab does not know, the dates and the parts of a name, is left empty."""
    rows = (
        (lab.name, "", "", grade.student, "", "", "", given(grade), 0, given(grade), worth(grade, lab))
        for grade in grades
    )
    write_whole(folder / NBGRADER, table(HEAD, rows))
