"""gradebook.csv: a row for each submission, with no cell that a spreadsheet would run.

It begins with a byte order mark: without one Excel reads UTF-8 as the code page of its machine, and Mara's é is
broken; LibreOffice, Google Sheets and pandas know the mark and leave it out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path

from memlab.grading.grade import Grade
from memlab.grading.intake.roster import Student
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.messages import printable
from memlab.labs.lab import Lab

GRADEBOOK = "gradebook.csv"
HEAD = ("student", "id", "name", "email", "submission", "late", "status", "says", "points", "worth", "percent")
MARK = "\ufeff"
MAX_CELL = 500
NOBODY: Mapping[str, Student] = {}
DIGEST_LETTERS = 12
"""Letters of a digest that tell one submission from another."""
_RUNS = re.compile(
    r"(^|[,;|])"  # where a cell begins, also for a spreadsheet that parts cells at another sign than ours
    r"([\s\"'`]*)"  # what a spreadsheet may strip
    "(?=[=+@\uff1d\uff0b\uff20\ufe66\ufe62\ufe6b\u207a\u207c\u208a\u208c\\-\uff0d\ufe63\u2212\u207b\u208b])"
)


def escape_cell(value: str | float) -> str | float:
    r"""Make a cell that no spreadsheet runs; a number of ours stays a number, also below zero.

    An apostrophe is set before what begins a formula: = + - @ and their look-alikes, also after white space, quotes or
    a separator, as OWASP says (community page "CSV Injection"). A line break is written as \n: a row is one line.
    """
    if not isinstance(value, str):
        return int(value) if value == int(value) else round(value, 2)
    return _RUNS.sub(r"\1\2'", printable(value, MAX_CELL))


def to_csv(head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Write rows as CSV: text in quotes, numbers without."""
    made = io.StringIO()
    writer = csv.writer(made, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(map(escape_cell, head))
    writer.writerows([escape_cell(value) for value in row] for row in rows)
    return made.getvalue()


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> None:
    """Write a table that people open in a spreadsheet."""
    write_atomically(path, MARK + to_csv(head, rows))


def render_gradebook(
    grades: Iterable[Grade], lab: Lab, level: str, known: Mapping[str, Student] = NOBODY, late: Container[str] = ()
) -> str:
    """Compose the gradebook; the same grades give the same text. `level` names the isolation that they ran in.

    `known` are the students of the roster, by what a grade calls them; `late` names the submissions that were.
    """
    tasks = [task.name for task in lab.rubric.task]
    head = [*HEAD, *tasks, "isolation", "digest"]
    return MARK + to_csv(head, (_row(grade, tasks, level, known, late) for grade in grades))


def _row(
    grade: Grade, tasks: Sequence[str], level: str, known: Mapping[str, Student], late: Container[str]
) -> list[str | float]:
    """Lay out one grade. What is not graded has an empty cell, and so have points that the grader failed to give."""
    who = known.get(grade.student, Student("", ""))
    when = "late" if grade.submission in late else ""
    told = [grade.student, who.id, who.name, who.email, grade.submission, when, grade.status, grade.message]
    of = grade.max_points
    earned = {mark.task: mark.points for mark in grade.marks if grade.status != "internal"}
    points = [points_cell(grade), of, "" if grade.status == "internal" or not of else round(100 * grade.points / of, 1)]
    return [*told, *points, *(earned.get(task, "") for task in tasks), level, grade.digest[:DIGEST_LETTERS]]


def points_cell(grade: Grade) -> str | float:
    """Give the points, or an empty cell where the grader failed: that is not yet a zero."""
    return "" if grade.status == "internal" else grade.points
