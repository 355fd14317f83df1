"""One statement of an audited memory, and one finding about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Role = Literal["instructions", "notes", "records"]
"""What a file is for. `instructions` may give orders; `notes` are an agent's or a person's, `records` anybody's."""
Kind = Literal[
    "missing", "contradiction", "duplicate", "near-duplicate", "instruction", "secret", "unreachable", "over-budget"
]

KINDS: Mapping[Kind, str] = {
    "missing": "names a path, flag, variable, symbol or target that is gone",
    "contradiction": "gives another value for the same thing than an earlier statement",
    "duplicate": "repeats an earlier statement",
    "near-duplicate": "says nearly the same as an earlier statement",
    "instruction": "a record that gives instructions, where only facts belong",
    "secret": "contains a key, token or password",
    "unreachable": "nobody could retrieve it",
    "over-budget": "lies behind the number of tokens that an agent loads",
}
"""The kinds of findings, and what each means."""


class Entry(NamedTuple):
    """A statement: its file, the number of its first line (from 1), its text, and the role of the file.

    In a database the number is that of the row. Code, tables and headings are not prose: they may repeat.
    """

    file: str
    line: int
    text: str
    role: Role
    is_prose: bool = True

    def place_for(self, other: Entry) -> str:
        """Return where this statement is, for a reader of another one: "line 3", or "notes.md:3" in another file."""
        return f"line {self.line}" if self.file == other.file else f"{self.file}:{self.line}"


class Finding(NamedTuple):
    """What is wrong with a statement: where it is, in words, and the evidence. `about` is the name that is wrong."""

    kind: Kind
    file: str
    line: int
    message: str
    evidence: str
    about: str = ""


class Unreadable(NamedTuple):
    """A file that was left out, and why."""

    file: str
    reason: str
