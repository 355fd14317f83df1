"""Pairs of statements that give different values for the same thing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

from memlab.audit.entry import Entry, Finding
from memlab.memory.retrieval.contradiction import content_words
from memlab.memory.retrieval.stemmer import stem

LEAST_WORDS = 3
"""Two statements about one thing have the same words beside their values, and at least three."""
LONGEST = 400
"""Characters: longer statements are not compared."""
_VALUE = re.compile(r"`[^`]+`|\"[^\"]+\"|[\w.-]*[/\d][\w./-]*")
"""What may be a value: quoted text, a path, a number, a version."""
_DENIAL = re.compile(r"\b(?:no|not|never|none|without|\w+n['\u2019]t)\b", re.IGNORECASE)
_UPDATES = "now instead changed moved again from anymore longer since today currently"
_UPDATE = frozenset(map(stem, _UPDATES.split()))


def contradictions(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield each statement that contradicts an earlier one, once, at the later of the two.

    They have the same words and differ in one value, or one denies what the other says.
    """
    known = _Known()
    for number, entry in enumerate(entries):
        if not entry.is_prose or len(entry.text) > LONGEST:
            continue
        words = content_words(_VALUE.sub(" ", entry.text)) - _UPDATE
        if len(words) < LEAST_WORDS:
            continue
        if (earlier := known.add(words, entry.text, number)) is not None:
            other = entries[earlier]
            evidence = f"{entry.text.strip()} | {other.text.strip()}"
            yield Finding(
                "contradiction",
                entry.file,
                entry.line,
                f"contradicts {other.place_for(entry)}",
                evidence,
                f"{other.file}:{other.line}",
            )


class _Known:
    """Finds the first earlier statement that contradicts a new one, in time independent of how many have its words."""

    def __init__(self) -> None:
        self._same: dict[Hashable, int] = {}
        self._varied = defaultdict[Hashable, dict[str, int]](dict)

    def add(self, words: frozenset[str], text: str, number: int) -> int | None:
        """Add a statement; return the number of the first one that it contradicts."""
        values, denied = tuple(_VALUE.findall(text.rstrip(" ."))), denies(text)
        found = [self._same[key] for key in [(words, values, not denied)] if key in self._same]
        self._same.setdefault((words, values, denied), number)
        for at, value in enumerate(values):
            others = self._varied[words, denied, at, values[:at], values[at + 1 :]]
            if not _is_subject(value, text):
                found += [one for other, one in others.items() if other != value]
            if len(others) < 2:  # noqa: PLR2004 - the first, and the first that differs from it
                others.setdefault(value, number)
        return min(found, default=None)


def denies(text: str) -> bool:
    """Return whether a statement denies something."""
    return _DENIAL.search(text) is not None


def _is_subject(value: str, text: str) -> bool:
    """Return whether a statement begins with a value: then it is what the statement is about."""
    return text.lstrip(" -*+0123456789.)").startswith(value)
