"""An index beside the log: it can be thrown away, and reads on where it stopped when it is next asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from memlab.memory.episode import is_episode_record, is_tombstone
from memlab.memory.indexing.episode_schema import ERASED, SCHEMA, VERSION, name, take, unnamed
from memlab.memory.indexing.fulltext import WordIndex
from memlab.memory.storage.journal import Record
from memlab.memory.storage.segments import Place, Segments

T = TypeVar("T")
BATCH = 1 << 18
"""So many bytes of the log are indexed at a time."""
LITTLE = 1 << 14
"""So many bytes of the log are read for their ids alone before they are indexed, by each process that writes."""
NOWHERE = (0, -1, -1)
"""In no file stands what was told lately."""
STEPS = 4
"""So many steps are looked up at first, and then always twice as many: a task at hand mostly has few."""
_EMPTY = """
BEGIN IMMEDIATE;
DELETE FROM read; DELETE FROM told; DELETE FROM steps; DELETE FROM restated; DELETE FROM texts; DELETE FROM first_told;
INSERT INTO words (words) VALUES ('delete-all');
COMMIT;
VACUUM;
PRAGMA wal_checkpoint (TRUNCATE);
"""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""What SQLite says of a file that is torn, or no database, or that lacks what we ask for."""


class EpisodeIndex:
    """Words, ids, lineage, steps and recurrences of a log. The same words told again are one text.

    A file that is damaged, or that another version made, is thrown away and built anew.
    """

    def __init__(self, path: Path, log: Segments) -> None:
        self._index = WordIndex(path, "texts", SCHEMA, "coalesce(max(row), 0)")  # none is ever deleted
        self._log = log
        self._checked = False
        self._lately: dict[str, Place] = {}
        self._told = (0, 0, 0)  # the inode of the file in which these stand, from where, and up to where

    def search(self, question: Sequence[str], limit: int) -> list[Place]:
        """Find texts by stemmed words, best first: so many from trusted sources, and again so many from the others.

        Of those that fit alike the most trusted come first, then those that were told last.
        """
        found = "SELECT inode, offset, length FROM ranked CROSS JOIN texts USING (row)"
        return self._ask(lambda _: self._index.search(found, question, limit, "trust DESC, latest DESC"))

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many texts hold each word, and how many texts there are."""
        return self._ask(lambda _: self._index.frequency(question))

    def place(self, identity: str) -> Place | None:
        """Tell where in the log an id stands, ERASED if it left a tombstone, None if it is unknown.

        Every write asks this, so what was told lately is not indexed for it.
        """
        found = "SELECT inode, offset, length FROM told WHERE id = ?"
        indexed: Place | None = self._ask(lambda db: db.execute(found, [name(identity)]).fetchone(), self._nearly)
        return self._lately.get(identity, indexed)

    def erasures(self) -> bool:
        """Tell whether anything at all was erased."""
        return bool(self._rows("SELECT 1 FROM told WHERE inode = 0 LIMIT 1"))

    def steps(self) -> Iterator[list[Place]]:
        """Yield the places of what set, moved or ended a task, newest first, a few at a time."""
        before = "SELECT row, inode, offset, length FROM steps WHERE row < ? ORDER BY row DESC LIMIT ?"
        row, some = 1 << 62, STEPS
        while found := self._rows(before, row, some):
            yield [place for _, *place in found]
            row, some = found[-1][0], 2 * some

    def recurring(self, sessions: int) -> Iterator[tuple[list[Place], list[Place]]]:
        """Yield for every text that was told in so many sessions its first telling in each of the first of them.

        They come twice, by their time: those by sources that may teach, maybe too few, and those by any.
        """
        often = "SELECT row FROM texts WHERE turns >= ?" + " AND turns > 1" * (sessions > 1) + " ORDER BY +row"
        first = (
            "SELECT inode, offset, length FROM first_told AS one INDEXED BY told_first CROSS JOIN told USING (row) "
            "WHERE text = ?1 AND {} ORDER BY time, row LIMIT ?2"
        )
        earlier = "SELECT 1 FROM first_told AS other WHERE text = ?1 AND session = one.session AND row < one.row"
        taught, told = first.format("taught"), first.format(f"NOT EXISTS ({earlier})")
        for (text,) in self._rows(often, sessions):
            by_any = self._rows(told, text, sessions)
            if len(by_any) == sessions:
                yield self._rows(taught, text, sessions), by_any

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Give the ids that restate any of these, or sum them up."""
        return {unnamed(by) for one in ids for (by,) in self._rows("SELECT by FROM restated WHERE id = ?", name(one))}

    def summarised_ids(self) -> set[str]:
        """Give the ids that stand in the log although a summary has taken their place."""
        found = "SELECT id FROM restated JOIN told USING (id) WHERE forgot AND inode"
        return {unnamed(one) for (one,) in self._rows(found)}

    def appended(self, identity: str, before: tuple[int, int], after: tuple[int, int]) -> None:
        """Note where this process has just appended an id: the log's (inode, size) before and after say it."""
        inode, start, end = self._told
        if before == (inode, end) and after[0] == inode:
            self._lately[identity] = (inode, end, after[1] - end)
            self._told = (inode, start, after[1])

    def reset(self) -> None:
        """Forget everything: the next question reads the log anew."""
        self._lately, self._told = {}, (0, 0, 0)
        try:
            if self._index:
                self._db().executescript(_EMPTY)
        except sqlite3.DatabaseError:
            self._throw_away()

    def close(self) -> None:
        """Let go of the file."""
        self._index.close()

    def _rows(self, question: str, *values: object) -> list[Any]:
        return self._ask(lambda db: db.execute(question, values).fetchall())

    def _ask(
        self, question: Callable[[sqlite3.Connection], T], ready: Callable[[], sqlite3.Connection] | None = None
    ) -> T:
        """Ask the index once it is ready: has read all of the log. Raises OSError if it cannot be written."""
        ready = ready or self._current
        try:
            return question(ready())
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                self._index.close()  # what was opened on a read-only disk stays so; the next question opens it anew
                advice = "free space or make the folder writable; this file may be deleted at any time"
                raise OSError(f"{self._index.path}: {error}; {advice}") from error
            self._throw_away()
            return question(ready())

    def _nearly(self) -> sqlite3.Connection:
        """Read of what the log has gained since it was indexed only where each id stands, as long as that is little."""
        db = self._db()
        inode, size = self._log.identity
        (start,) = db.execute("SELECT offset FROM read WHERE inode = ?", (inode,)).fetchone() or (-1,)
        if not inode and self._told == NOWHERE:
            return db
        if self._told[:2] != (inode, start):
            self._lately, self._told = {}, (inode, start, start)
        end = self._told[2]
        if start < 0 or not end <= size <= start + LITTLE:
            self._lately, self._told = {}, NOWHERE
            return self._current()
        for place, record in self._log.tail({inode: end}) if size > end else ():
            if place[0] != inode:  # the file was sealed meanwhile
                return self._nearly()
            if is_episode_record(record):
                self._lately[record["id"]] = place
            elif is_tombstone(record):
                self._lately[record["erased"]] = ERASED
            self._told = (inode, start, place[1] + place[2])
        return db

    def _current(self) -> sqlite3.Connection:
        """Read what the log has gained since the last question."""
        db = self._db()
        inode, size = self._log.identity
        if db.execute("SELECT offset FROM read WHERE inode = ?", (inode,)).fetchone() == (size,):
            return db
        read, sizes = _read(db), self._log.sizes()
        if any(offset > sizes.get(inode, -1) for inode, offset in read.items()):
            self.reset()
        while self._read_on(db := self._db()):
            pass
        return db

    def _read_on(self, db: sqlite3.Connection) -> bool:
        """Index the next lines of the log; tell whether there may be more."""
        with db:
            db.execute("BEGIN IMMEDIATE")
            read = _read(db)
            lines: list[tuple[Place, Record]] = []
            size = 0
            for place, record in self._log.read_on(read):
                lines.append((place, record))
                read[place[0]] = place[1] + place[2]
                size += place[2]
                if size >= BATCH:
                    break
            if lines:
                take(db, lines)
                db.executemany("INSERT OR REPLACE INTO read VALUES (?, ?)", read.items())
        return size >= BATCH

    def _db(self) -> sqlite3.Connection:
        """Open the file; the first time make it anew if another version made it, or if it is not of this log."""
        if not self._checked and self._index:
            with closing(sqlite3.connect(self._index.path)) as db:
                made = db.execute("PRAGMA schema_version").fetchone() != (0,)
                ours = db.execute("PRAGMA user_version").fetchone() == (VERSION,)
                usable = not made or (ours and self._of_this_log(db))
            if not usable:
                self._throw_away()
        self._checked = True
        return self._index.db

    def _of_this_log(self, db: sqlite3.Connection) -> bool:
        """Tell whether what was read last still stands there: a power cut may have taken it, and others have come."""
        last = "SELECT id, inode, offset, length FROM told WHERE inode ORDER BY row DESC LIMIT 1"
        told = [(unnamed(identity), place) for identity, *place in db.execute(last)]
        return all([record.get("id") for record in self._log.at([place])] == [identity] for identity, place in told)

    def _throw_away(self) -> None:
        self._index.close()
        for suffix in ("", "-wal", "-shm"):
            self._index.path.with_name(self._index.path.name + suffix).unlink(missing_ok=True)


def _read(db: sqlite3.Connection) -> dict[int, int]:
    """Tell up to which offset each file of the log was read."""
    return dict(db.execute("SELECT inode, offset FROM read"))
