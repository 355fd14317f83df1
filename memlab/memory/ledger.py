"""A short list that a person reads and clears: what waits in quarantine, and what needs refreshing."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from memlab.memory.journal import Journal, Record


class Ledger:
    """Records with an `id` in one file, which several processes may share; read again only when it has changed."""

    def __init__(self, path: Path) -> None:
        self._journal = Journal(path)
        self._seen: tuple[int, ...] = ()
        self._records: list[Record] = []

    def all(self) -> list[Record]:
        """Give the records, oldest first."""
        try:
            status = self._journal.path.stat()
        except FileNotFoundError:
            return []
        seen = (status.st_ino, status.st_size, status.st_mtime_ns)  # a rewritten file may get an inode again
        if seen != self._seen:
            self._records = [record for _, _, record in self._journal.replay()]
            self._seen = seen
        return list(self._records)

    def find(self, identity: str) -> Record | None:
        """Give the first record with an id."""
        return next((record for record in self.all() if record["id"] == identity), None)

    def add(self, record: Record) -> None:
        """Put a record at the end of the list."""
        self._journal.append(record)

    def strike(self, ids: Collection[str]) -> None:
        """Take the records with these ids off the list for good."""
        if any(record["id"] in ids for record in self.all()):
            self._journal.rewrite(lambda record: None if record["id"] in ids else record)

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()
