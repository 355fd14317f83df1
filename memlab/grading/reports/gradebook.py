"""gradebook.csv: a row for each submission; no cell is run as a formula by a spreadsheet.

It begins with a byte order mark: without one, Excel does not read it as UTF-8. LibreOffice, Google Sheets and pandas
accept the mark.
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
from memlab.grading.reports.parts import subtotals
from memlab.labs.lab import Lab

GRADEBOOK, EARLIER_GRADEBOOK = "gradebook.csv", "gradebook.before.csv"
HEAD = ("student", "id", "name", "email", "submission", "late", "status", "says", "points", "worth", "percent")
ADJUSTED = ("days_late", "points_before", "late_penalty", "points_added", "given_by_hand", "comment")
"""The columns of what marks.csv and the late penalty changed; `points` has the result."""
PARTS: Mapping[str, str] = {"build": "build_points", "fix": "fix_points"}
"""The columns of subtotals, by part."""
MARK = "\ufeff"
MAX_CELL = 500
NOBODY: Mapping[str, Student] = {}
DIGEST_LETTERS = 12
"""Letters of a digest that identify a submission."""
_RUNS = re.compile(
    r"(^|[,;|])"  # the start of a cell, also with another separator
    r"([\s\"'`]*)"  # what a spreadsheet may remove
    "(?=[=+@\uff1d\uff0b\uff20\ufe66\ufe62\ufe6b\u207a\u207c\u208a\u208c\\-\uff0d\ufe63\u2212\u207b\u208b])"
)


def escape_cell(value: str | float) -> str | float:
    r"""Return a cell that no spreadsheet runs as a formula; numbers stay numbers.

    An apostrophe is put before what begins a formula: = + - @ and their look-alikes, also after white space, quotes or
    a separator, as OWASP advises (community page "CSV Injection"). A line break is written as \n: a row is one line.
    """
    if not isinstance(value, str):
        rounded = round(value, 2)
        return int(rounded) if rounded == int(rounded) else rounded
    return _RUNS.sub(r"\1\2'", printable(value, MAX_CELL))


def to_csv(head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return rows as CSV: text in quotes, numbers without."""
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    writer.writerow(map(escape_cell, head))
    writer.writerows([escape_cell(value) for value in row] for row in rows)
    return stream.getvalue()


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> None:
    """Write a CSV file for a spreadsheet."""
    write_atomically(path, MARK + to_csv(head, rows))


def render_gradebook(
    grades: Iterable[Grade], lab: Lab, level: str, known: Mapping[str, Student] = NOBODY, late: Container[str] = ()
) -> str:
    """Return the gradebook as CSV. `level` names the isolation level.

    `known` maps the label of a grade to its student in the roster; `late` names the late submissions.
    """
    tasks = [task.name for task in lab.rubric.task]
    head = [*HEAD, *ADJUSTED, *PARTS.values(), "not_attempted", *tasks, "isolation", "digest"]
    return MARK + to_csv(head, (_row(grade, lab, level, known, late) for grade in grades))


def write_gradebook(text: str, folder: Path) -> None:
    """Write gradebook.csv. An earlier one that differs is kept as gradebook.before.csv."""
    path = folder / GRADEBOOK
    if path.exists() and path.read_bytes() != text.encode():
        path.replace(folder / EARLIER_GRADEBOOK)
    write_atomically(path, text)


def _row(grade: Grade, lab: Lab, level: str, known: Mapping[str, Student], late: Container[str]) -> list[str | float]:
    """Return the row of one grade. Cells without a result are empty, also the points if the grader failed."""
    who = known.get(grade.student, Student("", ""))
    when = "late" if grade.submission in late or grade.days_late else ""
    texts = [grade.student, who.id, who.name, who.email, grade.submission, when, grade.status, grade.message]
    of = grade.max_points
    marks = grade.marks if grade.status != "internal" else ()
    earned = {mark.task: mark.points for mark in marks}
    parts = {one.part: one.points for one in subtotals(marks, lab)}
    untouched = " ".join(mark.task for mark in marks if not mark.attempted)
    by_hand = " ".join(mark.task for mark in grade.marks if mark.graded is not None)
    before = grade.points_before if grade.status != "internal" else ""
    adjusted = [grade.days_late, before, grade.penalty, grade.added, by_hand, grade.comment]
    of_tasks = (earned.get(task.name, "") for task in lab.rubric.task)
    results = [*(parts.get(part, "") for part in PARTS), untouched, *of_tasks]
    points = [points_cell(grade), of, "" if grade.status == "internal" or not of else round(100 * grade.points / of, 1)]
    return [*texts, *points, *adjusted, *results, level, grade.digest[:DIGEST_LETTERS]]


def points_cell(grade: Grade) -> str | float:
    """Return the points, or an empty cell if the grader failed."""
    return "" if grade.status == "internal" else grade.points
