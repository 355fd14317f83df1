"""Sections -> one prompt within a hard budget: the only place where a budget is spent."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter as Tally
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

Counter = Callable[[str], int]
CHARS_PER_TOKEN = 4


class BudgetTooSmall(ValueError):
    """What is pinned does not fit: the message names the least budget that would do."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a prompt; worth decides what goes first when the budget is short, and a pin never goes.

    `elsewhere` is where it can be read again once it is left out.
    """

    text: str
    worth: float = 0.0
    pinned: bool = False
    elsewhere: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Items under a title, in their order. A section without items is not shown."""

    title: str
    items: tuple[Item, ...]


def count_tokens(text: str) -> int:
    """Count a text's tokens as a quarter of its characters, rounded up: offline, and exact to repeat."""
    return -(-len(text) // CHARS_PER_TOKEN)


def one_line(text: str) -> str:
    """Put a stored text on one line without control characters, so that nothing stored can open a section."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def most_that_fits(most: int, fits: Callable[[int], bool]) -> int:
    """Give the largest number up to `most` that fits, found by halving, or -1 if none does.

    Less is taken to fit where more does. Where that is not so, the number still fits, but may not be the largest.
    """
    return bisect_left(range(most + 1), True, key=lambda number: not fits(number)) - 1  # noqa: FBT003


def fill(sections: Sequence[Section], budget: int, count: Counter = count_tokens, elsewhere: str = "") -> str:
    """Compose the sections within a budget in tokens: pins whole, then whole items by worth, the rest left out.

    What is left out does not fit beside all that is worth more and was taken. Behind the first section one line says
    how many items that are, and where they can be read again: at their own place, or `elsewhere`. Where the pins leave
    no room for that line they stand alone. Raises BudgetTooSmall if not even they fit.
    """
    layout = _Layout(sections, elsewhere)
    whole = layout.text(layout.spare)
    if count(whole) <= budget:
        return whole
    best = layout.text([], noted=False)
    if count(best) > budget:
        least = min(count(best), count(whole))
        raise BudgetTooSmall(f"budget {budget}: what is pinned alone needs {least} tokens; allow at least {least}")
    first = most_that_fits(len(layout.spare), lambda number: count(layout.text(layout.spare[:number])) <= budget)
    taken = layout.spare[: max(0, first)]
    best = layout.text(taken) if first >= 0 else best
    for number in layout.spare[len(taken) :]:
        text = layout.text([*taken, number])
        if count(text) <= budget:
            taken, best = [*taken, number], text
    return best


class _Layout:
    """The items of all sections, numbered in their order: any choice of them can be rendered beside the pins."""

    def __init__(self, sections: Sequence[Section], elsewhere: str) -> None:
        items = [item for section in sections for item in section.items]
        self._titles = [section.title for section in sections]
        self._ends = list(accumulate(len(section.items) for section in sections))
        self._texts = [item.text for item in items]
        self._places = [item.elsewhere or elsewhere for item in items]
        self._pins = [number for number, item in enumerate(items) if item.pinned]
        loose = [number for number, item in enumerate(items) if not item.pinned]
        self.spare = sorted(loose, key=lambda number: -items[number].worth)
        self._loose = Tally(self._places[number] for number in loose)

    def text(self, taken: Sequence[int], *, noted: bool = True) -> str:
        """Render the pins and what is taken; unless `noted` is false, a line counts the rest."""
        shown, start = sorted([*self._pins, *taken]), 0
        parts: list[str] = []
        for title, last in zip(self._titles, self._ends, strict=True):
            end = bisect_left(shown, last)
            if end > start:
                parts.append("\n".join([title, *map(self._texts.__getitem__, shown[start:end])]))
            start = end
        if noted and len(taken) < len(self.spare):
            parts.insert(1 if shown and shown[0] < self._ends[0] else 0, self._note(taken))
        return "\n\n".join(parts)

    def _note(self, taken: Sequence[int]) -> str:
        left, omitted = len(self.spare) - len(taken), dict(self._loose)
        for number in taken:
            omitted[self._places[number]] -= 1
        places = [place if n == left else f"{place}: {n}" for place, n in omitted.items() if place and n]
        where = f"; read {', '.join(places)}" if places else ""
        return f"({left} {'item' if left == 1 else 'items'} left out{where})"
