"""From the entries of an audit to statements: what each says, for which store, under which name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

from memlab.audit.entry import Entry
from memlab.memory.storage import frontmatter
from memlab.memory.text import Refused, slug

Store = Literal["rule", "fact", "episode", "skill"]
LOG, SKILL, INDEX = "episodes.jsonl", "SKILL.md", "MEMORY.md"
"""Files of memlab and of the labs: the log, a skill in its folder, the index of a folder of notes."""
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^\s*#{1,6}\s+(.+?)\s*#*$")
_LINK = re.compile(r"^\s*[-*+]\s+\[[^\]]+\]\([^)]+\.md\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_WORD = re.compile(r"\w{2}")
_FIELDS = "SELECT row, name, description, type, about FROM facts"


class Statement(NamedTuple):
    """One statement: its place, its text, and the store for it. A header of the file may have given it a name."""

    file: str
    line: int
    text: str
    store: Store = "fact"
    name: str = ""
    description: str = ""
    type: str = ""
    about: str = ""


def statements(path: Path, entries: Sequence[Entry]) -> Iterator[Statement]:
    """Yield the statements of a memory at a path. Raises OSError if a file is gone since its entries were read."""
    for place, of_file in groupby(entries, key=lambda entry: entry.file):
        yield from _of_file(path / place if path.is_dir() else path, list(of_file))


def _of_file(file: Path, entries: Sequence[Entry]) -> Iterator[Statement]:
    first = entries[0]
    if first.role == "records":
        yield from _of_records(file, entries)
    elif first.line == 1 and first.text.strip() == "---":
        header, body = frontmatter.read(file)
        yield _of_page(file, first.file, header, body)
    else:
        yield from _of_text(file.name, entries)


def _of_records(file: Path, entries: Sequence[Entry]) -> Iterator[Statement]:
    store: Store = "episode" if file.name == LOG else "fact"
    fields = _fact_fields(file)
    for entry in entries:
        yield Statement(entry.file, entry.line, entry.text, store, *fields.get(entry.line, ()))


def _fact_fields(file: Path) -> dict[int, tuple[str, str, str, str]]:
    """Return name, description, type and subject of each row, if the file is the database of a memlab memory."""
    if file.suffix == ".db":
        try:
            with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as db:
                return {row: (name, text, kind, about) for row, name, text, kind, about in db.execute(_FIELDS)}
        except sqlite3.Error:  # a database of another product
            pass
    return {}


def _of_page(file: Path, place: str, header: dict[str, str], body: str) -> Statement:
    """Return the one statement of a file with a header. A name that is no slug becomes part of the description."""
    name, description = header.get("name", ""), header.get("description", "")
    try:
        name = slug(name) if name else ""
    except Refused:
        name, description = "", f"{name} {description}"
    kind = header.get("type", header.get("metadata.type", ""))
    return Statement(place, 1, body.strip(), "skill" if file.name == SKILL else "fact", name, description, kind)


def _of_text(file: str, entries: Sequence[Entry]) -> Iterator[Statement]:
    """Yield a statement for each list item and paragraph, and for each table and block of code as a whole."""
    heading, block = "", list[Entry]()
    for entry in [*entries, None]:
        if block and (entry is None or entry.is_prose or entry.line != block[-1].line + 1):
            yield from _statement("\n".join(one.text for one in block), block[0], heading, "fact")
            block = []
        if entry is None or (file == INDEX and _LINK.match(entry.text)):
            continue
        if title := _HEADING.match(entry.text):
            heading = title[1]
        elif not entry.is_prose:
            block.append(entry)
        else:
            is_rule = entry.role == "instructions" and _MARK.match(entry.text)
            text = " ".join(_MARK.sub("", entry.text).split())
            yield from _statement(text, entry, heading, "rule" if is_rule else "fact")


def _statement(text: str, entry: Entry, heading: str, store: Store) -> Iterator[Statement]:
    text = _COMMENT.sub("", text).strip()
    if _WORD.search(text):
        yield Statement(entry.file, entry.line, text, store, description=heading)
