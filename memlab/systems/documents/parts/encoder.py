"""The encoder hash512: texts as vectors without weights, the same on every machine.

It is lexical: it finds shared words and shared parts of words, never a paraphrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
Encode = Callable[[str], Vector]
NAME = "hash512"
WIDTH = 512
"""[m] The places of a vector."""
DIGEST_BYTES = 8
"""[m] Bytes of the hash that selects the place and the sign of a feature."""
GRAM = 3
"""[m] Each word counts, and each run of three of its characters."""
_FIRST_ROWS = 64
_WORD = re.compile(r"[a-z0-9_./-]*[a-z0-9_]")  # a path is one word, and a full stop is part of none


@lru_cache(maxsize=8192)
def hash512(text: str) -> Vector:
    """Return the signed counts of a text's features, shape (512,): not normalised, so that dot products are exact."""
    features = [feature for word in _WORD.findall(text.lower()) for feature in _features(word)]
    signed = np.array(features or [0], dtype=np.int32)
    counts = np.bincount(np.abs(signed), np.sign(signed), WIDTH + 1)[1:]
    vector = counts.astype(np.float32)
    vector.flags.writeable = False  # it is shared by all callers
    return vector


@lru_cache(maxsize=65536)
def _features(word: str) -> tuple[int, ...]:
    """Return the places of a word's features, counted from 1, with their signs."""
    grams = [word[start : start + GRAM] for start in range(len(word) - GRAM + 1)]
    return tuple(map(_place, (word, *grams)))


def _place(feature: str) -> int:
    number = int.from_bytes(blake2b(feature.encode(), digest_size=DIGEST_BYTES).digest(), "big")
    place, is_negative = number % WIDTH + 1, number // WIDTH % 2
    return -place if is_negative else place


class VectorIndex:
    """Texts by key, compared with a query by brute force; a text is encoded when it is first compared."""

    def __init__(self, encode: Encode = hash512) -> None:
        self._encode = encode
        self._rows: dict[str, int] = {}
        self._pending: dict[int, str] = {}
        self._vectors = np.zeros((_FIRST_ROWS, WIDTH), np.float32)
        self._lengths = np.ones(_FIRST_ROWS)
        self._used = 0

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, key: str, text: str) -> None:
        """Add a text, or replace that of a key."""
        if key not in self._rows:
            if self._used == len(self._vectors):
                self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
                self._lengths = np.concatenate([self._lengths, np.ones_like(self._lengths)])
            self._rows[key] = self._used
            self._used += 1
        self._pending[self._rows[key]] = text

    def remove(self, key: str) -> None:
        """Remove a key if it is there."""
        self._rows.pop(key, None)

    def cosines(self, query: str) -> dict[str, float]:
        """Return the cosine of the query and each text, by key in the order of their first addition."""
        for row, text in self._pending.items():
            self._vectors[row] = vector = self._encode(text)
            self._lengths[row] = _length(vector)
        self._pending.clear()
        asked = self._encode(query)
        dots = self._vectors[: self._used] @ asked  # sums of integers: exact in any order
        found = (dots / (self._lengths[: self._used] * _length(asked))).tolist()
        return {key: found[row] for key, row in self._rows.items()}

    def nearest(self, query: str, k: int, least: float = 0.0) -> list[tuple[str, float]]:
        """Return at most k keys with a cosine above `least`, the nearest first; of equal ones the later."""
        return best(self.cosines(query), k, least)


def cosine(one: str, other: str, encode: Encode = hash512) -> float:
    """Return the cosine of two texts."""
    first, second = encode(one), encode(other)
    return float(first @ second) / (_length(first) * _length(second))


def best(scores: Mapping[str, float], k: int, least: float = 0.0) -> list[tuple[str, float]]:
    """Return at most k keys with a score above `least`, the best first; of equal ones the later."""
    above = [(-score, -place, key) for place, (key, score) in enumerate(scores.items()) if score > least]
    return [(key, -negative) for negative, _, key in sorted(above)[:k]]


def _length(vector: Vector) -> float:
    return float(np.sqrt(vector.dot(vector), dtype=np.float64)) or 1.0
