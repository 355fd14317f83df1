"""Facts in SQLite: provenance, versions and full-text search in one file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memlab.memory.facts import Fact, normalize_fact, subject
from memlab.memory.indexing.fulltext import WordIndex, signed_row
from memlab.memory.retrieval.relevance import stems
from memlab.memory.storage.journal import Sync
from memlab.memory.text import replace_surrogates
from memlab.memory.trust import Provenance, may_replace

VERSION = 5
"""The version of the stemming: the words of a file of an older version are stemmed again."""
_FIELDS = (
    "name, body, description, type, about, source, session, time, id, derived_from, quote, trust, superseded_by, "
    "importance"
)
_PICK = f"SELECT {_FIELDS} FROM facts "  # noqa: S608 - our own names
_PICK_ALL = f"SELECT row, {_FIELDS} FROM facts"  # noqa: S608 - our own names
_RANKED = f"""WITH ranked (row, score) AS (SELECT CAST(key AS INTEGER), value FROM json_each(?))
SELECT {_FIELDS} FROM ranked CROSS JOIN facts USING (row)"""  # noqa: S608 - our own names
_SCHEMA = """PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS facts (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, about TEXT NOT NULL, subject TEXT NOT NULL,
    description TEXT NOT NULL, body TEXT NOT NULL, type TEXT NOT NULL,
    source TEXT NOT NULL, session TEXT NOT NULL, time REAL NOT NULL, derived_from TEXT NOT NULL, quote TEXT NOT NULL,
    trust INTEGER NOT NULL, superseded_by TEXT NOT NULL, importance REAL NOT NULL);
CREATE TABLE IF NOT EXISTS lineage (parent TEXT, row INTEGER, PRIMARY KEY (parent, row)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tombstones (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_name ON facts (name);
CREATE INDEX IF NOT EXISTS by_subject ON facts (subject) WHERE subject != '';
CREATE INDEX IF NOT EXISTS by_successor ON facts (superseded_by) WHERE superseded_by != '';
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, tokenize = "unicode61 remove_diacritics 0");
"""
_NEXT_STEP = {
    "SQLITE_NOTADB": "it is damaged: restore a copy, or move it away and write the facts again",
    "SQLITE_CORRUPT": "it is damaged: restore a copy, or move it away and write the facts again",
    "SQLITE_READONLY": "make the file and its folder writable",
    "SQLITE_CANTOPEN": "make its folder writable, and the file a file",
    "SQLITE_FULL": "free space on its disk; what was stored before is intact",
    "SQLITE_IOERR": "free space, or lift the limit on the size of files; what was stored before is intact",
    "SQLITE_BUSY": "another process uses it; try again when that one is done",
}


class FactTable:
    """A versioned store of facts in one SQLite file: a statement supersedes others on its subject.

    All versions are kept, ordered by when they were put, not by their times, since clocks may jump. The file is made
    when the first fact is written; several processes may share it. Without `versions` no statement supersedes another.
    `question` is a list of stemmed words.

    Raises sqlite3.DatabaseError, which names the file and the next step, if it is damaged or cannot be written.
    """

    def __init__(self, path: Path, sync: Sync = "batch", *, versions: bool = True, links: bool = False) -> None:
        schema = "PRAGMA synchronous = FULL;" * (sync == "always") + _SCHEMA
        columns = set(_FIELDS.split(", "))
        self._index = WordIndex(path, "facts", schema, columns, version=VERSION, links=links)
        self._versions = versions
        self._current: sqlite3.Connection | None = None

    def put(self, fact: Fact) -> None:
        """Store a statement; it supersedes those on its subject that it may replace. A known id changes nothing.

        Raises as normalize_fact.
        """
        fact = normalize_fact(fact)
        with self._transaction() as db:
            if db.execute("SELECT 1 FROM tombstones WHERE id = ?", (fact.id,)).fetchone():
                return
            values = (*_values(fact), subject(fact.about))
            marks = ", ".join("?" * len(values))
            inserted = db.execute(f"INSERT OR IGNORE INTO facts ({_FIELDS}, subject) VALUES ({marks})", values)  # noqa: S608 - our own names
            if not inserted.rowcount or inserted.lastrowid is None:
                return
            _index(db, [(inserted.lastrowid, fact)])
            for old in self.on_subject(fact):
                if self._replaces(fact, old):
                    db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (fact.id, old.id))

    def get(self, identity: str) -> Fact | None:
        """Return a statement by its id, superseded or not."""
        return next(iter(self._pick("WHERE id = ?", replace_surrogates(identity))), None)

    def search(self, question: Sequence[str], limit: int, *, superseded: bool = False) -> list[Fact]:
        """Return current (or `superseded`) statements that share words: best, then most important, then latest first.

        `limit` applies separately to trusted and untrusted ones, so that neither crowds out the other.
        """
        if not self._index.exists():
            return []
        condition = "superseded_by != ''" if superseded else "superseded_by = ''"
        ranked = f"{_RANKED} WHERE {condition} ORDER BY score DESC, importance DESC, row DESC LIMIT ?"
        with self._connect() as db:
            hits = self._index.hits(question, limit)
            scores = [json.dumps({row: hits.weight(bits) for row, bits in rows.items()}) for rows in hits.sides]
            return [_fact(row) for ranking in scores for row in db.execute(ranked, (ranking, limit))]

    def on_subject(self, fact: Fact) -> list[Fact]:
        """Return the other current statements on a fact's subject, by descending rank, then latest first."""
        return self._others(fact, "superseded_by = '' ORDER BY trust DESC, row DESC")

    def history(self, name: str) -> list[Fact]:
        """Return every statement with a name, oldest first."""
        return self._pick("WHERE name = ? ORDER BY row", subject(name))

    def of_type(self, kind: str) -> list[Fact]:
        """Return the current statements of a type, in the order put."""
        return self._pick("WHERE type = ? AND superseded_by = '' ORDER BY row", kind)

    def as_of(self, time: float) -> list[Fact]:
        """Return the statements that were current at a time (seconds since 1970, UTC)."""
        later = "SELECT 1 FROM facts AS later WHERE later.id = facts.superseded_by AND later.time <= ?1"
        return self._pick(f"WHERE time <= ?1 AND NOT EXISTS ({later}) ORDER BY row", time)

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the statements that restate any of these."""
        restates = "SELECT id FROM lineage JOIN facts USING (row) WHERE parent = ?"
        return {row[0] for identity in ids for row in self._rows(restates, replace_surrogates(identity))}

    def erase(self, ids: Collection[str]) -> bool:
        """Delete the statements with these ids, and record the ids, so that they cannot be used again.

        Statements that they had superseded become current again, unless another later statement supersedes them.
        Return whether the file is free of their words: another process that reads it may keep the old pages.
        """
        rows = [(replace_surrogates(identity),) for identity in ids if self.get(identity)]
        if rows:
            self._tombstone(rows)
        if not any(self._rows("SELECT 1 FROM tombstones WHERE id = ?", replace_surrogates(one)) for one in ids):
            return True
        with self._connect() as db:
            db.execute("VACUUM")
            return self._index.truncate_log()

    def _tombstone(self, rows: Sequence[tuple[str]]) -> None:
        with self._transaction() as db:
            db.executemany("INSERT OR IGNORE INTO tombstones VALUES (?)", rows)
            for number in ("row", "-row"):
                db.execute(f"DELETE FROM words WHERE rowid IN (SELECT {number} FROM facts WHERE id IN tombstones)")  # noqa: S608 - our own names
            db.execute("DELETE FROM lineage WHERE row IN (SELECT row FROM facts WHERE id IN tombstones)")
            db.execute("DELETE FROM facts WHERE id IN tombstones")
            for old in self._pick("WHERE superseded_by IN tombstones ORDER BY row"):
                later = self._others(old, "row > (SELECT row FROM facts WHERE id = ?) ORDER BY row", old.id)
                successor = next((new.id for new in later if self._replaces(new, old)), "")
                db.execute("UPDATE facts SET superseded_by = ? WHERE id = ?", (successor, old.id))
            db.execute("INSERT INTO words (words) VALUES ('optimize')")

    def listed(self) -> list[tuple[str, float, int]]:
        """Return id, time and rank of the current statements, in the order put."""
        return self._rows("SELECT id, time, trust FROM facts WHERE superseded_by = '' ORDER BY row")

    def statements(self) -> Iterator[Fact]:
        """Yield every statement, superseded or not, in the order put."""
        if self._index.exists():
            with self._connect() as db:
                yield from map(_fact, db.execute(_PICK + "ORDER BY row"))

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Return the number of statements that contain each word, and the number of statements."""
        if not self._index.exists():
            return {}, 0
        with self._connect():
            return self._index.frequency(question)

    def close(self) -> None:
        """Close the file."""
        self._index.close()

    def _replaces(self, new: Fact, old: Fact) -> bool:
        return self._versions and may_replace(new.rank, old.rank)

    def _others(self, fact: Fact, which: str, *values: str) -> list[Fact]:
        """Select among the other statements on a fact's subject."""
        where = "WHERE (name = ? OR (subject = ? AND subject != '')) AND id != ? AND " + which
        return self._pick(where, subject(fact.name), subject(fact.about), replace_surrogates(fact.id), *values)

    def _pick(self, where: str, *values: Any) -> list[Fact]:  # noqa: ANN401 - any value that SQLite accepts
        return [_fact(row) for row in self._rows(_PICK + where, *values)]

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - any value that SQLite accepts
        if not self._index.exists():
            return []
        with self._connect() as db:
            return db.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the database in one transaction."""
        self._index.exists()  # if another process replaced the file, this closes the connection to the old one
        with self._connect() as db, db:
            self._index.require_writable()
            db.execute("BEGIN IMMEDIATE")
            yield db

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Yield the database, upgraded if needed; an error of SQLite names the file and the next step."""
        try:
            db = self._index.connection
            if db is not self._current:
                _upgrade(db, self._index.path)
                self._current = db
            yield db
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorname", "")
            advice = next((step for name, step in _NEXT_STEP.items() if code.startswith(name)), "")
            if not advice:  # an inner call added it already, or it does not concern the file
                raise
            self._index.close()  # a file opened on a read-only disk stays read-only; the next query reopens it
            raise type(error)(f"{self._index.path}: {error}; {advice}") from error


def _upgrade(db: sqlite3.Connection, path: Path) -> None:
    """Stem the words of an older version again. Raises sqlite3.NotSupportedError if a later memlab wrote the file."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    if version > VERSION:
        what = f"its layout has version {version}, and this memlab reads at most {VERSION}"
        raise sqlite3.NotSupportedError(f"{path}: {what}; update memlab")
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM words")
        db.execute("DELETE FROM lineage")
        _index(db, ((row, _fact(values)) for row, *values in db.execute(_PICK_ALL)))
        db.execute(f"PRAGMA user_version = {VERSION}")


def _index(db: sqlite3.Connection, facts: Iterable[tuple[int, Fact]]) -> None:
    """Index facts by their words and by what they are derived from."""
    for row, fact in facts:
        db.execute(
            "INSERT INTO words (rowid, stems) VALUES (?, ?)", (signed_row(row, fact.rank), " ".join(stems(fact.key)))
        )
        for parent in fact.origin.derived_from:
            db.execute("INSERT OR IGNORE INTO lineage VALUES (?, ?)", (parent, row))


def _values(fact: Fact) -> tuple[str | float, ...]:
    """Return the values of a fact in the order of _FIELDS."""
    origin = fact.origin
    content = (fact.name, fact.body, fact.description, fact.type, fact.about)
    provenance = (origin.source, origin.session, origin.time, origin.id, json.dumps(origin.derived_from), origin.quote)
    return (*content, *provenance, fact.rank, fact.superseded_by, fact.importance)


def _fact(values: Sequence[Any]) -> Fact:
    name, body, description, kind, about, *provenance, rank, superseded_by, importance = values
    source, session, time, identity, derived, quote = provenance
    origin = Provenance(source, session, time, identity, tuple(json.loads(derived)), quote)
    return Fact(name, body, description, kind, about, origin, rank, superseded_by, importance)
