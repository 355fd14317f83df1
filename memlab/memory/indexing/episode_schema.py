"""The schema of the episode index, and how records of the log become rows."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence

from memlab.memory.episode import Episode, from_record, is_episode_record, is_tombstone
from memlab.memory.indexing.fulltext import signed_row
from memlab.memory.indexing.neighbours import SPEAKER
from memlab.memory.retrieval.relevance import LONGEST_PASSAGE, speaker, stems
from memlab.memory.storage.journal import Place, Record
from memlab.memory.text import fold, to_bytes
from memlab.memory.trust import AGENT, NOT_TRUSTED

VERSION = 14
"""Raise it when the schema or the stemming changes: an index of another version is deleted."""
FIRST_EVIDENCE = 8
"""An episode is compared with the first eight that are evidence for its text: this bounds the cost."""
ERASED: Place = (0, 0, 0)
"""The place of an id that has a tombstone."""
SCHEMA = f"""
PRAGMA cache_size = -8000; PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS read (inode INTEGER PRIMARY KEY, offset INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS places (
    row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS steps (
    row INTEGER PRIMARY KEY, step TEXT NOT NULL, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS restated (
    id BLOB, by BLOB, forgot INTEGER NOT NULL, PRIMARY KEY (id, by)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (
    row INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, trust INTEGER NOT NULL, session BLOB NOT NULL,
    sessions INTEGER NOT NULL, latest INTEGER NOT NULL, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL, kind TEXT NOT NULL, is_turn INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS recurring ON texts (sessions) WHERE sessions > 1;
CREATE TABLE IF NOT EXISTS firsts (
    text INTEGER, session BLOB, is_evidence INTEGER, time REAL, row INTEGER NOT NULL,
    PRIMARY KEY (text, session, is_evidence)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS erased ON places (inode) WHERE inode = 0;
CREATE INDEX IF NOT EXISTS by_time ON firsts (text, time, row);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, content = '',
    tokenize = "unicode61 remove_diacritics 0 tokenchars '{SPEAKER}'");
"""
"""Writes do not wait for the disk: what a power cut takes is indexed again from the log.

read: how far the log is indexed.
places: the latest place of each id.
steps: the kinds and places of the steps of tasks.
restated: the ids that an episode (`by`) is derived from, or summarises (`forgot`).
texts: each distinct text, with the row in `places` and the place of its latest episode from the most trusted source;
`sessions` says in how many sessions it occurred, counted as changes of session; `kind` has the stemmed words of the
kind of its first episode; `is_turn` marks a turn of a dialogue: short, with its speaker's name.
words: the stemmed words of each text, and those of its speaker's name once more, marked.
firsts: the first episode of a text in each session, once among those that are evidence (see _is_evidence), and once
among the others."""


EMPTY = """
BEGIN IMMEDIATE;
DELETE FROM read; DELETE FROM places; DELETE FROM steps; DELETE FROM restated; DELETE FROM texts; DELETE FROM firsts;
INSERT INTO words (words) VALUES ('delete-all');
COMMIT;
VACUUM;
"""
_COUNT_SESSION = "UPDATE texts SET sessions = sessions + (session != ?1), session = ?1 WHERE row = ?2"
_FIRST = """SELECT is_evidence FROM firsts INDEXED BY by_time CROSS JOIN places USING (row)
WHERE text = ? ORDER BY firsts.time, row LIMIT 1"""
_SHARED = f"""WITH known (by) AS (SELECT id FROM firsts INDEXED BY by_time CROSS JOIN places USING (row)
WHERE text = ?1 AND is_evidence ORDER BY firsts.time, row LIMIT {FIRST_EVIDENCE})
SELECT 1 FROM known WHERE by = ?2 OR EXISTS (SELECT 1 FROM restated WHERE id = ?2 AND restated.by = known.by)"""  # noqa: S608 - a number
_LATER = "UPDATE texts SET trust = ?1, latest = ?, inode = ?, offset = ?, length = ? WHERE row = ? AND trust <= ?1"


def index_lines(db: sqlite3.Connection, lines: Sequence[tuple[Place, Record]]) -> None:
    """Index lines of the log, in their order."""
    (last,) = db.execute("SELECT coalesce(max(row), 0) FROM places").fetchone()
    numbered = [(row, place, record) for row, (place, record) in enumerate(lines, last + 1)]
    rows = [(row, place, from_record(record)) for row, place, record in numbered if is_episode_record(record)]
    places = [(row, to_bytes(one.id), *place) for row, place, one in rows]
    places += [(row, to_bytes(record["erased"]), *ERASED) for row, _, record in numbered if is_tombstone(record)]
    db.executemany("INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?, ?)", sorted(places))
    steps = [(row, one.step, *place) for row, place, one in rows if one.step]
    db.executemany("INSERT INTO steps VALUES (?, ?, ?, ?, ?)", steps)
    restated = [
        (to_bytes(old), to_bytes(one.id), forgot)
        for *_, one in rows
        for forgot, ids in enumerate((one.origin.derived_from, one.forgot))
        for old in ids
    ]
    db.executemany("INSERT OR REPLACE INTO restated VALUES (?, ?, ?)", restated)
    _index_texts(db, [row for row in rows if row[2].is_searchable])


def text_key(detail: str) -> bytes:
    """Return a key of a text that is the same for all its spellings."""
    return hashlib.sha256(to_bytes(fold(detail))).digest()[:16]


def _index_texts(db: sqlite3.Connection, rows: Sequence[tuple[int, Place, Episode]]) -> None:
    """Index texts. Of several episodes with one text, the place of the most trusted, latest one counts."""
    (last,) = db.execute("SELECT coalesce(max(row), 0) FROM texts").fetchone()
    fresh, moved, ranks = dict[int, str](), dict[int, str](), dict[int, int]()
    for row, place, one in rows:
        key, session = text_key(one.detail), to_bytes(one.origin.session)
        known = db.execute("SELECT row, trust, kind FROM texts WHERE key = ?", [key]).fetchone()
        text, trust, kind = known or (last + len(fresh) + 1, one.rank, " ".join(stems(one.kind)))
        if known:
            db.execute(_COUNT_SESSION, (session, text))
            db.execute(_LATER, (one.rank, row, *place, text))
        else:
            is_turn = len(one.detail) <= LONGEST_PASSAGE and bool(speaker(one.detail))
            values = (text, key, one.rank, session, 1, row, *place, kind, is_turn)
            db.execute("INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            fresh[text] = _stems(kind, one.detail)
        if trust == NOT_TRUSTED < one.rank and text not in fresh:
            moved[text] = _stems(kind, one.detail)
        ranks[text] = max(trust, one.rank)
        first = (text, session, _is_evidence(db, text, one), one.origin.time, row)
        db.execute("INSERT OR IGNORE INTO firsts VALUES (?, ?, ?, ?, ?)", first)
    untrusted = [(signed_row(text, NOT_TRUSTED), stems) for text, stems in moved.items()]
    db.executemany("INSERT INTO words (words, rowid, stems) VALUES ('delete', ?, ?)", sorted(untrusted))
    indexed = [(signed_row(text, ranks[text]), stems) for text, stems in (fresh | moved).items()]
    db.executemany("INSERT INTO words (rowid, stems) VALUES (?, ?)", sorted(indexed))


def _is_evidence(db: sqlite3.Connection, text: int, one: Episode) -> bool:
    """Return whether an episode counts for the promotion of its text: a trusted source, an origin of its own.

    If a source that is not trusted said the text first, an agent repeats it, whatever lineage it claims. Two episodes
    have one origin if one restates the other, or both restate a third.
    """
    if one.rank == NOT_TRUSTED or (one.rank == AGENT and db.execute(_FIRST, [text]).fetchone() == (0,)):
        return False
    return not any(db.execute(_SHARED, (text, to_bytes(old))).fetchone() for old in one.origin.derived_from)


def _stems(kind: str, detail: str) -> str:
    """Return the words by which a text is found; they are the same in all its spellings."""
    return " ".join([kind, *stems(detail), *(SPEAKER + word for word in stems(speaker(detail)))])


def indexed_to(db: sqlite3.Connection) -> tuple[int, int]:
    """Return the inode of the log and the offset up to which it is indexed; (0, 0) if nothing is."""
    return db.execute("SELECT inode, offset FROM read").fetchone() or (0, 0)
