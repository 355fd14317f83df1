"""A long tool result, made short: what a table holds, the ends of an output, the beginning of anything else."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from io import StringIO
from math import ceil

from memlab.memory.context import Counter, count_tokens, largest_that_fits, one_line

LONGEST = 500
"""A result of no more tokens stays as it is."""
MOST_LINES, FIRST, LAST = 50, 25, 10
"""An output of more than 50 lines keeps its first 25 and its last 10, where they fit."""
LEAST_ROWS, SHOWN, LONGEST_CELL = 3, 6, 80
"""A table has at least three rows; a summary shows six, the first and the last, and of each cell 80 letters."""
_NAME = re.compile(r"[^\W\d][\w .()/%#$-]{0,39}")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_RULED = re.compile(r"[-=+|: ]+")
_PIPE = re.compile(r"(?<!\\)\|")
_WORD = re.compile(r"\S+")
_COLUMN = re.compile(r"x+(?: x+)*")


@dataclass(frozen=True, slots=True)
class _Table:
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def compress(result: str, limit: int = LONGEST, count: Counter = count_tokens) -> str:
    """Give a tool's result in at most `limit` tokens, whatever the counter; what fits stays as it is.

    A table becomes a summary: its columns, the number of its rows, the range of each column of numbers, and the first
    and last rows. A table is, from its first line to its last: a JSON list of objects; a markdown table; CSV (`,` or
    `;`) or TSV; or columns that two or more blanks set apart in every line. The last two begin with a line of names.
    Any other output of more than 50 lines keeps its first 25 and its last 10, or as many in this proportion as fit.
    The rest is cut behind a word, or within one that is too long by itself. A line says how much was left out.
    Raises ValueError if the limit is negative.
    """
    if limit < 0:
        raise ValueError(f"limit {limit}: a result takes 0 tokens or more; give the limit in tokens, such as {LONGEST}")
    if count(result) <= limit:
        return result
    table, lines = _table(result), result.strip("\n").split("\n")
    if table is None and len(lines) <= MOST_LINES:
        return _cut(result, limit, count)
    most = min(SHOWN, len(table.rows)) if table else FIRST + LAST

    def shorter(kept: int) -> str:
        return _summary(table, kept) if table else _ends(lines, kept)

    kept = largest_that_fits(most, lambda kept: count(shorter(kept)) <= limit)
    if table and kept < 0:
        return _cut(shorter(0), limit, count)
    return shorter(kept) if table or kept > 0 else _cut(result, limit, count)


def _ends(lines: Sequence[str], kept: int) -> str:
    first = ceil(kept * FIRST / (FIRST + LAST))
    last = lines[len(lines) - (kept - first) :]
    return "\n".join([*lines[:first], f"({len(lines) - kept} lines left out)", *last])


def _cut(text: str, limit: int, count: Counter) -> str:
    """Keep as many words as fit, or else as many letters."""

    def until(end: int) -> str:
        left = f"({len(text) - end} characters left out)"
        return f"{text[:end]}\n{left}" if end else left

    ends = [0, *(word.end() for word in _WORD.finditer(text))]
    words = largest_that_fits(len(ends) - 1, lambda number: count(until(ends[number])) <= limit)
    if words > 0:
        return until(ends[words])
    letters = largest_that_fits(len(text), lambda number: count(until(number)) <= limit)
    return until(letters) if letters >= 0 else ""


def _summary(table: _Table, shown: int) -> str:
    lines = [f"table of {len(table.rows)} rows and {len(table.columns)} columns: {' | '.join(table.columns)}"]
    for name, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        numbers = sorted((cell for cell in cells if cell), key=_value)
        if numbers and all(map(_NUMBER.fullmatch, numbers)):
            lines.append(f"{name} from {numbers[0]} to {numbers[-1]}")
    first = ceil(shown / 2)
    places = [*range(first), *range(len(table.rows) - (shown - first), len(table.rows))]
    lines += [f"row {place + 1}: {' | '.join(map(_short, table.rows[place]))}" for place in places]
    return "\n".join([*lines, *([f"({len(table.rows) - shown} rows left out)"] if shown < len(table.rows) else [])])


def _short(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}..."


def _value(cell: str) -> float:
    return float(cell) if _NUMBER.fullmatch(cell) else 0.0


def _table(text: str) -> _Table | None:
    """Read a text as a table, if it is one; cells are put on one line."""
    separated = [partial(_separated, mark=mark) for mark in ",;\t"]
    readers: list[Callable[[str], list[list[str]]]] = [_objects, _markdown, *separated, _aligned]
    for read in readers:
        rows = read(text)
        if len(rows) > LEAST_ROWS and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            names, *cells = [[one_line(cell) for cell in row] for row in rows]
            return _Table(names, cells)
    return None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _objects(text: str) -> list[list[str]]:
    """Read a JSON list of objects; their fields are the columns."""
    try:
        told = json.loads(text) if text.lstrip().startswith("[") else []
    except (ValueError, RecursionError):
        return []
    if not all(isinstance(one, dict) for one in told):
        return []
    names = list(dict.fromkeys(name for one in told for name in one))
    cells = [[one.get(name, "") for name in names] for one in told]
    return [names, *([cell if isinstance(cell, str) else json.dumps(cell) for cell in row] for row in cells)]


def _markdown(text: str) -> list[list[str]]:
    lines = _lines(text)
    rows = [_PIPE.split(line.strip().removesuffix("|"))[1:] for line in lines if line.lstrip().startswith("|")]
    ruled = len(lines) > 1 and "-" in lines[1] and _RULED.fullmatch(lines[1].strip())
    return rows[:1] + rows[2:] if ruled and len(rows) == len(lines) else []


def _separated(text: str, mark: str) -> list[list[str]]:
    try:
        rows = [row for row in csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True) if row]
    except csv.Error:
        return []
    return rows if rows and _named(rows[0]) else []


def _aligned(text: str) -> list[list[str]]:
    """Split lines where all of them have two blanks or more; a line that only underlines the names is left out."""
    lines = [line.expandtabs() for line in _lines(text) if not _RULED.fullmatch(line)]
    held = bytearray(b" " * max(map(len, lines), default=0))
    for line in lines:
        for word in _WORD.finditer(line):
            held[word.start() : word.end()] = b"x" * len(word.group())
    spans = [found.span() for found in _COLUMN.finditer(held.decode())]
    rows = [[line[start:end].strip() for start, end in spans] for line in lines]
    return rows if rows and _named(rows[0]) else []


def _named(cells: Sequence[str]) -> bool:
    """Tell whether the cells of a first line can be the names of columns."""
    return len(set(cells)) == len(cells) and all(_NAME.fullmatch(cell.strip()) for cell in cells)
