"""Reads a memory into entries, whatever its form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memlab.audit.entry import Entry, Role, Unreadable
from memlab.audit.files import memory_files
from memlab.audit.markdown import read_markdown
from memlab.audit.records import HEADER, NotARecordError, read_database, read_json


def read(path: Path) -> tuple[list[Entry], list[Unreadable]]:
    """Return the entries of a file or folder, and the files that were left out. Raises OSError if it is not there."""
    path.stat()
    entries, unreadable = list[Entry](), list[Unreadable]()
    for file, place, role in memory_files(path, unreadable):
        try:
            entries += _entries(file, place, role)
        except NotARecordError as error:
            unreadable.append(Unreadable(place, str(error)))
        except OSError as error:
            unreadable.append(Unreadable(place, f"it cannot be read ({error.strerror})"))
    return entries, unreadable


def _entries(file: Path, place: str, role: Role) -> Iterator[Entry]:
    content = file.read_bytes()
    if content.startswith(HEADER):
        yield from read_database(place, file)
        return
    if b"\0" in content[:8192]:
        raise NotARecordError("it is a binary file")
    text = content.decode("utf-8-sig", "replace")
    yield from read_json(place, text) if role == "records" else read_markdown(place, text, role)
