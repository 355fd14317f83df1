"""Fits sections into one prompt within a hard token budget."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

TokenCounter = Callable[[str], int]
"""Returns the tokens of a text. A line must count about the same in a longer text as alone."""
CHARS_PER_TOKEN = 4
_TEMPLATE_TOKEN = re.compile(
    r"[<\uff1c](?=[|\uff5c/<\uff1c]|[^\W\d])|[\[\uff3b]"
    r"(?=/?(?:inst|sys(?:tem)?|user|assistant|think|args|prefix|suffix|middle|img|audio|g?mask|cls|sep|eot|[be]os|pad|unk"
    r"|[a-z]+_\w+)[\]\uff3d])",
    re.IGNORECASE,
)
"""Opens a token of a chat template, such as <|im_start|>, <think> or [INST]: a "<" before a word, or such a bracket."""
_JOINER = re.compile(r"((?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f]))")
SLACK = 2
"""A line may count up to 2 tokens less in a longer text than alone."""


class BudgetTooSmall(ValueError):
    """The pinned lines do not fit; the message names the smallest sufficient budget."""


class Item(NamedTuple):
    """One line of a prompt: low priority is left out first, a pinned line never; `location` is where to read it."""

    text: str
    priority: float = 0.0
    pinned: bool = False
    location: str = ""


class Section(NamedTuple):
    """A title and its items in order. A section without items is not shown."""

    title: str
    items: tuple[Item, ...]


def count_tokens(text: str) -> int:
    """Return a quarter of the number of characters, rounded up: offline and deterministic."""
    return -(-len(text) // CHARS_PER_TOKEN)


def printable(text: str) -> str:
    """Return a text with a space for each control character, and in each token of a chat template: `< |im_start|>`.

    Joiners within words of other scripts stay.
    """
    text = _TEMPLATE_TOKEN.sub(r"\g<0> ", text)
    if text.isprintable():
        return text
    parts = _JOINER.split(text)
    parts[::2] = ["".join(char if char.isprintable() else " " for char in part) for part in parts[::2]]
    return "".join(parts)


def one_line(text: str) -> str:
    """Return a printable text on one line, so that a stored text cannot open a section, or a turn of a chat."""
    return " ".join(printable(text).split())


def largest_that_fits(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `most` that fits, or -1, by binary search; assumes that smaller ones fit too."""
    return bisect_left(range(most + 1), True, key=lambda number: not fits(number)) - 1  # noqa: FBT003


def fill(sections: Sequence[Section], budget: int, count: TokenCounter = count_tokens) -> str:
    """Return the sections as one text within a budget in tokens: all pinned items, then the others by priority.

    Items are shown completely or left out. A line after the first section counts the items left out and says where to
    read them; if the pinned items leave no room for it, they are shown alone. Raises BudgetTooSmall if they do not fit.
    """
    items = [item for section in sections for item in section.items]
    unpinned = sorted((n for n, item in enumerate(items) if not item.pinned), key=lambda n: -items[n].priority)
    full, pins = _render(sections, ()), _render(sections, unpinned, noted=False)
    if count(full) <= budget:
        return full
    if count(pins) > budget:
        least = min(count(pins), count(full))
        raise BudgetTooSmall(f"budget {budget}: the pinned lines alone need {least} tokens; allow at least {least}")
    sizes = [count(items[n].text) for n in unpinned]
    taken = bisect_right(list(accumulate(sizes)), budget - count(pins))  # a guess: sizes need not add up
    left_out = set(unpinned[taken:])
    while (size := count(best := _render(sections, left_out))) > budget and taken:
        taken -= 1
        left_out.add(unpinned[taken])
    note = count(_note(items, left_out))  # it may get shorter: it names the locations of what is left out
    if size > budget:
        best, size = pins, count(pins)
    for n, alone in zip(unpinned[taken:], sizes[taken:], strict=True):
        if size + alone <= budget + 2 * SLACK + note:
            text = _render(sections, left_out - {n})
            if (tokens := count(text)) <= budget:
                best, size = text, tokens
                left_out.remove(n)
    return best


def _render(sections: Sequence[Section], left_out: Collection[int], *, noted: bool = True) -> str:
    """Return the sections without some items, given by their numbers; after the first section a note counts them."""
    numbers, blocks = itertools.count(), list[str]()
    for title, items in sections:
        shown = [item.text for item in items if next(numbers) not in left_out]
        blocks.append("\n".join([title, *shown]) if shown else "")
    if left_out and noted:
        blocks.insert(1, _note([item for section in sections for item in section.items], left_out))
    return "\n\n".join(filter(None, blocks))


def _note(items: Sequence[Item], left_out: Collection[int]) -> str:
    """Return the line that counts the items left out, by location."""
    total, at_location = len(left_out), Counter(items[n].location for n in left_out)
    places = [place for place in dict.fromkeys(item.location for item in items) if place and at_location[place]]
    counts = [place if at_location[place] == total else f"{place}: {at_location[place]}" for place in places]
    where = f"; read {', '.join(counts)}" if counts else ""
    return f"({total} {'item' if total == 1 else 'items'} left out{where})"
