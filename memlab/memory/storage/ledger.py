"""A short list that is read and cleared: what waits in quarantine, what needs refreshing, what is being erased."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

from memlab.memory.storage.journal import Journal, Record
from memlab.memory.storage.json_types import has_types


class Ledger:
    """Records with an `id` in one file, which several processes may share; read again only when it has changed.

    `needs` are the types of the fields that a record must have beside its id. A line that lacks one, or has one of
    another type, was put there or edited by hand: it is passed over, and stays.
    """

    def __init__(self, path: Path, **needs: object) -> None:
        self._journal = Journal(path)
        self._needs = needs
        self._seen: tuple[int, ...] = ()
        self._records: list[Record] = []
        self._by_id: defaultdict[str, list[Record]] = defaultdict(list)

    def all(self) -> list[Record]:
        """Give the records, oldest first."""
        self._catch_up()
        return list(self._records)

    def under(self, identity: str) -> Sequence[Record]:
        """Give the records with an id, oldest first."""
        self._catch_up()
        return self._by_id.get(identity, ())

    def find(self, identity: str) -> Record | None:
        """Give the first record with an id."""
        return next(iter(self.under(identity)), None)

    def add(self, record: Record) -> None:
        """Put a record at the end of the list."""
        with self._journal.lock.hold():
            self._catch_up()
            self._journal.append(record)
            self._keep(json.loads(json.dumps(record)))  # as it will be read
            self._seen = self._state()

    def add_new(self, record: Record, *same: str) -> None:
        """Put a record at the end of the list, unless one with its id has the same in these fields."""

        def is_known() -> bool:
            return any(all(known[name] == record[name] for name in same) for known in self.under(record["id"]))

        if not is_known():
            with self._journal.lock.hold():
                if not is_known():  # another process may have been faster
                    self.add(record)

    def remove(self, ids: Collection[str]) -> None:
        """Take the records with these ids off the list for good."""
        if any(record["id"] in ids for record in self.all()):
            self._journal.rewrite(lambda record: None if str(record.get("id")) in ids else record)

    def _catch_up(self) -> None:
        state = self._state()
        if state != self._seen:
            self._records.clear()
            self._by_id.clear()
            for _, _, record in self._journal.replay():
                self._keep(record)
            self._seen = state

    def _keep(self, record: Record) -> None:
        if isinstance(record.get("id"), str) and record.keys() >= self._needs.keys() and has_types(record, self._needs):
            self._records.append(record)
            self._by_id[record["id"]].append(record)

    def _state(self) -> tuple[int, ...]:
        try:
            status = self._journal.path.stat()
        except FileNotFoundError:
            return ()
        return status.st_ino, status.st_size, status.st_mtime_ns  # a rewritten file may get an inode again

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()
