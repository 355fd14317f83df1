"""The probability that two statements contradict each other: they answer the same question, with different values.

A logistic model on what two texts share, where they differ, and how probable it is that both answer. Its weights are
fitted by `make fit`.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memlab.memory.retrieval.contradiction_weights import BIAS, WEIGHTS
from memlab.memory.retrieval.relevance import COMMONEST
from memlab.memory.retrieval.stemmer import stem
from memlab.memory.text import fold

SURE = 0.2
"""From this probability on, two statements count as a contradiction, so that one can defeat the other."""
LEAST_SHARED = 2
"""Statements that share fewer words are about two things."""
MOST_WHOLE = 50
"""Texts of more than 50 words are compared by their best matching sentences."""
MOST_SENTENCES = 40
"""Of a long text the first 40 sentences are compared."""
MOST_VALUES = 20
"""Of the words that only one text has, the first 20 are compared: this bounds the cost."""
FRAMED = 1.4
"""Two words of any kind are in the same place of their sentences if their common neighbours weigh at least 1.4."""
SAME_PLACE = 0.8
"""For two names or two numbers 0.8 is enough."""
_NEIGHBOURS = {-2: 0.6, -1: 1.0, 1: 1.0, 2: 0.6}
"""The weight of a neighbour that two places share, by its distance."""
_COMMON_WORD = 0.4
"""A neighbour that is one of the most common words ("the", "at") counts 0.4 times as much as another."""
_TOKEN = re.compile(r"[^\W_](?:\w|(?:[.:'\u2019/-]|,(?=\d{3}\b))\w)*")  # 21:45, src/a.py, 1,222, not oat,2004
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\r\n]+")
_UPDATE = re.compile(
    r"\b(?:now|no longer|any ?more|no more|instead|changed|moved|correct(?:ed|ion)|after all|back to|updated"
    r"|from \w+ on|from (?:today|tomorrow|\w+day))\b"
)
_DENIAL = re.compile(r"\b(?:no|not|cannot|never|none|without|neither|nor|\w+n['\u2019]t)\b")
FEATURES = ("agreement", "update", "shared pairs", "both answer", "other numbers", "more in common", "one place")
MIN_LOG_ODDS = -3.5
"""If the log-odds cannot reach this, the probability is given as 0, without comparing places: it is under 0.03."""
_BEST_FIT = sum(_NEIGHBOURS.values())
"""The largest value of the last feature."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: all stems in order, whether each counts (is not too common), and sets of those that count.

    `is_update` says whether the text speaks of a change ("now", "moved"), `denies` whether it has a negation.
    """

    stems: tuple[str, ...]
    counts: tuple[bool, ...]
    content: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    is_update: bool
    denies: bool


@lru_cache(maxsize=8192)
def analyse(text: str) -> Words:
    """Return the words of a text. A name is a capitalised word that counts, a number a word as in _is_number."""
    raw = _TOKEN.findall(text)
    plain = [fold(word) for word in raw]
    stems = tuple(word if _is_number(word) else stem(word.removesuffix("'s").removesuffix("\u2019s")) for word in plain)
    counts = tuple(word not in COMMONEST for word in plain)
    content = [(word, stem) for word, stem, count in zip(raw, stems, counts, strict=True) if count]
    return Words(
        stems,
        counts,
        frozenset(stem for _, stem in content),
        frozenset(stem for _, stem in content if _is_number(stem)),
        frozenset(stem for word, stem in content if word[0].isupper()),
        _UPDATE.search(fold(text)) is not None,
        _DENIAL.search(fold(text)) is not None,
    )


def content_words(text: str) -> frozenset[str]:
    """Return the stems of a text's words that are not too common."""
    return analyse(text).content


def contradiction(older: str, newer: str, question: str, both: float) -> float:
    """Return the probability that two statements give different answers to the question; 0 if they name two things.

    They name two things if one has a word of the question where the other has another word. `both` is the logarithm of
    the product of their probabilities to be the answer.
    """
    values = features(older, newer, question, both, MIN_LOG_ODDS)
    return 1 / (1 + math.exp(-_log_odds(values))) if values else 0.0


def features(older: str, newer: str, question: str, both: float, least: float = -math.inf) -> tuple[float, ...]:
    """Return the values of FEATURES; () if two statements are about two things, or have log-odds below `least`.

    Of a long text only the sentence that matches the other text best counts.
    agreement: of the question's words that either complete text has, the share that both sentences have.
    update: whether the newer one speaks of a change.
    shared pairs: the share of the shorter one's pairs of adjacent words that both have.
    both answer: the given `both`.
    other numbers: whether both have numbers, but none in common.
    more in common: whether they share a word, no name, that the question lacks, as two values of one thing do.
    one place: how clearly two numbers take the same place.
    """
    question_words = analyse(question).content
    one, other = _best_sentences(older, newer, question_words)
    shared = one.content & other.content
    if len(shared) < LEAST_SHARED:
        return ()
    answering = question_words & (analyse(older).content | analyse(newer).content)
    held = question_words & shared
    have_numbers = bool(one.numbers and other.numbers)
    pairs, other_pairs = (set(pairwise(text.stems)) for text in (one, other))
    values = (
        len(held) / max(1, len(answering)),
        float(other.is_update),
        len(pairs & other_pairs) / min(len(pairs), len(other_pairs)),
        both,
        float(have_numbers and one.numbers.isdisjoint(other.numbers)),
        float(not shared <= question_words | one.names),
    )
    most = max(0.0, WEIGHTS[-1]) * _BEST_FIT * have_numbers
    if _log_odds((*values, 0.0)) + most < least:
        return ()
    numbers = _numbers_in_one_place(one, other, question_words)
    return () if numbers is None else (*values, numbers)


def _log_odds(values: Sequence[float]) -> float:
    return BIAS + sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True))


def _numbers_in_one_place(one: Words, other: Words, question_words: frozenset[str]) -> float | None:
    """Return how clearly two numbers take the same place in two sentences; None if they name two things."""
    clearest = 0.0
    for first, second, fit in contrasts(one, other):
        is_one_kind = any({first, second} <= kind for kind in (one.names | other.names, one.numbers | other.numbers))
        if {first, second} & question_words and (is_one_kind or fit >= FRAMED):
            return None
        if first in one.numbers and second in other.numbers:
            clearest = max(clearest, fit)
    return clearest


def contrasts(one: Words, other: Words) -> Iterator[tuple[str, str, float]]:
    """Yield pairs of words that only one text has each, with the weight of the neighbours that they share."""
    beside = defaultdict[tuple[int, str], list[int]](list)
    for at in _own_places(other, one):
        for step, near in _neighbours(other, at):
            beside[step, near].append(at)
    for place in _own_places(one, other):
        fits = defaultdict[int, float](float)
        for step, near in _neighbours(one, place):
            for at in beside.get((step, near), ()):
                fits[at] += _NEIGHBOURS[step] * (1.0 if one.counts[place + step] else _COMMON_WORD)
        yield from ((one.stems[place], other.stems[at], fit) for at, fit in fits.items() if fit >= SAME_PLACE)


def _own_places(one: Words, other: Words) -> list[int]:
    """Return the places in one text of the words that the other lacks."""
    places = zip(one.stems, one.counts, strict=True)
    return [at for at, (stem, counts) in enumerate(places) if counts and stem not in other.content][:MOST_VALUES]


def _neighbours(one: Words, place: int) -> Iterator[tuple[int, str]]:
    return ((step, one.stems[place + step]) for step in _NEIGHBOURS if 0 <= place + step < len(one.stems))


def _best_sentences(older: str, newer: str, question_words: frozenset[str]) -> tuple[Words, Words]:
    """Return the words of both texts; of a long text, those of the sentence that matches the other text best."""
    ones, others = _sentences(older), _sentences(newer)

    def match(pair: tuple[Words, Words]) -> float:
        shared = pair[0].content & pair[1].content
        return len(shared) + len(shared & question_words) - 0.02 * (len(pair[0].content) + len(pair[1].content))

    return max(((one, other) for one in ones for other in others), key=match)


def is_long(text: str) -> bool:
    """Return whether a text has more than MOST_WHOLE words."""
    return len(analyse(text).stems) > MOST_WHOLE


def split(text: str) -> tuple[Words, ...]:
    """Return the words of each sentence of a text, at most of the first 40."""
    return tuple(analyse(part) for part in _SENTENCE.split(text, MOST_SENTENCES) if part.strip())[:MOST_SENTENCES]


@lru_cache(maxsize=8192)
def _sentences(text: str) -> tuple[Words, ...]:
    """Return the words of each sentence of a long text; a short text counts as one sentence."""
    return split(text) if is_long(text) else (analyse(text),)


def _is_number(word: str) -> bool:
    """Return whether a word has a digit, a slash or an underscore, as numbers, paths and identifiers have."""
    return any(letter.isdigit() or letter in "_/" for letter in word)
