"""Relevance of a text to a question: its words, their weights, and the passage that answers best."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from memlab.memory.retrieval.stemmer import stem
from memlab.memory.text import fold

Weights = Mapping[str, float]
LONGEST_PASSAGE = 400
"""In characters: a longer text is served by its best passage."""
SHORTEST_EXCERPT = 100
"""In characters: a shorter passage is served with those after it, or before it at the end. A line such as "It is done."
does not show what it is about."""
_SIGNS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")
"""Chinese and Japanese have no blanks between words, and Korean adds particles: each sign is a word, and `phrases` sees
which are adjacent."""
_LINE = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_BLANKLESS = re.compile(rf"\S{{1,{LONGEST_PASSAGE}}}")
# the stop words of Snowball for English (https://snowballstem.org/algorithms/english/stop.txt), and 28 more: auxiliary
# verbs, parts of contractions ("don", "t"), "please" and the like
_COMMON = """
a about above after again against all also am an and any are aren as at be because been before being below between both
but by can could did do does doing don down during each few for from further get go goes got had has have having he her
here hers herself him himself his how i if in into is isn it its itself just know m may me might more most must my
myself no nor not now of off on once only or other ought our ours ourselves out over own please re s same shall she
should so some still such t tell than that the their theirs them themselves then there these they this those through to
too under until up us ve very was wasn we were what when where which while who whom whose why will with would you your
yours yourself yourselves
"""
COMMONEST = frozenset(_COMMON.split())
_IN_QUESTIONS = """
anybody anyone anything ask asked asking asks certain currently describe discuss discussed ever everybody everyone
everything exactly explain find gave give given gives happen happened kind kinds know knows knew like list long look
looking made make makes many mention mentioned much need needed needs often recall remember remind said say says show
somebody someone something sort tells think thought told type types use used uses want wanted wants wonder wondered
wondering wonders
"""
BACKGROUND, EVERYDAY = 20_000, 100
"""A small store does not show which words are common: 20,000 imaginary texts are added to the counts, and each everyday
word is in 100 of them."""
_NAME = r"[A-Z][\w'-]*"
_SPEAKER = re.compile(rf"\s*({_NAME}(?: {_NAME}){{0,2}}):\s")


def stems(text: str) -> list[str]:
    """Return the stems of a text's words in order, without the most common words."""
    return [stem(word) for word in _WORD.findall(fold(text)) if word not in COMMONEST]


@lru_cache(maxsize=8192)
def phrases(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of adjacent words of a text as stems, without the pairs of two of the most common words."""
    found = [word if word in COMMONEST else stem(word) for word in _WORD.findall(fold(text))]
    return frozenset(pair for pair in pairwise(found) if not COMMONEST.issuperset(pair))


def question_stems(text: str) -> list[str]:
    """Return the stems of a question's words, each once, without words typical of questions, if others remain."""
    found = dict.fromkeys(stems(text))
    return [word for word in found if word not in _USUAL] or [*found]


def speaker(text: str) -> str:
    """Return the name before the colon in a turn such as "Ada: hello"; empty if there is none."""
    found = _SPEAKER.match(text)
    return found.group(1) if found else ""


def stem_set(text: str) -> frozenset[str]:
    """Return the set of stems of a text's words."""
    return _cached_stems(text) if len(text) <= LONGEST_PASSAGE else _stems(text)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, set(_WORD.findall(fold(text))) - COMMONEST))


_USUAL = frozenset(stem(word) for word in _IN_QUESTIONS.split())
_cached_stems = lru_cache(maxsize=4096)(_stems)


def weigh(question: Collection[str], frequency: Mapping[str, int], total: int) -> dict[str, float]:
    """Return each word's smoothed inverse document frequency (Sparck Jones 1972), scaled to [0, 1].

    `frequency` is the number of texts that contain a word, of `total` texts.
    """
    most = math.log(2 + total)
    return {word: math.log(1 + (total + 1) / (frequency.get(word, 0) + 1)) / most for word in question}


def weigh_with_background(question: Collection[str], frequency: Mapping[str, int], total: int) -> dict[str, float]:
    """Return the weights of `weigh` as if BACKGROUND more texts were stored: everyday English words weigh less."""
    counts = {word: frequency.get(word, 0) + EVERYDAY * (word in _everyday_stems()) for word in question}
    return weigh(question, counts, total + BACKGROUND)


@cache
def _everyday_stems() -> frozenset[str]:
    lines = Path(__file__).with_name("everyday_words.txt").read_text(encoding="ascii").splitlines()
    return frozenset(stem(word) for line in lines if not line.startswith("#") for word in line.split())


def coverage(weights: Weights, held: Collection[str]) -> float:
    """Return the share in [0, 1] of a question's weight that a text's words cover; 0 for an empty question."""
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in held) / total if total else 0.0


def jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Return the Jaccard index of two word sets; 0 for two empty ones."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def passages(text: str) -> list[str]:
    """Split a text into lines, and lines of over 400 characters at sentences, at words, or within a word."""
    return [part for line in _LINE.split(text) if line.strip() for part in _cut(line.strip())]


def excerpt(text: str, weights: Weights) -> str:
    """Return a short text unchanged, of a long one the passage that best covers the question (the last of equals).

    If this passage is shorter than SHORTEST_EXCERPT, the ones beside it are added.
    """
    if len(text) <= LONGEST_PASSAGE:
        return text
    parts = passages(text)
    first = max(reversed(range(len(parts))), key=lambda place: coverage(weights, stem_set(parts[place])), default=0)
    last = first + 1
    while len("\n".join(parts[first:last])) < SHORTEST_EXCERPT and last - first < len(parts):
        first, last = (first, last + 1) if last < len(parts) else (first - 1, last)
    return "\n".join(parts[first:last])


def _cut(line: str) -> list[str]:
    if len(line) <= LONGEST_PASSAGE:
        return [line]
    parts: list[str] = []
    for sentence in _SENTENCE.split(line):
        pieces = [sentence] if len(sentence) <= LONGEST_PASSAGE else _pieces(sentence)
        for piece in pieces:
            if parts and len(parts[-1]) + len(piece) < LONGEST_PASSAGE:
                parts[-1] += " " + piece
            else:
                parts.append(piece)
    return parts


def _pieces(sentence: str) -> list[str]:
    pieces = [""]
    for word in _BLANKLESS.findall(sentence):
        if len(pieces[-1]) + len(word) >= LONGEST_PASSAGE and pieces[-1]:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {word}".strip()
    return pieces
