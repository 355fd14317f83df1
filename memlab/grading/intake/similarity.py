"""Finds similar submissions, for the instructor to review.

Winnowing: S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD
2003. Every name, number and string is replaced by one sign first, so renaming hides nothing; comments and layout do not
count. Fingerprints of the lab's own files are removed.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array, triu

from memlab.grading.intake.submissions import Submission
from memlab.labs.lab import Lab
from memlab.labs.learner.submission import QUIET

MAX_CHARACTERS = 200_000
"""Characters of a submission; the solution of a lab has about 15,000."""
GRAM, WINDOW = 20, 8
"""Signs of a fingerprint, and fingerprints of which the smallest is kept: 27 common signs are always found."""
LEAST_SHARED, LEAST_SIMILAR = 30, 0.4
"""Thresholds of a similar pair: common fingerprints, and their share of those of the smaller submission."""
COMMON, OF_ALL = 10, 0.5
"""A fingerprint is ignored if more submissions have it than the greater of these: a number, or a share of all."""
MOST_WORK = 500_000_000
"""Limit on comparisons of two submissions at a fingerprint; the rarest fingerprints come first."""
MOST_PAIRS = 100
NAME = re.compile(rf"\b(?!(?:{'|'.join(keyword.kwlist)})\b)[^\W\d]\w*+")
NUMBER = re.compile(r"\b\d[\w.]*+")
SPACE = re.compile(r"\s++")
BASE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number with its bits well mixed: hashes are numbers in this base, modulo 2 to the 64."""
Prints: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"


@dataclass(frozen=True)
class Pair:
    """Two submissions, by name, with `shared` common fingerprints.

    `similarity`, 0 to 1, is their share of the fingerprints of the smaller submission. `note` is set if both texts are
    identical, and names the lab's file if they are a copy of it.
    """

    first: str
    second: str
    similarity: float
    shared: int
    note: str = ""


def find_similar_pairs(submissions: Sequence[Submission], lab: Lab, most: int = MOST_PAIRS) -> list[Pair]:
    """Return the pairs above the thresholds, most similar first.

    Copies of the lab's own files come last.
    """
    places = [lab.folder / name for name in ("skeleton.py", "published.py", "solution.py")]
    given = {place.read_text(encoding="utf-8"): place.name for place in places if place.exists()}
    copies: dict[str, list[Submission]] = {}
    for one in sorted(submissions, key=lambda one: one.name):
        if one.source.strip():
            copies.setdefault(one.source, []).append(one)
    own = [pair for text, some in copies.items() if text not in given for pair in _identical_pairs(some)]
    near = _near_pairs([first for first, *_ in copies.values()], list(given))
    untouched = [pair for text, name in given.items() for pair in _identical_pairs(copies.get(text, []), name)]
    return [*own, *near, *untouched][:most]


def _identical_pairs(copies: Sequence[Submission], given: str = "") -> list[Pair]:
    """Return pairs of the first copy of a text with each other student's copy; `given` names the lab's file."""
    says = f"identical: the lab's {given}" if given else "identical"
    shared = len(fingerprints(copies[0].source)) if len(copies) > 1 else 0
    others = [one for one in copies[1:] if (one.student or one.name) != (copies[0].student or copies[0].name)]
    return [Pair(copies[0].name, one.name, 1.0, shared, says) for one in others]


def _near_pairs(submissions: Sequence[Submission], given: Sequence[str]) -> list[Pair]:
    """Return the pairs that share many fingerprints which are not the lab's, most similar first."""
    taken_out = np.concatenate([*map(fingerprints, given), np.empty(0, np.uint64)])
    own = {one.name: np.setdiff1d(fingerprints(one.source), taken_out) for one in submissions}
    same: dict[bytes, list[str]] = {}
    for name, prints in own.items():
        if len(prints) >= LEAST_SHARED:
            same.setdefault(prints.tobytes(), []).append(name)
    pairs = [Pair(first, other, 1.0, len(own[first])) for first, *others in same.values() for other in others]
    pairs += _pairs_in_common({first: own[first] for first, *_ in same.values()})
    return sorted(pairs, key=lambda pair: (-pair.similarity, -pair.shared, pair.first, pair.second))


def fingerprints(source: str) -> Prints:
    """Return the sorted fingerprints of a text: of each window of hashes of consecutive signs, the smallest."""
    signs = np.frombuffer(normalise(source[:MAX_CHARACTERS]).encode("utf-32-le"), np.uint32).astype(np.uint64)
    if len(signs) < GRAM + WINDOW - 1:
        return np.empty(0, np.uint64)
    hashes = np.zeros(len(signs) - GRAM + 1, np.uint64)
    for at in range(GRAM):
        hashes = hashes * BASE + signs[at : at + len(hashes)]
    return np.unique(np.lib.stride_tricks.sliding_window_view(hashes, WINDOW).min(axis=1))


def normalise(source: str) -> str:
    """Return a text as signs: a letter for a name, a digit for a number, a quote for a string.

    The text need not be Python. The expressions do not backtrack, so the time is linear.
    """
    signs = QUIET.sub(lambda found: "" if found[0][0] == "#" else '"', source)
    return SPACE.sub("", NUMBER.sub("0", NAME.sub("n", signs)))


def _pairs_in_common(own: Mapping[str, Prints]) -> list[Pair]:
    """Return the pairs above the thresholds; an index of fingerprints avoids comparing all pairs."""
    if not own:
        return []
    names = list(own)
    rows = np.repeat(np.arange(len(own)), [len(prints) for prints in own.values()])
    _, columns, holders = np.unique(np.concatenate(list(own.values())), return_inverse=True, return_counts=True)
    telling = (holders <= max(COMMON, OF_ALL * len(own))) & _affordable(holders)
    kept = telling[columns]
    has = csr_array((np.ones(kept.sum(), np.int32), (rows[kept], columns[kept])), shape=(len(own), len(holders)))
    sizes = has.sum(axis=1)
    shared = triu(has @ has.T, k=1).tocoo()
    found = zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True)
    pairs = (
        Pair(names[one], names[other], float(count / min(sizes[one], sizes[other])), count)
        for one, other, count in found
        if count >= LEAST_SHARED
    )
    return [pair for pair in pairs if pair.similarity >= LEAST_SIMILAR]


def _affordable(holders: np.ndarray[tuple[int], np.dtype[np.intp]]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which fingerprints can be counted within the limit; the most common are left out."""
    order = np.argsort(holders, kind="stable")
    fits = np.empty(len(holders), np.bool_)
    fits[order] = np.cumsum(holders[order].astype(np.int64) ** 2) <= MOST_WORK
    return fits
