"""Reads exports and databases: MCP memory files, mem0 exports, LangGraph stores, and the facts of memlab."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from memlab.audit.entry import Entry

HEADER = b"SQLite format 3\0"
_TEXTS = ("memory", "text", "data", "content", "body", "fact", "observation", "detail")
"""The fields of a record that hold its statement, the usual one first."""
_LISTS = ("results", "memories", "entities", "items", "observations")
_QUERIES = {
    "store": "SELECT rowid, value FROM store",  # langgraph.store.sqlite
    "facts": "SELECT row, body FROM facts WHERE superseded_by = ''",  # memlab
    "memories": "SELECT rowid, * FROM memories",
}


class NotARecordError(ValueError):
    """The file has no records in a form that is known; the message says what is there."""


def read_json(file: str, text: str) -> Iterator[Entry]:
    """Yield the statements of a JSON file, or of a file with one JSON object in each line.

    Raises NotARecordError if it is neither, or has no statement.
    """
    place = -1
    for line, value in _values(text):
        for statement in _statements(value):
            place = max(place, _find(statement, text, place + 1))
            yield Entry(file, line or text.count("\n", 0, place) + 1, statement, "records")
    if place < 0 and text.strip():
        raise NotARecordError(f"no record has a field {', '.join(_TEXTS[:3])} or `observations`")


def read_database(file: str, path: Path) -> Iterator[Entry]:
    """Yield the statements of a SQLite database with a known table. It is opened read-only.

    Raises NotARecordError for an unknown or damaged database.
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            known = [query for table, query in _QUERIES.items() if table in tables]
            if not known:
                raise NotARecordError(
                    f"its tables are {', '.join(sorted(tables)) or 'none'}; known: {', '.join(_QUERIES)}"
                )
            for row, *columns in db.execute(known[0]):
                for statement in (one for column in columns for one in _statements(_parsed(column))):
                    yield Entry(file, row, statement, "records")
    except sqlite3.Error as error:
        raise NotARecordError(f"it cannot be read as a database ({error})") from None


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a text with the number of their line, 0 if it is one value."""
    try:
        yield 0, json.loads(text)
    except RecursionError:
        raise NotARecordError("it is nested too deeply") from None
    except ValueError:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        for number, line in lines:
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise NotARecordError(f"line {number} is not JSON ({error})") from None


def _statements(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _statements(one)
    elif isinstance(value, Mapping):
        yield from _of_object(value)


def _of_object(record: Mapping[str, Any]) -> Iterator[str]:
    if record.get("type") == "relation" and {"from", "to", "relationType"} <= record.keys():
        yield f"{record['from']} {record['relationType']} {record['to']}"
        return
    name = record.get("name", "") if "observations" in record else ""
    for field in _LISTS:
        for statement in _statements(record.get(field)) if isinstance(record.get(field), list) else ():
            yield f"{name}: {statement}" if name else statement
    text = next((record[field] for field in _TEXTS if isinstance(record.get(field), str)), None)
    if text is not None:
        yield text
    elif isinstance(record.get("value"), Mapping):
        yield from _statements(record["value"])


def _parsed(column: Any) -> Any:  # noqa: ANN401 - any value of SQLite
    if isinstance(column, bytes):
        column = column.decode("utf-8", "replace")
    try:
        return json.loads(column) if isinstance(column, str) and column[:1] in "{[" else column
    except (ValueError, RecursionError):
        return column


def _find(statement: str, text: str, start: int) -> int:
    """Return where a statement is in a JSON text after a place; that place if it is written in another way there."""
    return max(
        start, text.find(json.dumps(statement), start), text.find(json.dumps(statement, ensure_ascii=False), start)
    )
