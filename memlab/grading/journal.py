"""grades.jsonl: every grade on the disk as soon as it is there, with all that decided it, so that a run can go on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from memlab.grading.files import write_whole
from memlab.grading.grade import Grade
from memlab.grading.run import Run
from memlab.memory import journal

GRADES = "grades.jsonl"


class Entry(NamedTuple):
    """A grade, by what it was given, and whether the last gradebook tells it."""

    grade: Grade
    run: Run
    told: bool = False


_GRADE, _RUN = TypeAdapter(Grade), TypeAdapter(Run)


class Journal:
    """The grades of a folder, in the order in which they were given.

    A killed process loses none of them. A line that is torn or no grade is passed over: what it told is graded again.
    """

    def __init__(self, folder: Path) -> None:
        self._journal = journal.Journal(folder / GRADES)

    def __iter__(self) -> Iterator[Entry]:
        for _, _, record in self._journal.replay():
            with suppress(ValidationError):
                run = _RUN.validate_python(record.get("run"))
                yield Entry(_GRADE.validate_python(record), run, record.get("told") is True)

    def add(self, entry: Entry) -> None:
        """Append a grade. Raises OSError where the disk does not take it whole; then nothing of it is kept."""
        self._journal.append(_record(entry))

    def settle(self, entries: Iterable[Entry]) -> None:
        """Keep these alone, which a gradebook tells now, by the names of their submissions."""
        ordered = sorted(entries, key=lambda one: one.grade.submission)
        lines = (json.dumps(_record(one._replace(told=True))) + "\n" for one in ordered)
        write_whole(self._journal.path, "".join(lines))

    def close(self) -> None:
        """Have all of it on the disk, and let go of the file."""
        self._journal.close()


def _record(entry: Entry) -> dict[str, object]:
    return asdict(entry.grade) | {"run": asdict(entry.run), "told": entry.told}
