"""The index of the episode log: a disposable SQLite file that catches up with the log before each query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

from memlab.memory.episode import Episode, Step, from_record, is_episode_record, is_tombstone
from memlab.memory.indexing import episode_schema as schema
from memlab.memory.indexing.episode_schema import ERASED, index_lines, indexed_to
from memlab.memory.indexing.fulltext import WordIndex
from memlab.memory.indexing.neighbours import SPEAKER, Hit, Neighbourhood
from memlab.memory.storage.journal import Journal, Place, Record
from memlab.memory.text import from_bytes, to_bytes

T = TypeVar("T")
READ_AT_ONCE = 1 << 18
"""Bytes of the log that are indexed in one transaction."""
LITTLE = 1 << 13
"""Up to 8,192 bytes that are not indexed yet are searched for an id as they are; more are indexed first."""
_PLACE = "SELECT inode, offset, length FROM places WHERE id = ?"
_LOOKUP = """SELECT read.inode, read.offset, places.inode, places.offset, places.length
FROM read LEFT JOIN places ON id = ?"""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""The errors of a torn file, of a file that is no database, and of one that lacks a table or a column."""
ATTEMPTS, WAITING = 8, 2
"""A query is asked so often if other processes rewrite the log meanwhile; after 2 attempts they wait for it."""


class _MovedError(Exception):
    """The index does not match the log, since another process rewrote the log after the index had caught up."""


class EpisodeIndex:
    """Words, ids, lineage, steps and recurrences of a log. Episodes of the same words are one text.

    A file that is damaged, or of another version, is deleted and built anew. Episodes (episodes.py) adds what writes.
    """

    def __init__(self, path: Path, log: Journal, *, links: bool) -> None:
        rows = "coalesce(max(row), 0)"  # no row is ever deleted
        self._index = WordIndex(path, "texts", schema.SCHEMA, version=schema.VERSION, count=rows, links=links)
        self._log = log
        self._checked = False
        self._looked_up: tuple[object, Place | None] = None, None

    def search(self, question: Sequence[str], limit: int) -> list[tuple[Episode, Hit]]:
        """Return episodes found by stemmed words, their own and their neighbours', best first, and what is near them.

        At most `limit` are from trusted sources and `limit` from others. Of several episodes with one text only the
        latest from the most trusted source is returned.
        """

        def query(db: sqlite3.Connection) -> list[tuple[Episode, Hit]]:
            hits = Neighbourhood(db, self._index.hits(question, limit), limit).best()
            return [*zip(self._read([hit.place for hit in hits]), hits, strict=True)]

        return self._ask(query)

    def speakers(self, question: Sequence[str]) -> set[str]:
        """Return the words of a question that are in the name of a speaker, as trusted sources write it."""
        pick = "SELECT 1 FROM words WHERE words MATCH ? AND rowid > 0 LIMIT 1"  # see fulltext.signed_row()
        return self._ask(lambda db: {one for one in question if db.execute(pick, [f'"{SPEAKER}{one}"']).fetchone()})

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Return the number of distinct texts that contain each word, and the number of distinct texts."""
        return self._ask(lambda _: self._index.frequency(question))

    def texts(self) -> list[tuple[bytes, int]]:
        """Return the text_key() of each distinct text, and the rank of its most trusted source."""
        return self._rows("SELECT key, trust FROM texts ORDER BY row")

    def of_texts(self, keys: Sequence[bytes]) -> list[Episode]:
        """Return the latest episode from the most trusted source for each text_key(); none for an unknown one."""
        pick = "SELECT inode, offset, length FROM texts WHERE key = ?"
        return self._ask(lambda db: self._read([place for key in keys for place in db.execute(pick, [key])]))

    def is_erased(self, identity: str) -> bool:
        """Return whether an id has a tombstone."""
        return self._retry(lambda: self._place(identity)) == ERASED

    def get(self, identity: str) -> Episode | None:
        """Return the last episode with an id; None if it is unknown or has a tombstone."""

        def read() -> Episode | None:
            place = self._place(identity)
            return self._read([place])[0] if place and place != ERASED else None

        return self._retry(read)

    def steps(self, first: Collection[Step] = ()) -> list[Episode]:
        """Return the steps of tasks newest first, up to the latest step of one of the kinds in `first`."""
        latest = "SELECT row FROM steps WHERE step IN (SELECT value FROM json_each(?)) ORDER BY row DESC LIMIT 1"
        pick = f"SELECT inode, offset, length FROM steps WHERE row >= coalesce(({latest}), 0) ORDER BY row DESC"  # noqa: S608 - our own names
        return self._ask(lambda db: self._read(db.execute(pick, [json.dumps([*first])]).fetchall()))

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the episodes that restate or summarise any of these."""
        pick = "SELECT by FROM restated WHERE id = ?"
        return {from_bytes(by) for identity in ids for (by,) in self._rows(pick, to_bytes(identity))}

    def summarised_ids(self) -> set[str]:
        """Return the ids in the log that already have a summary: their forgetting was interrupted."""
        pick = "SELECT id FROM restated JOIN places USING (id) WHERE forgot AND inode"
        return {from_bytes(identity) for (identity,) in self._rows(pick)}

    def close(self) -> None:
        """Close the log and its index."""
        self._log.close()
        self._index.close()

    def _recurring(self, sessions: int) -> list[tuple[list[Place], list[Place]]]:
        """Return each text of at least so many sessions: its first episode in each of that many earliest sessions.

        They are two lists, each ordered by time: the first has only episodes that are evidence, and may be shorter; the
        second has all. The places are valid until the log is rewritten.
        """
        often = "SELECT row FROM texts WHERE sessions >= ?" + " AND sessions > 1" * (sessions > 1) + " ORDER BY +row"
        first = (
            "SELECT inode, offset, length FROM firsts AS one INDEXED BY by_time CROSS JOIN places USING (row) "
            "WHERE text = ?1 AND {} ORDER BY time, row LIMIT ?2"
        )
        earlier = "SELECT 1 FROM firsts AS other WHERE text = ?1 AND session = one.session AND row < one.row"
        picks = first.format("is_evidence"), first.format(f"NOT EXISTS ({earlier})")

        def query(db: sqlite3.Connection) -> list[tuple[list[Place], list[Place]]]:
            texts = db.execute(often, (sessions,)).fetchall()
            found = ([db.execute(pick, (text, sessions)).fetchall() for pick in picks] for (text,) in texts)
            return [(evidence, every) for evidence, every in found if len(every) == sessions]

        return self._ask(query)

    def count(self) -> int:
        """Return the number of episodes in the log, those of one id counted once."""
        return int(self._rows("SELECT count(*) FROM places WHERE inode")[0][0])

    def _reset(self) -> bool:
        """Clear the index; the next query reads the whole log. Return whether the file is free of what it held."""
        self._looked_up = None, None
        try:
            if self._index.exists() or self._index.opened:
                self._db().executescript(schema.EMPTY)
                return self._index.truncate_log()
        except sqlite3.DatabaseError:
            self._index.delete()
        return True

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._ask(lambda db: db.execute(query, values).fetchall())

    def _ask(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of a query of the index, which first catches up with the log. Raises as _retry."""
        return self._retry(lambda: self._query_once(query))

    def _retry(self, attempt_once: Callable[[], T]) -> T:
        """Return the result of a function; it is called again if another process rewrote the log before it was read.

        Raises OSError if the index cannot be written.
        """
        for attempt in range(ATTEMPTS):
            try:
                waits = attempt >= WAITING and self._index.is_writable()
                with self._log.lock if waits else nullcontext():
                    if attempt > WAITING:  # not even then did it match: somebody edited the log in place
                        self._reset()
                    return attempt_once()
            except _MovedError:
                continue
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                    self._index.close()
                    advice = "free space or make the folder writable; this file may be deleted at any time"
                    raise OSError(f"{self._index.path}: {error}; {advice}") from error
                self._index.delete()
        raise OSError(f"{self._index.path}: the log changes while it is read; ask again, or delete this file")

    def _query_once(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of a query as of one moment. Raises _MovedError if the log was rewritten before it."""
        reached = self._current()
        db = self._index.db
        db.execute("BEGIN")
        try:
            inode, offset = indexed_to(db)
            if inode != reached[0] or offset < reached[1]:
                raise _MovedError
            return query(db)
        finally:
            if db.in_transaction:
                db.rollback()

    def _place(self, identity: str) -> Place | None:
        """Return the last place of an id. A few lines that are not indexed are searched for it, more are indexed.

        The last answer is kept, since a write asks twice: whether its id is taken, and whether it was erased.
        """
        end = self._log.identity
        if not end[1]:
            return None
        if self._looked_up[0] == (identity, end):
            return self._looked_up[1]
        found: Any = self._db().execute(_LOOKUP, [to_bytes(identity)]).fetchone() or (0, 0, None)
        last = self._log.naming(identity, found[:2], end, LITTLE)
        indexed: Place | None = None if found[2] is None else found[2:]
        if last is None:
            indexed = self._query_once(lambda db: db.execute(_PLACE, [to_bytes(identity)]).fetchone())
        for place, record in last or ():
            if is_episode_record(record) and record["id"] == identity:
                indexed = place
            elif is_tombstone(record) and record["erased"] == identity:
                indexed = ERASED
        self._looked_up = (identity, end), indexed
        return indexed

    def _read(self, places: Sequence[Place]) -> list[Episode]:
        """Return the episodes at places. Raises _MovedError if one of them is there no more."""
        episodes = [from_record(record) for record in self._log.at(places) if is_episode_record(record)]
        if len(episodes) < len(places):
            raise _MovedError
        return episodes

    def _current(self) -> tuple[int, int]:
        """Index what was added to the log since the last query; return its inode and the offset reached."""
        log, reached = self._log.identity, indexed_to(self._db())
        if reached[0] not in {0, log[0]} or reached[1] > log[1]:
            self._reset()
        is_last = reached == log
        while not is_last:
            is_last, reached = self._read_on(self._db())
        return reached

    def _read_on(self, db: sqlite3.Connection) -> tuple[bool, tuple[int, int]]:
        """Index the next lines of the log; return whether there are no more, and what indexed_to() returns then."""
        with db:
            db.execute("BEGIN IMMEDIATE")
            inode, offset = indexed_to(db)
            lines, size = list[tuple[Place, Record]](), 0
            for place, record in self._log.replay(offset):
                if inode not in {0, place[0]}:
                    raise _MovedError
                lines.append((place, record))
                size += place[2]
                if size >= READ_AT_ONCE:
                    break
            if lines:
                inode, offset, length = lines[-1][0]
                offset += length
                index_lines(db, lines)
                db.execute("INSERT OR REPLACE INTO read VALUES (?, ?)", (inode, offset))
        return size < READ_AT_ONCE, (inode, offset)

    def _db(self) -> sqlite3.Connection:
        """Open the file; the first time, clear one of another log before."""
        if not self._checked:
            self._checked = True
            if not self._is_of_this_log(self._index.db):
                self._reset()
        return self._index.db

    def _is_of_this_log(self, db: sqlite3.Connection) -> bool:
        """Return whether the last indexed episode is still at its place; a power cut may have removed it."""
        last = "SELECT id, inode, offset, length FROM places WHERE inode ORDER BY row DESC LIMIT 1"
        indexed = [(from_bytes(identity), place) for identity, *place in db.execute(last)]
        return all([record.get("id") for record in self._log.at([place])] == [identity] for identity, place in indexed)
