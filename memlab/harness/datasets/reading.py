"""Reads a data file and validates its shape; every error names the file, the line and the column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from memlab.harness.datasets.errors import BadDataset
from memlab.harness.scenarios.errors import short_repr

T = TypeVar("T")
Place = Sequence[str | int]
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"PAR1": "Parquet", b"PK\x03\x04": "ZIP", b"\x1f\x8b": "gzip"}
"""The first bytes of files of another kind."""
_BLANK = " \t\r\n"
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class DataFile:
    """The text of one data file. `expected` says in one phrase what the file must be."""

    path: Path
    text: str
    expected: str

    @classmethod
    def read(cls, path: Path, expected: str) -> DataFile:
        """Read a UTF-8 file, with or without a byte order mark. Raises BadDataset, or OSError if it cannot be read."""
        if path.is_dir():
            raise BadDataset(f"{path}: this is a folder. Give the path of one file: {expected}.")
        content = path.read_bytes()
        for mark, kind in _MARKS.items():
            if content.startswith(mark):
                raise BadDataset(
                    f"{path}: this is a {kind} file. Expected: {expected}, as UTF-8 text. {_convert(kind)}"
                )
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            column = error.start - content.rfind(b"\n", 0, error.start)
            raise BadDataset(
                f"{path}:{line}:{column}: byte 0x{content[error.start]:02x} is not UTF-8. "
                f"Expected: {expected}, as UTF-8 text. Save the file as UTF-8, or download it again."
            ) from None
        if not text.strip():
            raise BadDataset(f"{path}: the file is empty. Expected: {expected}. Download it again.")
        return cls(path, text, expected)

    def parse(self, shape: type[T], offset: int = 0, end: int | None = None) -> T:
        """Parse the text, or its part from `offset` to `end`, and validate it against a type. Raises BadDataset."""
        part = self.text[offset:end]
        try:
            value = json.loads(part)
        except json.JSONDecodeError as error:
            raise self._syntax_error(error, offset, part) from None
        except (ValueError, RecursionError) as error:
            raise self.error(offset, f"this is no JSON that can be read ({error}). Download the file again") from None
        return self.validate(value, shape, offset=offset, end=end)

    def validate(self, value: object, shape: type[T], place: Place = (), offset: int = 0, end: int | None = None) -> T:
        """Validate the value at a place of the JSON text in [offset, end) against a type. Raises BadDataset."""
        try:
            return TypeAdapter(shape).validate_python(value, strict=True)
        except ValidationError as invalid:
            first = invalid.errors()[0]
        steps = first["loc"][:-1] if first["type"] == "missing" else first["loc"]
        what = f"{_at([*place, *steps])}{_complaint(first)}"
        raise self.error(offset + _locate(self.text[offset:end], [*place, *steps]), what)

    def parse_lines(self, shape: type[T]) -> Iterable[tuple[int, T]]:
        """Parse and validate each line; yield its offset and its value. Blank lines are skipped."""
        offset = 0
        for line in self.text.split("\n"):
            if line.strip():
                yield offset, self.parse(shape, offset, offset + len(line))
            offset += len(line) + 1

    def error(self, offset: int, what: str) -> BadDataset:
        """Return the error at an offset of the text."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - self.text.rfind("\n", 0, offset)
        return BadDataset(f"{self.path}:{line}:{column}: {what}. Expected: {self.expected}.")

    def error_at(self, place: Place, what: str) -> BadDataset:
        """Return the error at a place of a JSON text, such as [0, "qa", 3]."""
        return self.error(_locate(self.text, place), f"{_at(place)}{what}")

    def _syntax_error(self, error: json.JSONDecodeError, offset: int, part: str) -> BadDataset:
        ended = not part[error.pos :].strip() or error.msg.startswith("Unterminated string")
        why = "the text ends too early, as after an interrupted download" if ended else f"this is not JSON: {error.msg}"
        return self.error(offset + error.pos, f"{why}. Download the file again")


def _convert(kind: str) -> str:
    if kind == "Parquet":
        return "Convert it: `pandas.read_parquet(path).to_json(new_path, orient='records')`, which needs pyarrow."
    return "Save it as UTF-8." if kind == "UTF-16" else "Unpack it first."


def _complaint(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return f"lacks {short_repr(error['loc'][-1])}"
    return f"is {short_repr(error['input'])}: {error['msg'].replace('Input should', 'it must')}"


def _at(place: Place) -> str:
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return f"{steps.lstrip('.') or 'the value'} "


def _locate(text: str, place: Place) -> int:
    """Return the offset of the value at a place of a valid JSON text, or of the nearest one that contains it."""
    offset = _skip_blank(text, 0)
    for step in place:
        found = _member(text, offset, step)
        if found is None:
            break
        offset = found
    return offset


def _member(text: str, offset: int, step: str | int) -> int | None:
    """Return the offset of one member of the object or list that begins at an offset; None if it has none such."""
    is_object = text[offset] == "{"
    if text[offset] not in "{[" or is_object != isinstance(step, str):
        return None
    at, number = _skip_blank(text, offset + 1), 0
    while text[at] not in "]}":
        name: str | int = number
        if is_object:
            name, at = _DECODER.raw_decode(text, at)
            at = _skip_blank(text, _skip_blank(text, at) + 1)
        if name == step:
            return at
        at = _skip_blank(text, _DECODER.raw_decode(text, at)[1])
        at = _skip_blank(text, at + 1) if text[at] == "," else at
        number += 1
    return None


def _skip_blank(text: str, offset: int) -> int:
    while offset < len(text) and text[offset] in _BLANK:
        offset += 1
    return offset
