"""Full-text search in one SQLite file, as the facts and the episodes share it; opened when it is first asked."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from threading import get_ident
from typing import Any

from memlab.memory.storage.lock import check_thread
from memlab.memory.text import Weights, weigh
from memlab.memory.trust import NOT_TRUSTED

MOST_ROWS = 1000
"""So many rows of each side are weighed for the rarest words of a question; see WordIndex.search."""

_SETTINGS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, row);"
_RANKED = "WITH ranked (row, worth) AS (SELECT CAST(key AS INTEGER), value FROM json_each(?))"
_TRUSTED = "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?"
_OTHERS = "SELECT -rowid FROM words WHERE words MATCH ? AND rowid <= -? ORDER BY rowid LIMIT ?"


def side(row: int, trust: int) -> int:
    """Give the number under which `words` keeps a row: its own, or minus its own if no trusted source has told it.

    So each side can be looked through from its latest row on, and nothing of the other is met on the way.
    """
    return row if trust > NOT_TRUSTED else -row


class WordIndex:
    """A file with a table whose rows have a number, `row`, and with `words`, the stemmed words of each row: see side().

    `count` is the SQL that counts the rows.
    """

    def __init__(self, path: Path, table: str, schema: str, count: str = "count(*)") -> None:
        self.path = path
        self._table = table
        self._count = count
        self._schema = _SETTINGS + schema + _VOCABULARY
        self._opened: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._thread = 0

    def __bool__(self) -> bool:
        """Tell whether the file is there."""
        return self._is_there()

    def _is_there(self) -> bool:
        """Tell whether the file is there; one that was deleted since, or that a copy has replaced, is let go."""
        there = self._identity()
        if self._opened is not None and there != self._file and not self._opened.in_transaction:
            self.close()
        return there is not None

    @property
    def db(self) -> sqlite3.Connection:
        """Give a connection to the file that is there now; it is made if it is not there.

        A file that was deleted since, or that a copy has replaced, is let go. Raises RuntimeError in another thread
        than the one that has opened it.
        """
        self._is_there()
        return self.held

    @property
    def held(self) -> sqlite3.Connection:
        """The connection as `db` gave it last, so that one search is answered by one file."""
        if self._opened is None:
            self._thread = get_ident()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._opened = sqlite3.connect(self.path, isolation_level=None, timeout=30)
            self._opened.executescript(self._schema)
            self._file = self._identity()
        elif get_ident() != self._thread:
            check_thread(self._thread, self.path)
        return self._opened

    def _identity(self) -> tuple[int, int] | None:
        """Tell which file is there now; None if there is none."""
        try:
            status = os.stat(self.path)  # noqa: PTH116 - asked at every use, and twice as fast as Path.stat
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def search(
        self, pick: str, question: Sequence[str], limit: int, among_equals: str = "row DESC"
    ) -> list[tuple[Any, ...]]:
        """Pick rows by stemmed words, best first: so many from trusted sources, and again so many from the others.

        `pick` is a SELECT from the table, joined with ranked (row, worth). The more a row holds of the question, by the
        weight of its words, the better; `among_equals` orders what fits alike.

        What it costs is bounded on each side by itself, so that however much one of them tells, it hides nothing of the
        other: the rarest words find all their rows, as long as these are at most 1,000 together. Commoner words only
        add to the worth of what is found. Where that is less than `limit`, they find the latest 1,000 rows that hold
        them all, and the latest 1,000 that hold the rarest of them. What is left to grow is SQLite's own walk along the
        lists of the common words, about a fiftieth of what it takes to rank their rows.
        """
        sides = [_Side(self.held, latest, dict.fromkeys(question)) for latest in (_TRUSTED, _OTHERS)]
        held_by = sum((one.held_by for one in sides), Counter())
        weights = weigh(held_by, held_by, self._total()) if held_by else {}
        found: list[tuple[Any, ...]] = []
        for one in sides:
            ranked = json.dumps(one.ranked(weights, limit))
            found += self.held.execute(f"{_RANKED} {pick} ORDER BY worth DESC, {among_equals} LIMIT ?", (ranked, limit))
        return found

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many rows hold each word, and how many rows there are."""
        rows = self.held.execute(
            "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps([*question]),),
        )
        return dict(rows.fetchall()), self._total()

    def _total(self) -> int:
        total: int = self.held.execute(f"SELECT {self._count} FROM {self._table}").fetchone()[0]  # noqa: S608 - our own names
        return total

    def close(self) -> None:
        """Let go of the file. Raises RuntimeError in another thread than the one that has opened it."""
        if self._opened:
            check_thread(self._thread, self.path)
            self._opened.close()
            self._opened = None


class _Side:
    """Of the rows that trusted sources told, or of those that the others told, the latest that hold a word each."""

    def __init__(self, db: sqlite3.Connection, latest: str, question: Collection[str]) -> None:
        self._db = db
        self._sql = latest
        found = {word: self._latest(_all(word), MOST_ROWS + 1) for word in question}
        self._rows = {word: rows for word, rows in found.items() if rows}
        self.held_by = Counter({word: _estimated(rows) for word, rows in self._rows.items()})

    def ranked(self, weights: Weights, limit: int) -> dict[int, float]:
        """Give rows that hold words of the question, each with the weight of those that it holds."""
        by_rarity = sorted(self._rows, key=self.held_by.__getitem__)
        sums = accumulate(len(self._rows[word]) for word in by_rarity)
        rare = [word for word, rows in zip(by_rarity, sums, strict=True) if rows <= MOST_ROWS]
        common = by_rarity[len(rare) :]
        ranked: dict[int, float] = defaultdict(float)
        for word in by_rarity if rare else ():
            rows = self._rows[word] if word in rare else self._latest(f"({_any(rare)}) AND {_all(word)}")
            _add(ranked, rows, weights[word])
        if common and len(ranked) < limit:
            self._add_latest(ranked, common, weights)
        return ranked

    def _add_latest(self, ranked: dict[int, float], common: Sequence[str], weights: Weights) -> None:
        """Add the latest rows of the first of some words, and the latest rows that hold all of them."""
        latest = self._rows[common[0]]
        found: dict[int, float] = defaultdict(float)
        _add(found, latest, weights[common[0]])
        for word in common[1:]:
            _add(found, self._latest(_all(common[0], word), first=latest[-1]), weights[word])
        whole = sum(weights[word] for word in common)
        for row, worth in [*found.items(), *((row, whole) for row in self._latest(_all(*common)))]:
            ranked[row] = max(ranked[row], worth)

    def _latest(self, match: str, most: int = MOST_ROWS, first: int = 1) -> list[int]:
        """Give the latest rows that match, from the first on, the latest first."""
        return [row for (row,) in self._db.execute(self._sql, (match, first, most))]


def _estimated(latest: Sequence[int]) -> int:
    """Estimate how many rows hold a word from where the latest of them stand; exactly, where these are all."""
    return len(latest) if len(latest) <= MOST_ROWS else len(latest) * latest[0] // (latest[0] - latest[-1] + 1)


def _add(ranked: dict[int, float], rows: Sequence[int], worth: float) -> None:
    for row in rows:
        ranked[row] += worth


def _any(words: Collection[str]) -> str:
    return " OR ".join(f'"{word}"' for word in words)


def _all(*words: str) -> str:
    return " AND ".join(f'"{word}"' for word in words)
