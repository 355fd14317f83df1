"""Texts found by their own words and by those of their neighbours in the log."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from memlab.memory.indexing.fulltext import Hits
from memlab.memory.storage.journal import Place

NEIGHBOUR_WEIGHTS = {-1: 0.8, -2: 0.6, -3: 0.4, 1: 0.4, 2: 0.3}
"""The weight of a word that only a neighbour has, by its distance: the turns before a turn explain it more than those
after it, since an answer follows its question."""
SPEAKER = "@"
"""Marks the words of a speaker's name in the index; no word of a text contains it."""
_ROWS = """SELECT row, CASE WHEN is_turn THEN session END, trust, latest, inode, offset, length
FROM texts WHERE row IN ({})"""


class Hit(NamedTuple):
    """A text that was found: its place in the log, and the words that each neighbour adds, as in NEIGHBOUR_WEIGHTS."""

    place: Place
    near: tuple[frozenset[str], ...]


class Neighbourhood:
    """The best rows of a search, and the rows around them.

    Rows are neighbours only if both are turns of a dialogue (short, with the speaker's name) in one session: a turn is
    understood from those around it, any other text by itself.
    """

    def __init__(self, db: sqlite3.Connection, hits: Hits, limit: int) -> None:
        self._db = db
        self._hits = hits
        self._limit = limit
        self._bits = {**hits.sides[0], **hits.sides[1]}
        top = [self._top(side) for side in hits.sides]
        far = max(map(abs, NEIGHBOUR_WEIGHTS))
        wanted = {row + step for row in chain(*top) for step in range(-far, far + 1)}
        self._known = {row: known for row, *known in db.execute(_ROWS.format(",".join(map(str, wanted))))}

    def best(self) -> list[Hit]:
        """Return the best texts of each side: those of trusted sources, then the others."""
        scored = ((*self._score(row), trust, latest, row) for row, (_, trust, latest, *_) in self._known.items())
        ranked = sorted((one for one in scored if one[0] > 0), reverse=True)
        sides = ([one for one in ranked if (one[2] > 0) is trusted] for trusted in (True, False))
        return [self._hit(row, near) for side in sides for _, near, *_, row in side[: self._limit]]

    def _top(self, side: Mapping[int, int]) -> list[int]:
        best = self._hits.best(side, self._limit)
        pick = f"SELECT row, latest FROM texts WHERE row IN ({','.join(map(str, best))})"  # noqa: S608 - numbers
        latest = self._db.execute(pick)
        return [row for row, _ in sorted(latest, key=lambda one: (-best[one[0]], -one[1]))[: self._limit]]

    def _score(self, row: int) -> tuple[float, tuple[int, ...]]:
        """Return the weight of a row, and the bits of the words that each neighbour adds."""
        seen = self._bits.get(row, 0)
        score, near = self._hits.weight(seen), []
        for step, factor in NEIGHBOUR_WEIGHTS.items():
            found = self._beside(row, step)
            score += factor * self._hits.weight(found & ~seen)
            near.append(found & ~seen)
            seen |= found
        return score, tuple(near)

    def _beside(self, row: int, step: int) -> int:
        """Return the bits of a neighbour; no bits if the rows are not two turns of one session."""
        (dialogue, *_), (other, *_) = self._known[row], self._known.get(row + step, [None])
        return self._bits.get(row + step, 0) if dialogue is not None and other == dialogue else 0

    def _hit(self, row: int, near: Sequence[int]) -> Hit:
        sets = (frozenset(word for place, word in enumerate(self._hits.weights) if bits >> place & 1) for bits in near)
        inode, offset, length = self._known[row][-3:]
        return Hit((inode, offset, length), tuple(sets))
