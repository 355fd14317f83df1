"""JSON records by key in one append-only file: how these rows survive a restart."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class Records(MutableMapping[str, Record]):
    """A mapping that writes each change as a line; a change is in the file when the call returns."""

    def __init__(self, path: Path) -> None:
        self._records: dict[str, Record] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                key, record, stays = json.loads(line)
                if not stays:
                    self._records.pop(key, None)
                if record is not None:
                    self._records[key] = record
        self._file = path.open("ab", buffering=0)
        weakref.finalize(self, self._file.close)

    def __getitem__(self, key: str) -> Record:
        return self._records[key]

    def __setitem__(self, key: str, record: Record) -> None:
        """Store a record; one that is replaced moves to the end."""
        self._records.pop(key, None)
        self._records[key] = record
        self._write(key, record)

    def __delitem__(self, key: str) -> None:
        del self._records[key]
        self._write(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def change(self, key: str, **fields: object) -> None:
        """Change fields of a record at its place."""
        self._records[key] |= fields
        self._write(key, self._records[key], stays=True)

    def _write(self, key: str, record: Record | None, *, stays: bool = False) -> None:
        self._file.write(json.dumps([key, record, stays]).encode() + b"\n")
