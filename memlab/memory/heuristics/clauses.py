"""Features of the clauses of a text, for the linear model in injection.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from memlab.memory.retrieval.relevance import COMMONEST
from memlab.memory.text import fold

Feature = tuple[str, ...]
LONGEST_CLAUSE = 12
"""Words; a longer clause is read in pieces that share two words, so that no words around an order dilute it."""
_LOOK_ALIKES = str.maketrans("авекмнорстухіјѕԁһӏαβεικνορτυχ\u2019", "abekmhopctyxijsdhlabeikvoptux'")
"""Cyrillic and Greek lowercase letters that look like Latin ones (UTS #39)."""
_SENTENCE = re.compile(r"(?<=[.!?;]) | (?:[\u2013\u2014]|--|->) ")
_CLAUSE = re.compile(r"(?<=[,:]) ")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*(?![\w@/.-]*[\w@/])|[^\W_][^\s,;:!?()\"]*|[|<\[]")
_KEPT = COMMONEST | {"always", "never", "every", "without", "don't"}
_SUFFIXES = "ing", "ed", "ly", "s"


def clause_features(text: str, verbs: frozenset[str]) -> Iterator[set[Feature]]:
    """Yield the features of each clause: its words, and its sequences of two and three classes of words (see _class).

    A clause ends at a comma or a colon too, so that an order after "to ship," opens a clause. Features that begin with
    "^" belong to the opening of a clause. `verbs` are the words of the class V.
    """
    for sentence in _SENTENCE.split(fold(text).translate(_LOOK_ALIKES)):
        for clause in _CLAUSE.split(sentence):
            words = _WORD.findall(clause)
            classes = [_class(word, verbs) for word in words]
            for start in range(0, max(1, len(words) - 2), LONGEST_CLAUSE - 2):
                piece = slice(start, start + LONGEST_CLAUSE)
                yield _features(words[piece], classes[piece], opens=not start)


def _features(words: list[str], classes: list[str], *, opens: bool) -> set[Feature]:
    triples = zip(classes, classes[1:], classes[2:], strict=False)
    found: set[Feature] = {*zip(words[1:]), *pairwise(classes), *triples}
    if opens and words:
        first, second, *_ = opening = [*classes, "$"]
        found |= {("^", words[0]), ("^", first), ("^", first, second), ("^", *opening[:3])}
    return found


@lru_cache(maxsize=8192)
def _class(word: str, verbs: frozenset[str]) -> str:
    """Return a common word itself, else its class: V, a number, a name or address, a suffix, any other word."""
    if word in verbs:
        return "V"
    if word in _KEPT:
        return word
    if not word.isalpha():
        return "#" if word[0].isdigit() else "@"
    return next((f"*{end}" for end in _SUFFIXES if word.endswith(end) and len(word) > len(end) + 2), "*")
