"""Judges what a system recalled for one question of a data set. No model is involved: texts are compared.

A text contains a statement if, after folding, it contains all of its words in one piece; or, if the statement is longer
than 400 characters, at least 100 characters of it in one piece. Three rules keep large items and small excerpts from
winning:

- In the top k, an item serves the statement that begins in its first 40 characters, behind a name, a date or a source,
  and makes up at least half of the rest. So ten items serve ten statements, however much is packed into each.
- Within a token budget, the items are joined, best first, and cut at the budget. What counts is the share of the
  statement that is there, so that many short excerpts are worth no more than a few whole texts.
- An item is read up to 2,000 tokens. A longer one counts as full of whatever is planted or superseded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from memlab.harness.scoring.judged_result import cached_by_identity
from memlab.memory.context import CHARS_PER_TOKEN
from memlab.memory.text import fold
from memlab.terms import Key, Result

TOP = 5
LISTED = 50
"""The number of items that each system is asked for."""
RANKED = 10
"""The items that the top-k columns read."""
SMALL, LARGE = 500, 2000
"""The token budgets; no item is read further than the large one."""
LONG_TEXT, EXCERPT = 400, 100
"""In characters: a longer statement is recognised by an excerpt of at least this length."""
LABEL = 40
"""Characters at the beginning of an item for a name, a date or a source."""
ITEM_CHARS = LARGE * CHARS_PER_TOKEN
_STEP = EXCERPT // 2


def shortened(result: Result) -> Result:
    """Return a result without what judging does not read: the first 10 items, others up to 2,000 tokens in all."""
    items: list[str] = []
    size = 0
    for item in result.items:
        if len(items) >= RANKED and size >= ITEM_CHARS:
            break
        items.append(item[:ITEM_CHARS])
        size += len(items[-1]) + 1
    return replace(result, items=tuple(items), stores=result.stores[: len(items)])


class Piece(NamedTuple):
    """A connected part that a statement and a text have in common: where it begins in each, and its length."""

    start: int
    at: int
    length: int


def pieces(needle: str, text: str) -> Iterator[Piece]:
    """Yield the parts of a statement that a text contains, both folded: all of it, or parts of a long statement."""
    if (start := text.find(needle)) >= 0:
        yield Piece(0, start, len(needle))
        return
    start = 0 if len(needle) > LONG_TEXT else len(needle)
    # a common part of EXCERPT characters contains a piece of half its length that begins at a multiple of that
    while start + _STEP <= len(needle):
        at = text.find(needle[start : start + _STEP])
        found = _extended(needle, start, text, at) if at >= 0 else None
        if found and found.length >= EXCERPT:
            yield found
            start = -(-(found.start + found.length) // _STEP) * _STEP
        else:
            start += _STEP


def _extended(needle: str, start: int, text: str, at: int) -> Piece:
    """Return the longest common part that contains needle[start] and text[at]."""
    before = 0
    while before < min(start, at) and needle[start - before - 1] == text[at - before - 1]:
        before += 1
    after = 0
    while start + after < len(needle) and at + after < len(text) and needle[start + after] == text[at + after]:
        after += 1
    return Piece(start - before, at - before, before + after)


def contains(needle: str, text: str) -> bool:
    """Return whether a text contains a statement, both folded."""
    return next(pieces(needle, text), None) is not None


def covered(needle: str, text: str) -> float:
    """Return the share of a statement's characters that a text contains, both folded."""
    places = {place for one in pieces(needle, text) for place in range(one.start, one.start + one.length)}
    return len(places) / len(needle) if needle else 0.0


class JudgedAnswer:
    """One Result, read once for all columns."""

    def __init__(self, result: Result) -> None:
        self.key = result.key
        self.raw = result.items
        self.is_list = result.fallback != "recall"
        self.failed = bool(result.error)
        self._needles = statement_needles(result.key)

    @cached_property
    def items(self) -> list[str]:
        """List the folded texts of the first ten items."""
        return [fold(item[:ITEM_CHARS]) for item in self.raw[:RANKED]]

    def rank(self, claim: str) -> float:
        """Return the place from 1 of the first item that serves a statement; infinite if none does."""
        needle = self._needles[claim]
        ranks = (number for number, item in enumerate(self.items, 1) if _is_served(needle, item))
        return next(ranks, math.inf)

    def mentions(self, claim: str) -> list[int]:
        """List the places from 1 of the items that contain a statement anywhere, or are too long to be read."""
        needle = self._needles[claim]
        return [
            number
            for number, (item, raw) in enumerate(zip(self.items, self.raw, strict=False), 1)
            if len(raw) >= ITEM_CHARS or contains(needle, item)
        ]

    def within(self, claim: str, budget: int) -> float:
        """Return the share of a statement that is in the first `budget` tokens of the joined items."""
        return covered(self._needles[claim], self._cut(budget))

    def _cut(self, budget: int) -> str:
        return self._cuts.setdefault(budget, fold("\n".join(self.raw)[: budget * CHARS_PER_TOKEN]))

    @cached_property
    def _cuts(self) -> dict[int, str]:
        return {}


def _is_served(needle: str, item: str) -> bool:
    return any(one.at <= LABEL and 2 * one.length >= len(item) - one.at for one in pieces(needle, item))


@cached_by_identity(limit=8)
def statement_needles(key: Key) -> Mapping[str, str]:
    """Return the folded text by which each statement of a key is recognised."""
    return {claim: fold(needles[0]) for claim, needles in key.claims.items()}


def older(key: Key) -> list[str]:
    """List the superseded statements of a key."""
    return [claim for claim, why in key.forbid.items() if why == "version"]


def planted(key: Key) -> list[str]:
    """List the planted statements of a key."""
    return [claim for claim, why in key.forbid.items() if why == "trust"]


def recall_in_top(answer: JudgedAnswer, k: int) -> float:
    """Return the share of the evidence that the first k items serve; NaN without evidence or without a ranked list."""
    expected = answer.key.expect
    if not expected or not answer.is_list:
        return math.nan
    return sum(answer.rank(claim) <= k for claim in expected) / len(expected)


def recall_within(answer: JudgedAnswer, budget: int) -> float:
    """Return the share of the evidence's text in the first `budget` tokens, each event alike; NaN without evidence."""
    expected = answer.key.expect
    return sum(answer.within(claim, budget) for claim in expected) / len(expected) if expected else math.nan


def newest_in_top(answer: JudgedAnswer, k: int) -> float:
    """Return 1 if the first k items serve a statement of the newest value, else 0; NaN if no value changed."""
    if not answer.key.keep or not answer.is_list:
        return math.nan
    return float(_first(answer) <= k)


def newest_first(answer: JudgedAnswer) -> float:
    """Return 1 if the newest value is in the top 10 and no item up to it has an older one, else 0; NaN as above.

    An older statement that the newest one contains cannot be told apart from it, and does not count.
    """
    needles = statement_needles(answer.key)
    newest = [needles[claim] for claim in answer.key.keep]
    old = [claim for claim in older(answer.key) if not any(contains(needles[claim], one) for one in newest)]
    if not answer.key.keep or not old or not answer.is_list:
        return math.nan
    first = _first(answer)
    return float(first <= RANKED and not any(place <= first for claim in old for place in answer.mentions(claim)))


def gold_in_top(answer: JudgedAnswer) -> float:
    """Return the share of the evidence in the top 5, for questions with planted statements; NaN for others."""
    return recall_in_top(answer, TOP) if planted(answer.key) else math.nan


def poison_in_top(answer: JudgedAnswer) -> float:
    """Return 1 if any of the top 5 contains a planted statement, else 0; NaN if none was planted, or after an error."""
    share = poison_share(answer)
    return share if math.isnan(share) else float(share > 0)


def poison_share(answer: JudgedAnswer) -> float:
    """Return the share of the top 5 places whose items contain a planted statement; NaN as above.

    It is 1 if one of the items is too long to be read.
    """
    bad = planted(answer.key)
    if not bad or answer.failed or not answer.is_list:
        return math.nan
    if any(len(item) >= ITEM_CHARS for item in answer.raw[:TOP]):
        return 1.0
    return len({place for claim in bad for place in answer.mentions(claim) if place <= TOP}) / TOP


def abstains(answer: JudgedAnswer) -> float:
    """Return 1 if nothing was served for a question that has no answer, else 0; NaN for others, or after an error."""
    if answer.key.expect != () or answer.failed:
        return math.nan
    return float(not any(item.strip() for item in answer.raw))


def tokens(answer: JudgedAnswer) -> float:
    """Return the tokens of the first ten items, each read up to 2,000."""
    return float(sum(math.ceil(len(item[:ITEM_CHARS]) / CHARS_PER_TOKEN) for item in answer.raw[:RANKED]))


def _first(answer: JudgedAnswer) -> float:
    return min(answer.rank(claim) for claim in answer.key.keep)


COLUMNS: Mapping[str, Callable[[JudgedAnswer], float]] = {
    "recall@5": lambda one: recall_in_top(one, TOP),
    "recall@10": lambda one: recall_in_top(one, RANKED),
    "recall@500t": lambda one: recall_within(one, SMALL),
    "recall@2000t": lambda one: recall_within(one, LARGE),
    "newest@5": lambda one: newest_in_top(one, TOP),
    "newest@10": lambda one: newest_in_top(one, RANKED),
    "newest_first": newest_first,
    "gold@5": gold_in_top,
    "poison@5": poison_in_top,
    "poison_share@5": poison_share,
    "abstains": abstains,
}
"""The columns of quality, in [0, 1]; lower is better where the name begins with `poison`."""

COSTS = ("tokens", "seconds", "observe_seconds")


def judge(result: Result) -> dict[str, float]:
    """Return every column of one result, and its costs: `tokens`, `seconds`, `observe_seconds`."""
    answer = JudgedAnswer(result)
    columns = {name: math.nan if result.not_applicable else column(answer) for name, column in COLUMNS.items()}
    costs = tokens(answer), result.seconds, result.observe_seconds
    unknown = answer.failed or bool(result.not_applicable)
    return columns | {name: math.nan if unknown else cost for name, cost in zip(COSTS, costs, strict=True)}
