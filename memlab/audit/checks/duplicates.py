"""Statements that say the same as an earlier one: in the same words, or in nearly the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil

from memlab.audit.checks.contradictions import denies
from memlab.audit.entry import Entry, Finding, Kind
from memlab.memory.retrieval.relevance import jaccard, stem_set
from memlab.memory.text import fold

_CODE = re.compile(r"`[^`]+`")
NEAR = 0.85
"""Texts with a Jaccard index of 0.85 or more, and the same numbers and code, say nearly the same."""
LEAST_WORDS = 4
"""Statements with fewer words beside their code ("Run `make test`") may stand in two places."""


def duplicates(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield each statement that repeats an earlier one.

    Only texts that share one of their rarest words are compared: two sets with a Jaccard index of at least j share one
    of the rarest n - ceil(j n) + 1 words of each (prefix filter, Chaudhuri et al. 2006).
    """
    words = [stem_set(entry.text) for entry in entries]
    marks = [(frozenset(_CODE.findall(entry.text)), denies(entry.text)) for entry in entries]
    frequency = Counter(word for held in words for word in held)
    first: dict[str, Entry] = {}
    by_word = defaultdict[str, list[int]](list)
    for number, (entry, held) in enumerate(zip(entries, words, strict=True)):
        if not entry.is_prose or len(stem_set(_CODE.sub(" ", entry.text))) < LEAST_WORDS:
            continue
        same = first.setdefault(fold(entry.text), entry)
        if same is not entry:
            yield _finding("duplicate", entry, same, "repeats")
            continue
        prefix = sorted(held, key=lambda word: (frequency[word], word))[: len(held) - ceil(NEAR * len(held)) + 1]
        candidates = {other for word in prefix for other in by_word[word]}
        near = next((at for at in sorted(candidates) if marks[at] == marks[number] and _is_near(held, words[at])), None)
        if near is not None:
            yield _finding("near-duplicate", entry, entries[near], "says nearly the same as")
        for word in prefix:
            by_word[word].append(number)


def _is_near(one: frozenset[str], other: frozenset[str]) -> bool:
    return jaccard(one, other) >= NEAR and not any(word[0].isdigit() for word in one ^ other)


def _finding(kind: Kind, entry: Entry, other: Entry, verb: str) -> Finding:
    message = f"{verb} {other.place_for(entry)}"
    return Finding(kind, entry.file, entry.line, message, entry.text, f"{other.file}:{other.line}")
