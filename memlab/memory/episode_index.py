"""A search index beside the log: it can be thrown away, and catches up from a byte offset when it is next asked."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from memlab.memory.episode import episode_of
from memlab.memory.journal import Journal, Record
from memlab.memory.naming import fold
from memlab.memory.relevance import words
from memlab.memory.word_index import WordIndex

Place = tuple[int, int]
Line = tuple[int, int, Record]
BATCH = 500
SILENT = 0
"""The text of what is not served from the log."""
_TEXT = (
    "INSERT INTO texts (row, key, trust, offset, length) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
    "SET trust = excluded.trust, offset = excluded.offset, length = excluded.length WHERE excluded.trust >= trust"
)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS read (inode INTEGER NOT NULL, offset INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS texts (
    row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, trust INTEGER NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS told (
    id TEXT PRIMARY KEY, text INTEGER NOT NULL, session TEXT NOT NULL, derived_from TEXT NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, content = '', tokenize = "unicode61 remove_diacritics 0");
"""
_EMPTY = "DELETE FROM read; DELETE FROM texts; DELETE FROM told; INSERT INTO words (words) VALUES ('delete-all');"


class EpisodeIndex:
    """Words, ids and recurrences of a log. The same words told again are one text, however often they were told."""

    def __init__(self, path: Path, log: Journal) -> None:
        self._index = WordIndex(path, "texts", _SCHEMA)
        self._log = log

    def search(self, question: Sequence[str], limit: int) -> list[Place]:
        """Find texts by stemmed words, best first: so many from trusted sources, and again so many from the others."""
        self._current()
        found = "SELECT offset, length FROM words JOIN texts ON texts.row = words.rowid WHERE TRUE"
        return self._index.search(found, question, limit)

    def place(self, identity: str) -> Place | None:
        """Tell where in the log an id stands: (offset, length) in bytes; an offset of -1 says that it was erased."""
        row: Place | None = (
            self._current().execute("SELECT offset, length FROM told WHERE id = ?", (identity,)).fetchone()
        )
        return row

    def recurring(self, sessions: int) -> Iterator[list[str]]:
        """Yield the ids that told the same text in at least so many sessions, oldest text first."""
        rows = self._current().execute(
            "SELECT json_group_array(id) FROM (SELECT * FROM told ORDER BY offset) WHERE text > 0 GROUP BY text "
            "HAVING count(DISTINCT session) >= ? ORDER BY text",
            (sessions,),
        )
        for (ids,) in rows.fetchall():
            yield json.loads(ids)

    def derived(self, ids: Collection[str]) -> set[str]:
        """Give the ids that restate any of these."""
        rows = self._current().execute("SELECT id, derived_from FROM told WHERE derived_from != '[]'")
        return {identity for identity, restates in rows if not set(ids).isdisjoint(json.loads(restates))}

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many texts hold each word, and how many texts there are."""
        self._current()
        return self._index.frequency(question)

    def reset(self) -> None:
        """Forget everything: the next question reads the log anew."""
        self._index.db.executescript(_EMPTY + "VACUUM; PRAGMA wal_checkpoint (TRUNCATE);")

    def close(self) -> None:
        """Let go of the file."""
        self._index.close()

    def _current(self) -> sqlite3.Connection:
        """Read what the log has gained since the last question."""
        db = self._index.db
        inode, size = self._log.identity
        read = db.execute("SELECT inode, offset FROM read").fetchone()
        if read == (inode, size):
            return db
        db.execute("BEGIN IMMEDIATE")
        read = db.execute("SELECT inode, offset FROM read").fetchone() or (inode, 0)
        if read[0] != inode or read[1] > size:
            db.execute("ROLLBACK")
            self.reset()
            return self._current()
        end = self._read_on(db, read[1])
        db.execute("DELETE FROM read")
        db.execute("INSERT INTO read VALUES (?, ?)", (inode, end))
        db.execute("COMMIT")
        return db

    def _read_on(self, db: sqlite3.Connection, start: int) -> int:
        batch: list[Line] = []
        for line in self._log.replay(start):
            batch.append(line)
            start = line[0] + line[1]
            if len(batch) == BATCH:
                _take(db, batch)
                batch = []
        _take(db, batch)
        return start


def _take(db: sqlite3.Connection, batch: Sequence[Line]) -> None:
    """Index some lines of the log. Of a text that is told again keep the place of the most trusted, latest telling."""
    lived = [(episode_of(record), (offset, length)) for offset, length, record in batch if "detail" in record]
    keys = [_key(one.detail) if one.speaks else "" for one, _ in lived]
    known = "SELECT key, row FROM texts WHERE key IN (SELECT value FROM json_each(?))"
    rows = {"": SILENT, **dict(db.execute(known, (json.dumps(keys),)))}
    (last,) = db.execute("SELECT coalesce(max(row), 0) FROM texts").fetchone()
    fresh: dict[int, str] = {}
    for key, (one, _) in zip(keys, lived, strict=True):
        if key not in rows:
            rows[key] = last + len(fresh) + 1
            fresh[rows[key]] = " ".join(words(f"{one.kind} {one.detail}"))
    told = list(zip(lived, keys, strict=True))
    db.executemany(_TEXT, [(rows[key], key, one.rank, *place) for (one, place), key in told if key])
    db.executemany("INSERT INTO words (rowid, stems) VALUES (?, ?)", fresh.items())
    ids = [
        (one.id, rows[key], one.origin.session, json.dumps(one.origin.derived_from), *place)
        for (one, place), key in told
    ]
    ids += [(record["erased"], SILENT, "", "[]", -1, 0) for _, _, record in batch if "erased" in record]
    db.executemany("INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?, ?)", ids)


def _key(detail: str) -> str:
    return hashlib.sha256(fold(detail).encode("utf-8", "surrogatepass")).hexdigest()[:32]
