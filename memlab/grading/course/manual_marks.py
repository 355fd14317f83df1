"""marks.csv, beside the grades: the instructor's own points, comments and days late. It is read, and never written."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.grading.grade import Grade, Mark
from memlab.grading.intake.csv_rows import BadTable, read_rows, refuse_extra_cells
from memlab.grading.intake.files import printable_name
from memlab.grading.intake.roster import normalise
from memlab.labs.rubric import Late, Task
from memlab.systems.entry import did_you_mean

MARKS = "marks.csv"
COLUMNS = ("student", "task", "points", "comment", "days_late")
MAX_NAMED = 8
"""Students that an error names."""


class BadMarks(BadTable):
    """marks.csv is invalid: the message names the line, the value and what is valid."""


@dataclass(frozen=True)
class ManualMark:
    """One row: about one task of a student, or about the whole submission if `task` is "".

    The points of a task replace those of the grader; without a task they are added to the sum.
    """

    student: str
    task: str
    points: float | None
    comment: str
    days_late: int | None
    line: int


class ManualMarks:
    """The rows of marks.csv, by student: the label that a grade has."""

    def __init__(self, rows: Iterable[ManualMark] = ()) -> None:
        self._rows: dict[str, dict[str, ManualMark]] = defaultdict(dict)
        for row in rows:
            self._rows[row.student][row.task] = row

    def __len__(self) -> int:
        return sum(len(rows) for rows in self._rows.values())

    def complete(self, grade: Grade, policy: Late | None, *, is_late: bool) -> Grade:
        """Return a grade of the grader with the instructor's points and comments, and the penalty for lateness.

        A submission that `is_late` is one day late, unless marks.csv has the days.
        """
        rows = self._rows.get(grade.student, {})
        general = rows.get("", ManualMark(grade.student, "", None, "", None, 0))
        days = int(is_late) if general.days_late is None else general.days_late
        marks = tuple(_give(mark, rows.get(mark.task)) for mark in grade.marks)
        done = replace(grade, marks=marks, comment=general.comment, added=general.points or 0.0, days_late=days)
        return replace(done, penalty=policy.share(days) * max(0.0, done.points_before)) if policy else done


def read_marks(folder: Path, tasks: Sequence[Task], students: Mapping[str, Iterable[str]]) -> ManualMarks:
    """Read marks.csv in the folder of the grades; nothing if there is none. Raises BadMarks.

    `students` maps the label of each student to all that a row may call them.
    """
    path = folder / MARKS
    if not path.exists():
        return ManualMarks()
    rows = read_rows(path, BadMarks, f"the columns {', '.join(COLUMNS)}")
    line, head = next(rows, (1, []))
    columns = [cell.casefold() for cell in head]
    for column in columns:
        if column not in COLUMNS:
            near = did_you_mean(column, COLUMNS)
            raise _error(path, line, f"there is no column {printable_name(column)!r}.{near}", COLUMNS)
    if "student" not in columns:
        raise _error(path, line, "the column 'student' is missing.", COLUMNS)
    reader = _RowReader(path, {task.name: task for task in tasks}, students)
    found: dict[tuple[str, str], ManualMark] = {}
    for number, cells in rows:
        refuse_extra_cells(path, BadMarks, (number, cells), (line, columns))
        row = reader.read(number, dict(zip(columns, cells, strict=False)))
        if before := found.get((row.student, row.task)):
            about = f"the task {row.task!r} of {row.student}" if row.task else row.student
            raise BadMarks(f"{path}, line {number}: {about} is also in line {before.line}. Keep one of the two.")
        found[row.student, row.task] = row
    return ManualMarks(found.values())


class _RowReader:
    """Validates the cells of a row."""

    def __init__(self, path: Path, tasks: Mapping[str, Task], students: Mapping[str, Iterable[str]]) -> None:
        self._path = path
        self._tasks = tasks
        self._labels = list(students)
        self._by_key: dict[str, set[str]] = defaultdict(set)
        for label, keys in students.items():
            for key in (label, *keys):
                self._by_key[normalise(key)].add(label)

    def read(self, line: int, row: Mapping[str, str]) -> ManualMark:
        """Return a row. Raises BadMarks."""
        student, task = self._student(line, row["student"]), row.get("task", "")
        if task and task not in self._tasks:
            near = did_you_mean(task, self._tasks)
            raise _error(self._path, line, f"there is no task {printable_name(task)!r}.{near}", self._tasks)
        points, days = self._points(line, task, row.get("points", "")), self._days(line, task, row.get("days_late", ""))
        comment = row.get("comment", "")
        if points is None and days is None and not comment:
            raise BadMarks(f"{self._path}, line {line}: nothing is given. Give points, a comment or days_late.")
        return ManualMark(student, task, points, comment, days, line)

    def _student(self, line: int, name: str) -> str:
        labels = self._by_key.get(normalise(name), set())
        if len(labels) == 1:
            return next(iter(labels))
        shown = printable_name(name)
        if labels:
            raise _error(self._path, line, f"student {shown!r} is the name of several: use an id.", sorted(labels))
        near = did_you_mean(name, self._labels)
        raise _error(self._path, line, f"there is no student {shown!r} in the class.{near}", self._labels)

    def _points(self, line: int, task: str, text: str) -> float | None:
        if not text:
            return None
        most = self._tasks[task].points if task else math.inf
        try:
            points = float(text)
        except ValueError:
            points = math.nan
        if math.isfinite(points) and (not task or 0 <= points <= most):
            return points
        valid = f"a number from 0 to {most:g}, the points of {task!r}" if task else "a number such as 2 or -1.5"
        raise BadMarks(f"{self._path}, line {line}: points is {printable_name(text)!r}, expected {valid}.")

    def _days(self, line: int, task: str, text: str) -> int | None:
        if not text:
            return None
        if task or not (text.isascii() and text.isdigit()):
            raise BadMarks(
                f"{self._path}, line {line}: days_late is {printable_name(text)!r}"
                f"{f' for the task {task!r}' if task else ''}, expected a whole number from 0 in a row without a task."
            )
        return int(text)


def _give(mark: Mark, row: ManualMark | None) -> Mark:
    """Return a mark with the points and the comment of a row; what the instructor marked was attempted."""
    if row is None:
        return mark
    if row.points is None:
        return replace(mark, comment=row.comment)
    return replace(mark, points=row.points, graded=mark.points, comment=row.comment, attempted=True)


def _error(path: Path, line: int, problem: str, valid: Iterable[str]) -> BadMarks:
    names = list(valid)
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED + 1 else ""
    shown = names[:MAX_NAMED] if more else names
    return BadMarks(f"{path}, line {line}: {problem} Valid: {', '.join(shown) or 'none'}{more}.")
