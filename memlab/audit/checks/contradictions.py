"""Pairs of statements that give different values for the same thing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from memlab.audit.entry import Entry, Finding
from memlab.memory.retrieval.same_subject import content_words
from memlab.memory.retrieval.stemmer import root

LEAST_WORDS = 3
"""Two statements about one thing have the same words beside their values, and at least three."""
LONGEST = 400
"""Characters: longer statements are not compared."""
_VALUE = re.compile(r"`[^`]+`|\"[^\"]+\"|[\w.-]*[/\d][\w./-]*")
"""What may be a value: quoted text, a path, a number, a version."""
_DENIAL = re.compile(r"\b(?:no|not|never|none|without|\w+n['\u2019]t)\b", re.IGNORECASE)
_UPDATES = "now instead changed moved again from anymore longer since today currently"
_UPDATE = frozenset(map(root, _UPDATES.split()))


def contradictions(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield each statement that contradicts an earlier one, once, at the later of the two.

    They have the same words and differ in one value, or one denies what the other says.
    """
    alike = defaultdict[frozenset[str], list[Entry]](list)
    for entry in entries:
        if not entry.is_prose or len(entry.text) > LONGEST:
            continue
        words = content_words(_VALUE.sub(" ", entry.text)) - _UPDATE
        if len(words) < LEAST_WORDS:
            continue
        other = next((one for one in alike[words] if _contradict(one.text, entry.text)), None)
        if other:
            evidence = f"{entry.text.strip()} | {other.text.strip()}"
            yield Finding(
                "contradiction",
                entry.file,
                entry.line,
                f"contradicts {other.place_for(entry)}",
                evidence,
                f"{other.file}:{other.line}",
            )
        alike[words].append(entry)


def denies(text: str) -> bool:
    """Return whether a statement denies something."""
    return _DENIAL.search(text) is not None


def _contradict(older: str, newer: str) -> bool:
    values, others = (_VALUE.findall(text.rstrip(" .")) for text in (older, newer))
    if denies(older) != denies(newer):
        return values == others
    differing = [pair for pair in zip(values, others, strict=False) if pair[0] != pair[1]]
    return len(values) == len(others) and len(differing) == 1 and not _is_subject(differing[0][1], newer)


def _is_subject(value: str, text: str) -> bool:
    """Return whether a statement begins with a value: then it is what the statement is about."""
    return text.lstrip(" -*+0123456789.)").startswith(value)
