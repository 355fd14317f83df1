"""A search index beside the log: it can be thrown away, and catches up from a byte offset when it is next asked."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from memlab.memory.journal import Journal, Record
from memlab.memory.relevance import words
from memlab.memory.semantic import fold
from memlab.memory.trust import NOT_TRUSTED

Place = tuple[int, int]
Line = tuple[int, int, Record]
BATCH = 500
_TEXT = (
    "INSERT INTO texts (row, key, trust, offset, length) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
    "SET trust = excluded.trust, offset = excluded.offset, length = excluded.length WHERE excluded.trust >= trust"
)
_SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS read (inode INTEGER NOT NULL, offset INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS texts (
    row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, trust INTEGER NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS told (
    id TEXT PRIMARY KEY, text INTEGER NOT NULL, session TEXT NOT NULL, derived_from TEXT NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, content = '', tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, row);
"""
_EMPTY = "DELETE FROM read; DELETE FROM texts; DELETE FROM told; INSERT INTO words (words) VALUES ('delete-all');"


class EpisodeIndex:
    """Words, ids and recurrences of a log. The same words told again are one text, however often they were told."""

    def __init__(self, path: Path, log: Journal) -> None:
        self.path = path
        self._log = log
        self._opened: sqlite3.Connection | None = None

    def search(self, question: Sequence[str], limit: int) -> list[Place]:
        """Find texts by stemmed words, best first: so many from trusted sources, and again so many from the others."""
        if not question:
            return []
        db = self._current()
        match = " OR ".join(f'"{word}"' for word in question)
        found: list[Place] = []
        for trusted in (True, False):
            found += db.execute(
                "SELECT offset, length FROM words JOIN texts ON texts.row = words.rowid WHERE words MATCH ? "
                "AND (trust > ?) = ? ORDER BY words.rank, row DESC LIMIT ?",
                (match, NOT_TRUSTED, trusted, limit),
            )
        return found

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
        db = self._current()
        rows = db.execute(
            "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps([*question]),),
        )
        return dict(rows.fetchall()), db.execute("SELECT count(*) FROM texts").fetchone()[0]

    def reset(self) -> None:
        """Forget everything: the next question reads the log anew."""
        self._db().executescript(_EMPTY + "VACUUM; PRAGMA wal_checkpoint (TRUNCATE);")

    def close(self) -> None:
        """Let go of the file."""
        if self._opened:
            self._opened.close()
            self._opened = None

    def _current(self) -> sqlite3.Connection:
        """Read what the log has gained since the last question."""
        db = self._db()
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

    def _db(self) -> sqlite3.Connection:
        if self._opened is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._opened = sqlite3.connect(self.path, isolation_level=None, timeout=30)
            self._opened.executescript(_SCHEMA)
        return self._opened


def _take(db: sqlite3.Connection, batch: Sequence[Line]) -> None:
    """Index some lines of the log. Of a text that is told again keep the place of the most trusted, latest telling."""
    spoken = [line for line in batch if _speaks(line[2])]
    keys = {id(line): _key(line[2]["detail"]) for line in spoken}
    known = "SELECT key, row FROM texts WHERE key IN (SELECT value FROM json_each(?))"
    rows = dict(db.execute(known, (json.dumps([*keys.values()]),)))
    (last,) = db.execute("SELECT coalesce(max(row), 0) FROM texts").fetchone()
    fresh: dict[int, str] = {}
    for line in spoken:
        if rows.setdefault(keys[id(line)], last + len(fresh) + 1) > last + len(fresh):
            fresh[last + len(fresh) + 1] = " ".join(words(f"{line[2]['kind']} {line[2]['detail']}"))
    texts = [(rows[key := keys[id(line)]], key, line[2]["rank"], line[0], line[1]) for line in spoken]
    told = [_told(line, rows.get(keys.get(id(line), ""), 0)) for line in batch if "detail" in line[2]]
    told += [(record["erased"], 0, "", "[]", -1, 0) for _, _, record in batch if "erased" in record]
    db.executemany(_TEXT, texts)
    db.executemany("INSERT INTO words (rowid, stems) VALUES (?, ?)", fresh.items())
    db.executemany("INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?, ?)", told)


def _speaks(record: Record) -> bool:
    silent = record.get("held") or record.get("about") or record.get("step") in {"task", "done"}
    return bool(record.get("detail")) and not silent


def _key(detail: str) -> str:
    return hashlib.sha256(fold(detail).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _told(line: Line, text: int) -> tuple[str, int, str, str, int, int]:
    offset, length, record = line
    restates = json.dumps(record["derived_from"]) if "derived_from" in record else "[]"
    return record["id"], text, record["session"], restates, offset, length
