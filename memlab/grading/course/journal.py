"""grades.jsonl: every grade on the disk as soon as it is there, with all that decided it, so that a run can go on.

A grade tells every call before every wrong answer: those of a whole class are never in memory at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from memlab.grading.course.run import Run
from memlab.grading.grade import Grade, Reason
from memlab.grading.reports.messages import last_line
from memlab.memory.storage import journal

GRADES = "grades.jsonl"


class Entry(NamedTuple):
    """A grade, by what it was given, and whether the last gradebook tells it."""

    grade: Grade
    run: Run
    in_gradebook: bool = False

    def brief(self) -> Entry:
        """Leave out the words of the reasons, and all but the last line of a fault: it is a tenth of the memory."""
        marks = (
            replace(mark, reasons=tuple(Reason(one.name, requirement="", message="") for one in mark.reasons))
            for mark in self.grade.marks
        )
        return self._replace(grade=replace(self.grade, marks=tuple(marks), fault=last_line(self.grade.fault)))


_GRADE, _RUN = TypeAdapter(Grade), TypeAdapter(Run)


class Journal:
    """The grades of a folder, in the order in which they were given; each has a place, where its line begins.

    A killed process loses none of them. A line that is torn or no grade is passed over: what it told is graded again.
    """

    def __init__(self, folder: Path) -> None:
        self._journal = journal.Journal(folder / GRADES)

    def __iter__(self) -> Iterator[Entry]:
        return (entry for _, entry in self.placed())

    def placed(self, start: int = 0) -> Iterator[tuple[int, Entry]]:
        """Give each entry with its place, from a place on."""
        for place, _, record in self._journal.replay(start):
            with suppress(ValidationError):
                run = _RUN.validate_python(record.get("run"))
                yield place, Entry(_GRADE.validate_python(record), run, record.get("in_gradebook") is True)

    def at(self, place: int) -> Entry:
        """Give the entry at a place."""
        return next(self.placed(place))[1]

    def add(self, entry: Entry) -> None:
        """Append a grade. Raises OSError where the disk does not take it whole; then nothing of it is kept."""
        self._journal.append(_record(entry))

    def settle(self, entries: Iterable[Entry]) -> None:
        """Keep these alone, which a gradebook tells now."""
        path = self._journal.path
        fresh = path.with_name(f".{path.name}.new")
        with fresh.open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(_record(one._replace(in_gradebook=True))) + "\n" for one in entries)
        fresh.replace(path)

    def close(self) -> None:
        """Have all of it on the disk, and let go of the file."""
        self._journal.close()


def _record(entry: Entry) -> dict[str, object]:
    grade: dict[str, object] = _GRADE.dump_python(entry.grade)
    return grade | {"run": _RUN.dump_python(entry.run), "in_gradebook": entry.in_gradebook}
