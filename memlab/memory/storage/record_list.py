"""A short list of records in a file: what is in quarantine, what needs a refresh, what is being erased."""

from __future__ import annotations

import errno
import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from memlab.memory.storage.folder import file_state
from memlab.memory.storage.journal import Journal, Record, Sync, json_bytes
from memlab.memory.storage.value_types import has_types

UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}
"""The errors of a folder that can only be read."""


class RecordList:
    """Records with an `id` in one file, which several processes may share; the file is read again only when it changed.

    `required` are the types of the fields that a record must have beside its id. A line that lacks one, or has one of
    another type, was edited by hand: it is ignored and stays in the file.
    """

    def __init__(self, path: Path, sync: Sync = "batch", *, links: bool = False, **required: object) -> None:
        self.path = path
        self._journal = Journal(path, sync, links=links)
        self._required = {"id": str, **required}
        self._seen: tuple[int, ...] = ()
        self._records: list[Record] = []

    def all(self) -> list[Record]:
        """Return the records, oldest first."""
        self._catch_up()
        return list(self._records)

    def under(self, identity: str) -> Sequence[Record]:
        """Return the records with an id, oldest first."""
        self._catch_up()
        return [record for record in self._records if record["id"] == identity]

    def find(self, identity: str) -> Record | None:
        """Return the first record with an id."""
        return next(iter(self.under(identity)), None)

    def add(self, record: Record) -> None:
        """Append a record."""
        with self._journal.lock:
            self._catch_up()
            self._journal.append(record)
            self._remember(json.loads(json.dumps(record)))  # as it will be read
            self._seen = file_state(self.path)

    def add_new(self, record: Record, *fields: str) -> None:
        """Append a record, unless one with its id has equal values in these fields."""

        def is_known() -> bool:
            return any(all(known[name] == record[name] for name in fields) for known in self.under(record["id"]))

        if not is_known():
            with self._journal.lock:
                if not is_known():  # another process may have added it meanwhile
                    self.add(record)

    def add_new_if_writable(self, record: Record, *fields: str) -> None:
        """Append a record as `add_new` does, or do nothing if the folder is read-only."""
        try:
            self.add_new(record, *fields)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise

    def remove(self, ids: Collection[str]) -> None:
        """Remove the records with these ids; one without an id stays."""
        self._journal.remove(lambda record: is_in(ids, record.get("id")))

    def erase(self, ids: Collection[str]) -> None:
        """Remove the records with these ids, and the damaged lines that contain one of them."""
        self._journal.remove(lambda record: is_in(ids, record.get("id")), [json_bytes(one) for one in ids])

    def damaged(self) -> Iterator[Record]:
        """Yield the lines that are not a complete record; see Journal.damaged."""
        return self._journal.damaged(self._is_complete)

    def _catch_up(self) -> None:
        now = file_state(self.path)
        if now != self._seen:
            self._records.clear()
            for _, record in self._journal.replay():
                self._remember(record)
            self._seen = now

    def _is_complete(self, record: Record) -> bool:
        return record.keys() >= self._required.keys() and has_types(record, self._required)

    def _remember(self, record: Record) -> None:
        if self._is_complete(record):
            self._records.append(record)

    def close(self) -> None:
        """Close the file."""
        self._journal.close()


def is_in(ids: Collection[str], identity: object) -> bool:
    """Return whether a value is one of these ids. One edited by hand may be no text, and unhashable."""
    return isinstance(identity, str) and identity in ids
