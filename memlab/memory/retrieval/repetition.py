"""Finds repetitions: whether two texts say the same, and whether a memory repeats a superseded fact.

Repeating a statement gives it no higher rank. Repeating an old value does not renew it, unless the source ranks higher
than that of the new value, or has the same rank and is later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memlab.memory.facts import Fact
from memlab.memory.retrieval.contradiction import Words, analyse, contrasts, split
from memlab.memory.retrieval.relevance import jaccard
from memlab.memory.retrieval.stores import MemoryRecord, Stores
from memlab.memory.text import fold

LEAST_WORDS = 3
"""Texts that share fewer words say the same only if their words are equal."""
MISSING = 0.25
"""The longer text may lack up to a quarter of the shorter one's words: no number, no name, and no word in whose place
it has another one."""
SAME_WORDS = 0.85
"""A text repeats another if the Jaccard index of their words is at least 0.85, they differ in no number, and both or
neither deny something."""
TWICE = 2
"""A text or sentence with more than twice as many words says something else."""
MOST_SUPERSEDED = 40
"""A statement is compared with at most 40 superseded facts of trusted sources, and 40 of others."""
_INTRODUCTION = re.compile(r"^\s*[^:.!?\r\n]{1,40}:\s+(?=\S+\s+\S)")


@lru_cache(maxsize=8192)
def is_repeat(one: str, other: str) -> bool:
    """Return whether two texts are so much alike that one of them is enough: see SAME_WORDS."""
    first, second = _stated(one), _stated(other)
    if not first.content:
        return fold(one) == fold(other)
    differing = first.content ^ second.content
    is_alike = first.denies == second.denies and jaccard(first.content, second.content) >= SAME_WORDS
    return is_alike and differing.isdisjoint(first.numbers | second.numbers)


@lru_cache(maxsize=16384)
def says_the_same(one: str, other: str) -> bool:
    """Return whether the longer text, or a sentence of it, contains what the shorter one says."""
    first, second = _stated(one), _stated(other)
    if len(first.content) > len(second.content):
        one, other, first, second = other, one, second, first
    if first.content == second.content:
        return first.denies == second.denies
    if len(first.content & second.content) < LEAST_WORDS:
        return False
    short = (text for text in (second, *split(other)) if len(text.content) <= TWICE * len(first.content))
    return any(_contains(text, first) for text in short)


def repeats_superseded(memory: MemoryRecord, text: str, superseded: Iterable[Fact], stores: Stores) -> bool:
    """Return whether a memory repeats, or is the source of, one of these superseded facts.

    A memory that ranks higher than the successor, or is of its rank and later, repeats nothing: it stands by itself.
    """
    for old in superseded:
        new = stores.facts.get(old.superseded_by)
        if new is None or (memory.rank, memory.origin.time) > (new.rank, new.origin.time):
            continue
        if memory.id in old.origin.derived_from or says_the_same(text, old.body):
            return True
    return False


def _contains(text: Words, statement: Words) -> bool:
    """Return whether a text has what a statement says: see MISSING. Both must deny something, or neither."""
    missing = statement.content - text.content
    if len(missing) > MISSING * len(statement.content) or statement.denies != text.denies:
        return False
    are_small = missing.isdisjoint(statement.numbers | statement.names)
    return are_small and next(contrasts(statement, text), None) is None


@lru_cache(maxsize=8192)
def _stated(text: str) -> Words:
    """Return the words of a text without its introduction ("Noted:")."""
    return analyse(_INTRODUCTION.sub("", text))
