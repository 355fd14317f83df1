"""Shortens a long tool result: a summary of a table, the two ends of an output, the beginning of any other text."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from io import StringIO
from math import ceil

from memlab.memory.context import TokenCounter, count_tokens, largest_that_fits, one_line

MAX_TOKENS = 500
"""In tokens: a result of at most this length is not changed."""
MOST_LINES, FIRST, LAST = 50, 25, 10
"""An output of more than 50 lines keeps its first 25 and last 10 lines, if they fit."""
LEAST_ROWS, SHOWN, LONGEST_CELL = 3, 6, 80
"""A table has at least three rows; its summary shows six, first and last ones, and 80 characters of each cell."""
_NAME = re.compile(r"[^\W\d][\w .()/%#$-]{0,39}")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_RULED = re.compile(r"[-=+|: ]+")
_PIPE = re.compile(r"(?<!\\)\|")
_WORD = re.compile(r"\S+")
_COLUMN = re.compile(r"x+(?: x+)*")
_Table = Sequence[Sequence[str]]
"""Rows of cells; the first has the names of the columns."""


def compress(result: str, limit: int = MAX_TOKENS, count: TokenCounter = count_tokens) -> str:
    """Return a tool's result in at most `limit` tokens by any counter; a result that fits is not changed.

    A table becomes a summary: its columns, the number of its rows, the range of each numeric column, and the first and
    last rows. A table is a whole text that is a JSON list of objects; a markdown table; CSV (`,` or `;`) or TSV; or
    columns separated by two or more blanks in every line. The last two need a line of column names first.
    Any other output of more than 50 lines keeps its first 25 and last 10, or as many in this proportion as fit. Other
    text is cut after a word, or within a word that is too long by itself. A line says how much was left out.
    Raises ValueError if the limit is negative.
    """
    if limit < 0:
        raise ValueError(
            f"limit {limit}: a result takes 0 tokens or more; give the limit in tokens, such as {MAX_TOKENS}"
        )
    if count(result) <= limit:
        return result
    table, lines = _table(result), result.strip("\n").split("\n")
    if table:
        most, least, shorten = min(SHOWN, len(table) - 1), 0, partial(_summary, table)
    elif len(lines) > MOST_LINES:
        most, least, shorten = FIRST + LAST, 1, partial(_ends, lines)
    else:
        return _cut(result, limit, count)
    kept = largest_that_fits(most, lambda kept: count(shorten(kept)) <= limit)
    return shorten(kept) if kept >= least else _cut(_summary(table, 0) if table else result, limit, count)


def _ends(lines: Sequence[str], kept: int) -> str:
    first = ceil(kept * FIRST / (FIRST + LAST))
    last = lines[len(lines) - (kept - first) :]
    return "\n".join([*lines[:first], f"({len(lines) - kept} lines left out)", *last])


def _cut(text: str, limit: int, count: TokenCounter) -> str:
    """Keep as many words as fit, or as many characters if no word fits."""

    def cut_at(end: int) -> str:
        left = f"({len(text) - end} characters left out)"
        return f"{text[:end]}\n{left}" if end else left

    ends = [word.end() for word in _WORD.finditer(text)]
    words = largest_that_fits(len(ends) - 1, lambda number: count(cut_at(ends[number])) <= limit)
    if words >= 0:
        return cut_at(ends[words])
    letters = largest_that_fits(len(text), lambda number: count(cut_at(number)) <= limit)
    return cut_at(letters) if letters >= 0 else ""


def _summary(table: _Table, shown: int) -> str:
    columns, *rows = table
    lines = [f"table of {len(rows)} rows and {len(columns)} columns: {' | '.join(columns)}"]
    for name, *cells in zip(*table, strict=True):
        numbers = [cell for cell in cells if cell]
        if numbers and all(map(_NUMBER.fullmatch, numbers)):
            numbers.sort(key=float)
            lines.append(f"{name} from {numbers[0]} to {numbers[-1]}")
    first = ceil(shown / 2)
    places = [*range(first), *range(len(rows) - (shown - first), len(rows))]
    lines += [f"row {place + 1}: {' | '.join(map(_short, rows[place]))}" for place in places]
    return "\n".join([*lines, *([f"({len(rows) - shown} rows left out)"] if shown < len(rows) else [])])


def _short(cell: str) -> str:
    return cell if len(cell) <= LONGEST_CELL else f"{cell[:LONGEST_CELL]}..."


def _table(text: str) -> _Table | None:
    """Return a text as a table, None if it is no table; each cell is one line."""
    separated = (partial(_separated, mark=mark) for mark in ",;\t")
    readers: list[Callable[[str], list[list[str]]]] = [_objects, _markdown, *separated, _aligned]
    for read in readers:
        rows = read(text)
        if len(rows) > LEAST_ROWS and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            return [[one_line(cell) for cell in row] for row in rows]
    return None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _objects(text: str) -> list[list[str]]:
    """Read a JSON list of objects; their fields are the columns."""
    try:
        items = json.loads(text) if text.lstrip().startswith("[") else []
    except (ValueError, RecursionError):
        return []
    if not all(isinstance(item, dict) for item in items):
        return []
    names = list(dict.fromkeys(name for item in items for name in item))
    cells = [[item.get(name, "") for name in names] for item in items]
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
    return rows if rows and _has_names(rows[0]) else []


def _aligned(text: str) -> list[list[str]]:
    """Split lines at columns of two or more blanks; a line that only underlines the names is left out."""
    lines = [line.expandtabs() for line in _lines(text) if not _RULED.fullmatch(line)]
    covered = bytearray(b" " * max(map(len, lines), default=0))
    for line in lines:
        for word in _WORD.finditer(line):
            covered[word.start() : word.end()] = b"x" * len(word.group())
    spans = [found.span() for found in _COLUMN.finditer(covered.decode())]
    rows = [[line[start:end].strip() for start, end in spans] for line in lines]
    return rows if rows and _has_names(rows[0]) else []


def _has_names(cells: Sequence[str]) -> bool:
    """Return whether the cells of a first line can be the names of columns."""
    return len(set(cells)) == len(cells) and all(_NAME.fullmatch(cell.strip()) for cell in cells)
