"""grades.jsonl: every grade with the settings of its run, saved at once, so that a stopped run can continue.

A grade lists the calls before each wrong answer, which takes much memory: the grades of a class are read one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from memlab.grading.course.run import Run
from memlab.grading.grade import Grade, Reason
from memlab.grading.reports.messages import last_line
from memlab.memory.storage import journal
from memlab.memory.storage.folder import replace_file

GRADES = "grades.jsonl"


ADDED, LATE = "(points added)", "(late penalty)"
NOTHING: Mapping[str, Mapping[str, float]] = {}


class Entry(NamedTuple):
    """A grade, the settings of its run, and whether it is in the last gradebook.

    The grade is that of the grader. `adjusted` has what the instructor and the rubric made of it in the last gradebook:
    for each student, the points given for a task, ADDED and LATE.
    """

    grade: Grade
    run: Run
    in_gradebook: bool = False
    adjusted: Mapping[str, Mapping[str, float]] = NOTHING

    def brief(self) -> Entry:
        """Return the entry, a tenth of the size: no texts of reasons, and only the last line of a fault."""
        marks = (
            replace(mark, reasons=tuple(Reason(one.name, requirement="", message="") for one in mark.reasons))
            for mark in self.grade.marks
        )
        return self._replace(grade=replace(self.grade, marks=tuple(marks), fault=last_line(self.grade.fault)))


_GRADE, _RUN = TypeAdapter(Grade), TypeAdapter(Run)
_ADJUSTED = TypeAdapter(dict[str, dict[str, float]])


class GradeLog:
    """The grades of a folder, oldest first. The place of a grade is the offset of its line.

    A killed process loses none of them. A damaged line is skipped: its submission is graded again.
    """

    def __init__(self, folder: Path) -> None:
        self._journal = journal.Journal(folder / GRADES)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, entry in self.placed())

    def placed(self, start: int = 0) -> Iterator[tuple[int, Entry]]:
        """Return each entry from a place onwards, with its place."""
        for (_, place, _), record in self._journal.replay(start):
            with suppress(ValidationError):
                run = _RUN.validate_python(record.get("run"))
                adjusted = _ADJUSTED.validate_python(record.get("adjusted", {}))
                yield place, Entry(_GRADE.validate_python(record), run, record.get("in_gradebook") is True, adjusted)

    def at(self, place: int) -> Entry:
        """Return the entry at a place."""
        return next(self.placed(place))[1]

    def add(self, entry: Entry) -> None:
        """Append a grade. Raises OSError if it cannot be written completely; then no part of it is kept."""
        self._journal.append(_record(entry))

    def settle(self, entries: Iterable[Entry]) -> None:
        """Replace all entries by these, which are now in the gradebook."""
        lines = (journal.encode(_record(one._replace(in_gradebook=True))) for one in entries)
        replace_file(self._journal.path, lines)

    def close(self) -> None:
        """Write everything to the disk and close the file."""
        self._journal.close()


def _record(entry: Entry) -> dict[str, object]:
    grade: dict[str, object] = _GRADE.dump_python(entry.grade)
    about = {"run": _RUN.dump_python(entry.run), "in_gradebook": entry.in_gradebook}
    return grade | about | ({"adjusted": entry.adjusted} if entry.adjusted else {})
