"""Submissions that are nearly the same, for a person to look at: what that means is not for a program to say.

Winnowing: S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD
2003. Every name, number and string is written as one sign first, so renaming hides nothing; comments and layout do not
count. What the lab itself gave to everyone is taken out.
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
"""Signs of a fingerprint, and fingerprints of which the least is kept: 27 signs in common are always found."""
LEAST_SHARED, LEAST_SIMILAR = 30, 0.4
"""What makes a pair worth a look: fingerprints in common, and their share of those of the smaller of the two."""
COMMON, OF_ALL = 10, 0.5
"""A fingerprint tells nothing where more have it than the greater of these: so many, or such a share of all."""
MOST_WORK = 500_000_000
"""Meetings of two submissions at a fingerprint that are counted, those at the rarest first."""
MOST_PAIRS = 100
NAME = re.compile(rf"\b(?!(?:{'|'.join(keyword.kwlist)})\b)[^\W\d]\w*+")
NUMBER = re.compile(r"\b\d[\w.]*+")
SPACE = re.compile(r"\s++")
BASE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number with its bits well mixed: hashes are numbers in this base, modulo 2 to the 64."""
Prints: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"


@dataclass(frozen=True)
class Pair:
    """Two submissions, by their names, that have `shared` fingerprints in common.

    `similarity`, 0 to 1, is their share of the fingerprints that the smaller of the two has of its own. `says` tells
    where both are the very same text, and what of the lab's that is.
    """

    first: str
    second: str
    similarity: float
    shared: int
    note: str = ""


def find_similar_pairs(submissions: Sequence[Submission], lab: Lab, most: int = MOST_PAIRS) -> list[Pair]:
    """List the pairs that are most alike, the most alike first; none where none is worth a look.

    What several hand in just as the lab gave it stands last.
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
    """Give each copy of a text with the first, where they are not one student's; `given` is the lab's name for it."""
    says = f"identical: the lab's {given}" if given else "identical"
    shared = len(fingerprints(copies[0].source)) if len(copies) > 1 else 0
    others = [one for one in copies[1:] if (one.student or one.name) != (copies[0].student or copies[0].name)]
    return [Pair(copies[0].name, one.name, 1.0, shared, says) for one in others]


def _near_pairs(submissions: Sequence[Submission], given: Sequence[str]) -> list[Pair]:
    """Give the pairs that share much of what was not given to everyone, the most alike first."""
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
    """Give the fingerprints of a text, sorted: of each window of hashes of consecutive signs, the least."""
    signs = np.frombuffer(normalise(source[:MAX_CHARACTERS]).encode("utf-32-le"), np.uint32).astype(np.uint64)
    if len(signs) < GRAM + WINDOW - 1:
        return np.empty(0, np.uint64)
    hashes = np.zeros(len(signs) - GRAM + 1, np.uint64)
    for at in range(GRAM):
        hashes = hashes * BASE + signs[at : at + len(hashes)]
    return np.unique(np.lib.stride_tricks.sliding_window_view(hashes, WINDOW).min(axis=1))


def normalise(source: str) -> str:
    """Write a text as signs: a letter for a name, a digit for a number, a quote for a string, all else as it is.

    It need not be Python. No expression looks back, so it takes no longer than its length asks.
    """
    signs = QUIET.sub(lambda found: "" if found[0][0] == "#" else '"', source)
    return SPACE.sub("", NUMBER.sub("0", NAME.sub("n", signs)))


def _pairs_in_common(own: Mapping[str, Prints]) -> list[Pair]:
    """Give the pairs worth a look, by an index of who has which fingerprint: only who meets there is compared."""
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
    """Leave out the most common fingerprints where to count all would take too long."""
    order = np.argsort(holders, kind="stable")
    fits = np.empty(len(holders), np.bool_)
    fits[order] = np.cumsum(holders[order].astype(np.int64) ** 2) <= MOST_WORK
    return fits
