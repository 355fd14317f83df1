"""Facts in SQLite: provenance, versions and full-text search in one file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.memory.relevance import words
from memlab.memory.semantic import Fact, MayReplace, fold
from memlab.memory.trust import NOT_TRUSTED, Provenance, may_replace

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, about TEXT NOT NULL, subject TEXT NOT NULL,
    description TEXT NOT NULL, body TEXT NOT NULL, type TEXT NOT NULL,
    source TEXT NOT NULL, session TEXT NOT NULL, time REAL NOT NULL, derived_from TEXT NOT NULL,
    trust INTEGER NOT NULL, superseded_by TEXT NOT NULL DEFAULT '', erased INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS by_name ON facts (name);
CREATE INDEX IF NOT EXISTS by_subject ON facts (subject) WHERE subject != '';
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, row);
"""
_PICK = (
    "SELECT name, body, description, type, about, source, session, time, id, derived_from, trust, superseded_by "
    "FROM facts "
)


class FactTable:
    """The fact store in one SQLite file, made when the first fact is written; several processes may share it."""

    def __init__(self, path: Path, replaces: MayReplace = may_replace) -> None:
        self.path = path
        self._replaces = replaces
        self._opened: sqlite3.Connection | None = None

    def put(self, fact: Fact) -> None:
        """See FactStore.put."""
        with self._db() as db:
            db.execute("BEGIN IMMEDIATE")
            origin = fact.origin
            about = (fact.about, fold(fact.about))
            said = (origin.source, origin.session, origin.time, json.dumps(origin.derived_from), fact.rank)
            added = db.execute(
                "INSERT OR IGNORE INTO facts (id, name, about, subject, description, body, type, source, session, "
                "time, derived_from, trust, superseded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (fact.id, fact.name, *about, fact.description, fact.body, fact.type, *said, fact.superseded_by),
            )
            if not added.rowcount:
                return
            db.execute("INSERT INTO words (rowid, stems) VALUES (?, ?)", (added.lastrowid, " ".join(words(fact.key))))
            if not fact.superseded_by:
                beaten = [(fact.id, old.id) for old in self._rivals(db, fact) if self._replaces(fact.rank, old.rank)]
                db.executemany("UPDATE facts SET superseded_by = ? WHERE id = ?", beaten)

    def get(self, identity: str) -> Fact | None:
        """See FactStore.get."""
        return next(iter(self._pick("WHERE id = ? AND NOT erased", identity)), None)

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """See FactStore.search."""
        if not question or not self._exists():
            return []
        match = " OR ".join(f'"{word}"' for word in question)
        found: list[Fact] = []
        for trusted in (True, False):
            found += self._pick(
                "JOIN words ON words.rowid = facts.row WHERE words MATCH ? AND (superseded_by != '') = ? "
                "AND NOT erased AND (trust > ?) = ? ORDER BY words.rank, row DESC LIMIT ?",
                *(match, retired, NOT_TRUSTED, trusted, limit),
            )
        return found

    def rivals(self, fact: Fact) -> list[Fact]:
        """See FactStore.rivals."""
        return self._rivals(self._db(), fact) if self._exists() else []

    def history(self, name: str) -> list[Fact]:
        """See FactStore.history."""
        return self._pick("WHERE name = ? AND NOT erased ORDER BY row", name)

    def as_of(self, time: float) -> list[Fact]:
        """See FactStore.as_of."""
        return self._pick(
            "WHERE time <= ? AND NOT erased AND NOT EXISTS (SELECT 1 FROM facts AS later "
            "WHERE later.id = facts.superseded_by AND later.time <= ?) ORDER BY row",
            *(time, time),
        )

    def derived(self, ids: Collection[str]) -> set[str]:
        """See FactStore.derived."""
        if not self._exists():
            return set()
        rows = self._db().execute("SELECT id, derived_from FROM facts WHERE derived_from != '[]'")
        return {identity for identity, restates in rows if not set(ids).isdisjoint(json.loads(restates))}

    def erase(self, ids: Collection[str]) -> None:
        """See FactStore.erase. The words leave the file as well, not only the table."""
        if not self._exists() or not ids:
            return
        db = self._db()
        doomed = [(identity,) for identity in ids]
        with db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany("DELETE FROM words WHERE rowid = (SELECT row FROM facts WHERE id = ?)", doomed)
            db.executemany(
                "UPDATE facts SET erased = 1, name = '', about = '', subject = '', description = '', body = '', "
                "type = '', derived_from = '[]' WHERE id = ?",
                doomed,
            )
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint (TRUNCATE)")

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """See FactStore.frequency."""
        if not self._exists():
            return {}, 0
        rows = self._db().execute(
            "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps([*question]),),
        )
        return dict(rows.fetchall()), self._db().execute("SELECT count(*) FROM facts").fetchone()[0]

    def close(self) -> None:
        """See FactStore.close."""
        if self._opened:
            self._opened.close()
            self._opened = None

    def _rivals(self, db: sqlite3.Connection, fact: Fact) -> list[Fact]:
        subject = fold(fact.about)
        rows = db.execute(
            _PICK
            + "WHERE (name = ? OR (subject = ? AND subject != '')) AND superseded_by = '' AND NOT erased AND id != ? "
            "ORDER BY trust DESC, row DESC",
            (fact.name, subject, fact.id),
        )
        return [_fact(row) for row in rows]

    def _pick(self, where: str, *values: Any) -> list[Fact]:  # noqa: ANN401 - whatever SQLite takes
        if not self._exists():
            return []
        return [_fact(row) for row in self._db().execute(_PICK + where, values)]

    def _exists(self) -> bool:
        return self._opened is not None or self.path.exists()

    def _db(self) -> sqlite3.Connection:
        if self._opened is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._opened = sqlite3.connect(self.path, isolation_level=None, timeout=30)
            # a killed process loses nothing that was committed; only a power cut could
            self._opened.executescript(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;" + _SCHEMA
            )
        return self._opened


def _fact(row: Sequence[Any]) -> Fact:
    name, body, description, kind, about, source, session, time, identity, derived, trust, superseded_by = row
    origin = Provenance(source, session, time, identity, tuple(json.loads(derived)))
    return Fact(name, body, description, kind, about, origin, trust, superseded_by)
