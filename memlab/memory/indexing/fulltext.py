"""Full-text search in one SQLite file, shared by the facts and the episodes."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import accumulate
from pathlib import Path

from memlab.memory.retrieval.relevance import Weights, weigh
from memlab.memory.storage.database import Database
from memlab.memory.trust import NOT_TRUSTED

MOST_ROWS = 1000
"""At most 1,000 rows of each side are scored for the rarest words of a question; see WordIndex.hits."""

_SETTINGS = "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, row);"
_TRUSTED = "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?"
_OTHERS = "SELECT -rowid FROM words WHERE words MATCH ? AND rowid <= -? ORDER BY rowid LIMIT ?"


def signed_row(row: int, rank: int) -> int:
    """Return the rowid of a row in `words`: its number, or minus its number if its source is not trusted.

    So each side can be searched from its latest row on, without reading rows of the other side.
    """
    return row if rank > NOT_TRUSTED else -row


@dataclass(frozen=True)
class Hits:
    """The rows that a search found, in two sides: of trusted sources, and of the others.

    Each row has a number with a bit for each word that it contains; the first word of `weights` has the lowest bit.
    """

    weights: Weights
    sides: tuple[Mapping[int, int], Mapping[int, int]]
    _known: dict[int, float] = field(default_factory=dict)

    def weight(self, bits: int) -> float:
        """Return the sum of the weights of these words."""
        if bits not in self._known:
            held = (weight for place, weight in enumerate(self.weights.values()) if bits >> place & 1)
            self._known[bits] = sum(held)
        return self._known[bits]

    def best(self, side: Mapping[int, int], limit: int) -> dict[int, float]:
        """Return the `limit` rows of a side with the most weight, and all that equal the last of them."""
        scores = {row: self.weight(bits) for row, bits in side.items()}
        least = min(nlargest(limit, scores.values()), default=0)
        return {row: score for row, score in scores.items() if score >= least}


class WordIndex(Database):
    """An SQLite file with a table that has a column `row`, and the full-text index `words` of its rows.

    The stemmed words of a row have the rowid that signed_row() returns. `count` is the SQL expression that counts the
    rows.
    """

    def __init__(  # noqa: PLR0913 - see Database
        self,
        path: Path,
        table: str,
        schema: str,
        columns: Collection[str] = (),
        *,
        version: int = 0,
        count: str = "count(*)",
        links: bool = False,
    ) -> None:
        super().__init__(path, f"{_SETTINGS}{schema}{_VOCABULARY}", table, columns, version=version, links=links)
        self._count = count

    def hits(self, question: Sequence[str], limit: int) -> Hits:
        """Find rows by stemmed words: of trusted sources and of the others, at least the best `limit` of each.

        Each side by itself: the rarest words find all their rows, as long as these are at most 1,000 together; commoner
        words only add to the scores of these rows. If that finds fewer than `limit`, the common words find the latest
        1,000 rows that contain all of them, and the latest 1,000 that contain the rarest of them. So the cost is
        bounded, except for SQLite's own scan of the lists of common words.
        """
        trusted, others = (_Side(self.connection, latest, dict.fromkeys(question)) for latest in (_TRUSTED, _OTHERS))
        frequencies = trusted.frequencies + others.frequencies
        weights = weigh(frequencies, frequencies, self._total()) if frequencies else {}
        bits = {word: 1 << place for place, word in enumerate(weights)}
        return Hits(weights, (trusted.find(bits, limit), others.find(bits, limit)))

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Return how many rows contain each word, and how many rows there are."""
        pick = "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"
        return dict(self.connection.execute(pick, (json.dumps([*question]),)).fetchall()), self._total()

    def _total(self) -> int:
        return int(self.connection.execute(f"SELECT {self._count} FROM {self._table}").fetchone()[0])  # noqa: S608 - our own names


class _Side:
    """The latest rows of each word of a question, among the rows of trusted sources or among the others."""

    def __init__(self, db: sqlite3.Connection, latest: str, question: Collection[str]) -> None:
        self._db = db
        self._sql = latest
        found = {word: self._latest(_all(word), MOST_ROWS + 1) for word in question}
        self._rows = {word: rows for word, rows in found.items() if rows}
        self.frequencies = Counter({word: _estimate(rows) for word, rows in self._rows.items()})

    def find(self, bits: Mapping[str, int], limit: int) -> dict[int, int]:
        """Return rows that contain words of the question, each with the bits of these words."""
        by_rarity = sorted(self._rows, key=self.frequencies.__getitem__)
        sums = accumulate(len(self._rows[word]) for word in by_rarity)
        rare = [word for word, rows in zip(by_rarity, sums, strict=True) if rows <= MOST_ROWS]
        common = by_rarity[len(rare) :]
        found: dict[int, int] = defaultdict(int)
        any_rare = " OR ".join(map(_all, rare))
        for word in by_rarity if rare else ():
            rows = self._rows[word] if word in rare else self._latest(f"({any_rare}) AND {_all(word)}")
            _add(found, rows, bits[word])
        if common and len(found) < limit:
            rarest, *others = common
            latest = self._rows[rarest]
            _add(found, latest, bits[rarest])
            for word in others:
                _add(found, self._latest(_all(rarest, word), first=latest[-1]), bits[word])
            _add(found, self._latest(_all(*common)), sum(bits[word] for word in common))
        return found

    def _latest(self, match: str, most: int = MOST_ROWS, first: int = 1) -> list[int]:
        """Return at most so many rows that match, from row `first` on, the latest first."""
        return [row for (row,) in self._db.execute(self._sql, (match, first, most))]


def _estimate(latest: Sequence[int]) -> int:
    """Estimate how many rows contain a word from the density of the latest ones; exact if these are all."""
    return len(latest) if len(latest) <= MOST_ROWS else len(latest) * latest[0] // (latest[0] - latest[-1] + 1)


def _add(found: dict[int, int], rows: Sequence[int], bits: int) -> None:
    for row in rows:
        found[row] |= bits


def _all(*words: str) -> str:
    return " AND ".join(f'"{word}"' for word in words)
