"""The table `memories` of the lesson (document 001), and the same with checks before a fact is added."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memlab.memory.heuristics.injection import is_instruction
from memlab.systems.documents.parts.encoder import VectorIndex, hash512
from memlab.systems.documents.parts.same_subject import SAME_FACT, SAME_SUBJECT, is_other_value

DEFAULT_IMPORTANCE = 0.5
"""[s] The importance of a fact that nobody has rated; it has a minimum of 0 and a maximum of 1."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS memories (
    id INTEGER PRIMARY KEY,
    fact TEXT NOT NULL,
    provenance TEXT NOT NULL,
    created_at REAL NOT NULL,
    importance REAL NOT NULL DEFAULT 0.5,
    superseded_by INTEGER,
    embedding TEXT NOT NULL
)
"""
"""[s] Provenance is JSON {type, session, quote}; the embedding is a JSON list, of all-MiniLM-L6-v2 in the document and
here of counts, which are exact. A query is compared by brute force, which the document has for a few thousand facts."""
Provenance = dict[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """One fact of the table."""

    id: int
    fact: str
    provenance: Provenance
    created_at: float
    importance: float


class FactTable:
    """Facts are added; nothing is updated or deleted. The active rows are also in an index in memory."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute("PRAGMA synchronous = off")
        self._db.execute(SCHEMA)
        self._index = VectorIndex()
        self._active: dict[str, Row] = {}
        for row in self.all_active():
            self._remember(row)

    def add(
        self, fact: str, provenance: Provenance, importance: float = DEFAULT_IMPORTANCE, subject: str = ""
    ) -> int | None:
        """Add a fact; return its id."""
        record = provenance | ({"subject": subject} if subject else {})
        embedding = json.dumps(hash512(fact).astype(int).tolist())
        values = (fact, json.dumps(record), self._clock(), importance, embedding)
        insert = "INSERT INTO memories (fact, provenance, created_at, importance, embedding) VALUES (?, ?, ?, ?, ?)"
        identity = self._db.execute(insert, values).lastrowid
        assert identity is not None  # noqa: S101 - an INSERT has an id
        self._remember(Row(identity, fact, record, values[2], importance))
        return identity

    def nearest(self, query: str, k: int) -> list[tuple[Row, float]]:
        """Return at most k active facts with their cosines, the nearest first; of equal ones the newer."""
        return [(self._active[key], score) for key, score in self._index.nearest(query, k)]

    def all_active(self) -> Iterator[Row]:
        """Yield the rows that nothing superseded, the oldest first."""
        select = "SELECT id, fact, provenance, created_at, importance FROM memories WHERE superseded_by IS NULL"
        for identity, fact, provenance, created_at, importance in self._db.execute(f"{select} ORDER BY id"):
            yield Row(identity, fact, json.loads(provenance), created_at, importance)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _remember(self, row: Row) -> None:
        self._active[str(row.id)] = row
        self._index.put(str(row.id), row.fact)


class CheckedFacts(FactTable):
    """A repeated fact is dropped, an instruction refused, and an older value of the same subject superseded."""

    def add(
        self, fact: str, provenance: Provenance, importance: float = DEFAULT_IMPORTANCE, subject: str = ""
    ) -> int | None:
        """Add a fact unless it repeats one; return the id of the fact that says it, None if it is an instruction."""
        if is_instruction(fact):
            return None
        near = self.nearest(fact, 1)
        if near and near[0][1] >= SAME_FACT and not is_other_value(near[0][0].fact, fact):
            same = near[0][0]
            self._db.execute("UPDATE memories SET importance = max(importance, ?) WHERE id = ?", (importance, same.id))
            return same.id
        older = [row for row in self._active.values() if subject and row.provenance.get("subject") == subject]
        if near and near[0][1] >= SAME_SUBJECT and is_other_value(near[0][0].fact, fact):
            older.append(near[0][0])
        identity = super().add(fact, provenance, importance, subject)
        for row in older:
            self._db.execute("UPDATE memories SET superseded_by = ? WHERE id = ?", (identity, row.id))
            self._active.pop(str(row.id), None)
            self._index.remove(str(row.id))
        return identity
