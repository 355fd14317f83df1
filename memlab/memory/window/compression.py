"""Shortens a long tool result: the two ends of an output, the beginning of any other text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil

from memlab.memory.context import Counter, count_tokens, largest_that_fits

LONGEST = 500
"""In tokens: a result of at most this length is not changed."""
MOST_LINES, FIRST, LAST = 50, 25, 10
"""An output of more than 50 lines keeps its first 25 and last 10 lines, if they fit."""
_WORD = re.compile(r"\S+")


def compress(result: str, limit: int = LONGEST, count: Counter = count_tokens) -> str:
    """Return a tool's result in at most `limit` tokens by any counter; a result that fits is not changed.

    An output of more than 50 lines keeps its first 25 and last 10, or as many in this proportion as fit. Other text is
    cut after a word, or within a word that is too long by itself. A line says how much was left out. Raises ValueError
    if the limit is negative.
    """
    if limit < 0:
        raise ValueError(f"limit {limit}: a result takes 0 tokens or more; give the limit in tokens, such as {LONGEST}")
    if count(result) <= limit:
        return result
    lines = result.strip("\n").split("\n")
    if len(lines) > MOST_LINES:
        kept = largest_that_fits(FIRST + LAST, lambda kept: count(_ends(lines, kept)) <= limit)
        if kept > 0:
            return _ends(lines, kept)
    return _cut(result, limit, count)


def _ends(lines: Sequence[str], kept: int) -> str:
    first = ceil(kept * FIRST / (FIRST + LAST))
    last = lines[len(lines) - (kept - first) :]
    return "\n".join([*lines[:first], f"({len(lines) - kept} lines left out)", *last])


def _cut(text: str, limit: int, count: Counter) -> str:
    """Keep as many words as fit, or as many characters if no word fits."""

    def cut_at(end: int) -> str:
        left = f"({len(text) - end} characters left out)"
        return f"{text[:end]}\n{left}" if end else left

    ends = [0, *(word.end() for word in _WORD.finditer(text))]
    words = largest_that_fits(len(ends) - 1, lambda number: count(cut_at(ends[number])) <= limit)
    if words > 0:
        return cut_at(ends[words])
    letters = largest_that_fits(len(text), lambda number: count(cut_at(number)) <= limit)
    return cut_at(letters) if letters >= 0 else ""
