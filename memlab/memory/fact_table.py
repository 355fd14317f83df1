"""Facts in SQLite: provenance, versions and full-text search in one file."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.memory.naming import fold
from memlab.memory.relevance import words
from memlab.memory.semantic import Fact, MayReplace, successor
from memlab.memory.trust import Provenance, may_replace
from memlab.memory.word_index import WordIndex

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, about TEXT NOT NULL, subject TEXT NOT NULL,
    description TEXT NOT NULL, body TEXT NOT NULL, type TEXT NOT NULL,
    source TEXT NOT NULL, session TEXT NOT NULL, time REAL NOT NULL, derived_from TEXT NOT NULL,
    trust INTEGER NOT NULL, superseded_by TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tombstones (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_name ON facts (name);
CREATE INDEX IF NOT EXISTS by_subject ON facts (subject) WHERE subject != '';
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, tokenize = "unicode61 remove_diacritics 0");
"""
_PICK = (
    "SELECT name, body, description, type, about, source, session, time, id, derived_from, trust, superseded_by "
    "FROM facts "
)


class FactTable:
    """The fact store in one SQLite file, made when the first fact is written; several processes may share it."""

    def __init__(self, path: Path, replaces: MayReplace = may_replace) -> None:
        self._index = WordIndex(path, "facts", _SCHEMA)
        self._replaces = replaces

    def put(self, fact: Fact) -> None:
        """See FactStore.put."""
        with self._index.db as db:
            db.execute("BEGIN IMMEDIATE")
            if db.execute("SELECT 1 FROM tombstones WHERE id = ?", (fact.id,)).fetchone():
                return
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
                beaten = [(fact.id, old.id) for old in self.rivals(fact) if self._replaces(fact.rank, old.rank)]
                db.executemany("UPDATE facts SET superseded_by = ? WHERE id = ?", beaten)

    def get(self, identity: str) -> Fact | None:
        """See FactStore.get."""
        return next(iter(self._pick("WHERE id = ?", identity)), None)

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """See FactStore.search."""
        if not self._index:
            return []
        found = f"JOIN words ON words.rowid = facts.row WHERE superseded_by {'!=' if retired else '='} ''"
        return [_fact(row) for row in self._index.search(_PICK + found, question, limit)]

    def rivals(self, fact: Fact) -> list[Fact]:
        """See FactStore.rivals."""
        return self._others(fact, "superseded_by = '' ORDER BY trust DESC, row DESC")

    def history(self, name: str) -> list[Fact]:
        """See FactStore.history."""
        return self._pick("WHERE name = ? ORDER BY row", name)

    def as_of(self, time: float) -> list[Fact]:
        """See FactStore.as_of."""
        return self._pick(
            "WHERE time <= ? AND NOT EXISTS (SELECT 1 FROM facts AS later "
            "WHERE later.id = facts.superseded_by AND later.time <= ?) ORDER BY row",
            *(time, time),
        )

    def derived(self, ids: Collection[str]) -> set[str]:
        """See FactStore.derived."""
        if not self._index:
            return set()
        rows = self._index.db.execute("SELECT id, derived_from FROM facts WHERE derived_from != '[]'")
        return {identity for identity, restates in rows if not set(ids).isdisjoint(json.loads(restates))}

    def erase(self, ids: Collection[str]) -> None:
        """See FactStore.erase. The words leave the file as well, not only the table."""
        if not self._index or not ids:
            return
        db = self._index.db
        with db:
            db.execute("BEGIN IMMEDIATE")
            db.execute(
                "INSERT INTO tombstones SELECT id FROM facts WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps([*ids]),),
            )
            db.execute("DELETE FROM words WHERE rowid IN (SELECT row FROM facts WHERE id IN tombstones)")
            db.execute("DELETE FROM facts WHERE id IN tombstones")
            for old in self._pick("WHERE superseded_by IN tombstones"):
                later = self._others(old, "row > (SELECT row FROM facts WHERE id = ?) ORDER BY row", old.id)
                decided = (successor(old, later, self._replaces), old.id)
                db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", decided)
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint (TRUNCATE)")

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """See FactStore.frequency."""
        if not self._index:
            return {}, 0
        return self._index.frequency(question)

    def close(self) -> None:
        """See FactStore.close."""
        self._index.close()

    def _others(self, fact: Fact, which: str, *values: str) -> list[Fact]:
        """Pick among the other statements on a fact's subject."""
        on_subject = "WHERE (name = ? OR (subject = ? AND subject != '')) AND id != ? AND "
        return self._pick(on_subject + which, fact.name, fold(fact.about), fact.id, *values)

    def _pick(self, where: str, *values: Any) -> list[Fact]:  # noqa: ANN401 - whatever SQLite takes
        if not self._index:
            return []
        return [_fact(row) for row in self._index.db.execute(_PICK + where, values)]


def _fact(row: Sequence[Any]) -> Fact:
    name, body, description, kind, about, source, session, time, identity, derived, trust, superseded_by = row
    origin = Provenance(source, session, time, identity, tuple(json.loads(derived)))
    return Fact(name, body, description, kind, about, origin, trust, superseded_by)
