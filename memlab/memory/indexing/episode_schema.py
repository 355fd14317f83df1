"""The rows that the index of the log keeps, and how records become rows, many at a time."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memlab.memory.episode import is_episode_record, is_searchable_record, is_tombstone
from memlab.memory.indexing.fulltext import side
from memlab.memory.storage.journal import Record
from memlab.memory.storage.segments import Place
from memlab.memory.text import fold, words
from memlab.memory.trust import NOT_TRUSTED

VERSION = 6
"""To be raised with the schema, and with how words are stemmed: an index of another version is thrown away."""
ERASED: Place = (0, 0, 0)
"""The place of what left a tombstone."""
SCHEMA = f"""
PRAGMA user_version = {VERSION};
PRAGMA cache_size = -8000; PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS read (inode INTEGER PRIMARY KEY, offset INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS told (
    row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS steps (
    row INTEGER PRIMARY KEY, inode INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS restated (
    id BLOB, by BLOB, forgot INTEGER NOT NULL, PRIMARY KEY (id, by)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (
    row INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, trust INTEGER NOT NULL, session BLOB NOT NULL,
    turns INTEGER NOT NULL, latest INTEGER NOT NULL, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL, kind TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS recurring ON texts (turns) WHERE turns > 1;
CREATE TABLE IF NOT EXISTS first_told (
    text INTEGER, session BLOB, taught INTEGER, time REAL, row INTEGER NOT NULL,
    PRIMARY KEY (text, session, taught)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS erased ON told (inode) WHERE inode = 0;
CREATE INDEX IF NOT EXISTS told_first ON first_told (text, time, row);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, content = '', tokenize = "unicode61 remove_diacritics 0");
"""
"""Nothing waits for the disk: what a power cut takes is read again from the log.

told: where an id stands last. texts: what is served, which told row its most trusted, latest telling has, where that
stands, in how many sessions it was told, counted by turns from one session to another, and the stemmed words of the
kind that it was first told as. first_told: the first telling of a text in a session, of those who may teach and of the
others."""


@dataclass(slots=True)
class Text:
    """A text that is served: see texts in SCHEMA; it is found by its kind, and by its own words."""

    row: int
    trust: int
    session: bytes
    turns: int
    latest: int
    place: Place
    kind: str

    def stems(self, detail: str) -> str:
        """Give the words by which it is found; they are the same in all its spellings."""
        return " ".join([self.kind, *words(detail)])


def take(db: sqlite3.Connection, lines: Sequence[tuple[Place, Record]]) -> None:
    """Index some lines of the log, in their order."""
    (last,) = db.execute("SELECT coalesce(max(row), 0) FROM told").fetchone()
    rows = [(row, place, record) for row, (place, record) in enumerate(lines, last + 1) if is_episode_record(record)]
    told = [(row, name(record["id"]), *place) for row, place, record in rows]
    told += [
        (row, name(record["erased"]), *ERASED)
        for row, (_, record) in enumerate(lines, last + 1)
        if is_tombstone(record)
    ]
    db.executemany("INSERT OR REPLACE INTO told VALUES (?, ?, ?, ?, ?)", sorted(told))
    steps = [(row, *place) for row, place, record in rows if record.get("step")]
    db.executemany("INSERT INTO steps VALUES (?, ?, ?, ?)", steps)
    restated = [(name(old), name(record["id"]), forgot) for _, _, record in rows for old, forgot in _lineage(record)]
    db.executemany("INSERT OR REPLACE INTO restated VALUES (?, ?, ?)", restated)
    _take_texts(
        db,
        [(digest(record["detail"]), row, place, record) for row, place, record in rows if is_searchable_record(record)],
    )


def name(text: str) -> bytes:
    """Give an id or a session as SQLite keeps it, half characters included."""
    return text.encode("utf-8", "surrogatepass")


def unnamed(kept: bytes) -> str:
    """Read what name() wrote."""
    return kept.decode("utf-8", "surrogatepass")


def digest(detail: str) -> bytes:
    """Name a text by what is the same in all its spellings."""
    return hashlib.sha256(fold(detail).encode("utf-8", "surrogatepass")).digest()[:16]


def _lineage(record: Record) -> Iterator[tuple[str, bool]]:
    for parent in record.get("derived_from", ()):
        yield parent, False
    for forgotten in record.get("forgot", ()):
        yield forgotten, True


def _take_texts(db: sqlite3.Connection, told: Sequence[tuple[bytes, int, Place, Record]]) -> None:
    """Index what is served. Of a text that is told again keep the place of the most trusted, latest telling."""
    texts = _known(db, {key for key, *_ in told})
    (last,) = db.execute("SELECT coalesce(max(row), 0) FROM texts").fetchone()
    fresh: dict[int, str] = {}
    moved: dict[int, str] = {}
    first: dict[tuple[int, bytes, bool], tuple[float, int]] = {}
    for key, row, place, record in told:
        session, rank = name(record["session"]), record["rank"]
        text = texts.get(key)
        if text is None:
            kind = " ".join(words(record["kind"]))
            text = texts[key] = Text(last + len(fresh) + 1, rank, session, 1, row, place, kind)
            fresh[text.row] = text.stems(record["detail"])
        elif text.trust == NOT_TRUSTED < rank and text.row <= last:
            moved[text.row] = text.stems(record["detail"])
        if rank >= text.trust:
            text.trust, text.latest, text.place = rank, row, place
        if session != text.session:
            text.session, text.turns = session, text.turns + 1
        first.setdefault((text.row, session, rank > NOT_TRUSTED), (record["time"], row))
    db.executemany(
        "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (row) DO UPDATE SET "
        "trust = excluded.trust, session = excluded.session, turns = excluded.turns, latest = excluded.latest, "
        "inode = excluded.inode, offset = excluded.offset, length = excluded.length",
        [
            (text.row, key, text.trust, text.session, text.turns, text.latest, *text.place, text.kind)
            for key, text in texts.items()
        ],
    )
    told_first = [(*where, *what) for where, what in first.items()]
    db.executemany("INSERT OR IGNORE INTO first_told VALUES (?, ?, ?, ?, ?)", told_first)
    untrusted = [(side(row, NOT_TRUSTED), stems) for row, stems in moved.items()]
    db.executemany("INSERT INTO words (words, rowid, stems) VALUES ('delete', ?, ?)", sorted(untrusted))
    trust = {text.row: text.trust for text in texts.values()}
    stand = [(side(row, trust[row]), stems) for row, stems in (fresh | moved).items()]
    db.executemany("INSERT INTO words (rowid, stems) VALUES (?, ?)", sorted(stand))


def _known(db: sqlite3.Connection, keys: set[bytes]) -> dict[bytes, Text]:
    """Read the texts among these that were told before."""
    found = "SELECT key, row, trust, session, turns, latest, kind, inode, offset, length FROM texts WHERE key IN"
    known = db.execute(f"{found} ({','.join('?' * len(keys))})", [*keys])
    return {
        key: Text(row, trust, session, turns, latest, place, kind)
        for key, row, trust, session, turns, latest, kind, *place in known
    }
