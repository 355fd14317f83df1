"""The features of a memory for a question: six named numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import NamedTuple

from memlab.memory.indexing.neighbours import NEIGHBOUR_WEIGHTS
from memlab.memory.retrieval.relevance import (
    LONGEST_PASSAGE,
    Weights,
    phrases,
    speaker,
    stem_set,
    weigh_with_background,
)
from memlab.memory.text import fold
from memlab.memory.trust import USER

FEATURES = ("text", "phrases", "speaker", "date", "long", "trust")
"""The names of the features in order; `Clause.features` says what they are."""
CONTEXT = 0.5
"""Words of other clauses have at most half of their weight, and together at most half of the clause's weight."""
_CLAUSE = re.compile(r"[,;?]|:(?=\s)|\s(?=(?:wh(?:at|en|ere|ether|ich|om?|ose|y)|how)\b)", re.IGNORECASE)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATE = re.compile(
    rf"\b(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?(?P<m>{_MONTHS})\b(?: (?P<e>\d{{1,2}})(?:st|nd|rd|th)?\b)?"
    r"|\b(?P<y>(?:19|20)\d\d)\b"
)


class MemoryText(NamedTuple):
    """One memory as the features read it: its text (of a fact or a skill with its name), and the stems of its `words`.

    `size` is the length of the complete text in characters, `time` is in seconds since 1970, UTC, and `near` holds the
    words that each neighbour adds, in the order of NEIGHBOUR_WEIGHTS.
    """

    text: str
    words: frozenset[str]
    rank: int
    size: int = 0
    time: float = 0.0
    near: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True)
class Clause:
    """One clause of a question: the weights of its own words, and of the words of the other clauses as its context.

    `names` are the words of the question that name a speaker, `date` the parts of dates that it names, and `phrases`
    its pairs of adjacent words.
    """

    weights: Weights
    own_words: frozenset[str]
    names: frozenset[str]
    date: frozenset[str]
    phrases: frozenset[tuple[str, str]]

    @classmethod
    def split(
        cls, text: str, question: Sequence[str], names: Collection[str], counts: Mapping[str, int], total: int
    ) -> list[Clause]:
        """Return the clauses of a question with the words `question`; a question of one clause is that clause.

        "who ships the atlas, and from which depot" has two. A clause of common words ("and where") is dropped. `counts`
        says how many of `total` texts contain each word.
        """
        content = [word for word in question if word not in names] or [*question]
        idf = weigh_with_background(content, counts, total)
        parts = (part for found in _DATE.finditer(fold(text)) for part in found.groups() if part)
        date, pairs = frozenset(part.lstrip("0") for part in parts), phrases(text)
        found = []
        for own_words in _words_of_clauses(text, content):
            own = sum(idf[word] for word in own_words)
            others = sum(idf.values()) - own
            context = min(CONTEXT, CONTEXT * own / others) if others > 0 else 0.0
            weights = {word: weight * (1 if word in own_words else context) for word, weight in idf.items()}
            found.append(cls(weights, frozenset(own_words), frozenset(names), date, pairs))
        return found

    def features(self, found: MemoryText) -> tuple[float, ...]:
        """Return the features of a memory, in the order of FEATURES.

        text: the share of the question's weight that its words cover; words that only its neighbours in a dialogue have
        count less.
        phrases: the logarithm of one more than the number of the question's pairs of adjacent words that it has.
        speaker: 1 if it has the speaker that is named, -1 if not, 0 if none is named.
        date: the share of the named parts of a date (day, month, year) that its own date has.
        long: the logarithm of its length in passages; 0 for a short text.
        trust: its rank, divided by that of the user.
        """
        near = (
            factor * self.weight(words) for factor, words in zip(NEIGHBOUR_WEIGHTS.values(), found.near, strict=False)
        )
        return (
            (self.weight(found.words) + sum(near)) / self._total,
            math.log1p(len(self.phrases & phrases(found.text))),
            self._speaker(found),
            len(self.date & _date_of(found.time)) / len(self.date) if self.date else 0.0,
            math.log(max(found.size, LONGEST_PASSAGE) / LONGEST_PASSAGE),
            found.rank / USER,
        )

    def weight(self, words: Collection[str]) -> float:
        """Return the total weight of the question's words that are among these."""
        return sum(weight for word, weight in self.weights.items() if word in words)

    @cached_property
    def _total(self) -> float:
        return sum(self.weights.values()) or 1.0

    def _speaker(self, found: MemoryText) -> float:
        if not self.names:
            return 0.0
        label = speaker(found.text)
        named = stem_set(label) if label else found.words
        return 1.0 if named & self.names else -1.0


def _words_of_clauses(text: str, content: Sequence[str]) -> list[list[str]]:
    """Return the words of each clause in the order of `content`."""
    several = map(stem_set, _CLAUSE.split(text))
    clauses = [[word for word in content if word in own] for own in several if not own.isdisjoint(content)]
    return clauses or [[*content]]


@lru_cache(maxsize=4096)
def _date_of(time: float) -> frozenset[str]:
    """Return the day of the month, the month and the year of a time."""
    try:
        day = datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError, OSError):  # outside the calendar; see datetime.fromtimestamp
        return frozenset()
    return frozenset(f"{day:%B} {day.day} {day.year}".casefold().split())
