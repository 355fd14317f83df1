"""Reads the rows of a CSV file that an instructor wrote in an editor or a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 5_000_000
DELIMITERS = ",;\t"


class BadTable(ValueError):
    """A CSV file is invalid: the message names the file, the line, what is there, and what is valid."""


def read_rows(path: Path, error_type: type[BadTable], content: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty, with their numbers; a comma, a semicolon or a tab separates the cells.

    `content` says what the file should have, for the errors, which are of `error_type`.
    """
    text = _read_text(path, error_type, content)
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise error_type(f"{path}, line {reader.line_num}: {error}. Close the quotes.") from None


def refuse_extra_cells(
    path: Path, error_type: type[BadTable], row: tuple[int, list[str]], head: tuple[int, list[str]]
) -> None:
    """Raise an error if a row has more cells than the line with the columns."""
    (number, cells), (line, columns) = row, head
    if len(cells) > len(columns):
        raise error_type(
            f"{path}, line {number}: {len(cells)} cells, but line {line} has {len(columns)} columns. "
            "Put quotes around a cell that contains the separator."
        )


def _read_text(path: Path, error_type: type[BadTable], content: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise error_type(f"{path} cannot be read ({error.strerror}). Name a CSV file with {content}.") from None
    except UnicodeDecodeError as error:
        raise error_type(f"{path}: byte {error.start} is not UTF-8. Save the file as CSV in UTF-8.") from None
    if len(data) > MAX_BYTES:
        raise error_type(f"{path}: more than {MAX_BYTES:,} bytes, expected a line for each student.")
    return text
