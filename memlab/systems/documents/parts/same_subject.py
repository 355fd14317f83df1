"""Whether a new fact gives another value for what an older one says."""

from __future__ import annotations

import re

SAME_SUBJECT = 0.80
"""[m] Two facts with at least this cosine are about the same subject."""
SAME_FACT = 0.95
"""[m] Two facts with at least this cosine and the same values are one fact."""
_VALUE = re.compile(r"\d(?:[\w.:/-]*\w)?|(?<!^)(?<![.!?] )\b[A-Z]\w+")


def values(text: str) -> frozenset[str]:
    """Return the numbers and proper nouns of a text."""
    return frozenset(_VALUE.findall(text))


def is_other_value(old: str, new: str) -> bool:
    """Return whether a fact has a number or proper noun that the other one lacks, and the other way round."""
    before, now = values(old), values(new)
    return bool(before - now) and bool(now - before)
