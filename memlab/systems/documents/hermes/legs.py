"""Two legs of a search, by keyword and by vector, and three ways to join them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Literal

from memlab.memory.text import replace_surrogates
from memlab.systems.documents.parts.encoder import Encode, VectorIndex, best, hash512
from memlab.systems.line_index import content_words

Fusion = Literal["rrf", "vector", "keyword", "minmax"]
RRF_K = 60
"""[m] A rank counts 1/(60 + rank), from rank 1: the constant that is usual for RRF; the document names none."""
WIDER = 2
"""[s] Each leg returns twice as many results as are asked for: `limit=top_k * 2`."""


class Legs:
    """Texts by key, in an index of words (BM25) and one of vectors."""

    def __init__(self, fusion: Fusion = "rrf", encode: Encode = hash512) -> None:
        self._fusion = fusion
        self._vectors = VectorIndex(encode)
        self._words = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._words.execute("CREATE VIRTUAL TABLE texts USING fts5(key UNINDEXED, text, tokenize='porter unicode61')")

    def put(self, key: str, text: str) -> None:
        """Add a text, or replace that of a key."""
        self._words.execute("DELETE FROM texts WHERE key = ?", (key,))
        self._words.execute("INSERT INTO texts VALUES (?, ?)", (key, replace_surrogates(text)))
        self._vectors.put(key, text)

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """Return at most k keys with their fused scores, the best first."""
        legs = [leg for leg in (self.keyword(query, WIDER * k), self.vector(query, WIDER * k)) if leg]
        scores: dict[str, float] = {}
        for leg in legs:
            for key, score in (scaled(leg) if self._fusion == "minmax" else reciprocal_ranks(leg)).items():
                scores[key] = scores.get(key, 0.0) + score / len(legs)
        return best(scores, k)

    def keyword(self, query: str, k: int) -> dict[str, float]:
        """Return at most k keys with their BM25 scores, the best first; none if only vectors are searched."""
        words = [] if self._fusion == "vector" else content_words(query)
        match = " OR ".join(f'"{word}"' for word in words)
        if not match:
            return {}
        pick = "SELECT key, -rank FROM texts WHERE texts MATCH ? ORDER BY rank, rowid DESC LIMIT ?"
        return dict(self._words.execute(pick, (replace_surrogates(match), k)))

    def vector(self, query: str, k: int) -> dict[str, float]:
        """Return at most k keys with their cosines, the nearest first; none if only words are searched."""
        return {} if self._fusion == "keyword" else dict(self._vectors.nearest(query, k))

    def cosines(self, query: str) -> dict[str, float]:
        """Return the cosine of every text, whatever is searched."""
        return self._vectors.cosines(query)


def reciprocal_ranks(leg: Mapping[str, float]) -> dict[str, float]:
    """Return 1/(60 + rank) for each result of a leg that is sorted by rank."""
    return {key: 1 / (RRF_K + rank) for rank, key in enumerate(leg, start=1)}


def scaled(leg: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of a leg scaled so that the least is 0 and the largest 1; 1 if all are equal."""
    least, most = min(leg.values(), default=0.0), max(leg.values(), default=0.0)
    return {key: (score - least) / (most - least) if most > least else 1.0 for key, score in leg.items()}
