"""Sections -> one prompt within a hard budget: the only place where a budget is spent."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

Counter = Callable[[str], int]
"""Gives the tokens of a text. A line takes about as many in a longer text as by itself."""
CHARS_PER_TOKEN = 4
SLACK = 2
"""So many tokens fewer may a line take in a longer text than by itself."""


class BudgetTooSmall(ValueError):
    """What is pinned does not fit: the message names the least budget that would do."""


class Item(NamedTuple):
    """One line of a prompt; priority decides what goes first when the budget is short, and a pin never goes.

    `elsewhere` is where it can be read again once it is left out.
    """

    text: str
    priority: float = 0.0
    pinned: bool = False
    location: str = ""


class Section(NamedTuple):
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


def largest_that_fits(most: int, fits: Callable[[int], bool]) -> int:
    """Give the largest number up to `most` that fits, found by halving, or -1 if none does.

    Less is taken to fit where more does. Where that is not so, the number still fits, but may not be the largest.
    """
    return bisect_left(range(most + 1), True, key=lambda number: not fits(number)) - 1  # noqa: FBT003


def fill(sections: Sequence[Section], budget: int, count: Counter = count_tokens) -> str:
    """Compose the sections within a budget in tokens: pins whole, then whole items by priority, the rest left out.

    What is left out does not fit beside all that is priority more and was taken. Behind the first section one line says
    how many items that are, and where they can be read again. Where the pins leave no room for that line they stand
    alone. Raises BudgetTooSmall if not even they fit.
    """
    page = _Page(sections)
    whole, pins = page.text(), page.pins()
    if count(whole) <= budget:
        return whole
    if count(pins) > budget:
        least = min(count(pins), count(whole))
        raise BudgetTooSmall(f"budget {budget}: what is pinned alone needs {least} tokens; allow at least {least}")
    sizes = [count(page.lines[line]) for line in page.spare]
    taken = bisect_right(list(accumulate(sizes)), budget - count(pins))  # a guess: sizes need not add up
    for line in page.spare[taken:]:
        page.leave_out(line)
    while (size := count(best := page.text())) > budget and taken:
        taken -= 1
        page.leave_out(page.spare[taken])
    if size > budget:
        best, size = pins, count(pins)
    note = count(page.note())
    for line, alone in zip(page.spare[taken:], sizes[taken:], strict=True):
        if size + alone <= budget + 2 * SLACK + (note if page.last(line) else 0):
            page.take(line)
            if (tokens := count(text := page.text())) <= budget:
                best, size = text, tokens
            else:
                page.leave_out(line)
    return best


class _Page:
    """The lines of a prompt, by their numbers. All are shown, until what is `spare`, the best first, is left out."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._under: dict[int, int] = {}
        self._pins: list[int] = []
        lines, titles, places = list[str](), list[int](), list[str]()
        spare: list[tuple[float, int]] = []
        for name, items in sections:
            title = len(lines)
            self._under[title] = len(items)
            titles += [title] * (len(items) + 1)
            lines.append(f"\n{name}")
            places.append("")
            for line, (text, priority, pinned, place) in enumerate(items, title + 1):
                lines.append(text)
                places.append(place)
                if pinned:
                    self._pins.append(line)
                else:
                    spare.append((-priority, line))
        self.lines, self._titles, self._places = lines, titles, places
        self.spare = [line for _, line in sorted(spare)]
        self._left = dict.fromkeys(places, 0)
        self._shown = [None if self._under.get(line) == 0 else text for line, text in enumerate(lines)]

    def take(self, line: int) -> None:
        """Show what was left out."""
        title = self._titles[line]
        self._left[self._places[line]] -= 1
        self._under[title] += 1
        self._shown[line], self._shown[title] = self.lines[line], self.lines[title]

    def leave_out(self, line: int) -> None:
        """Leave out what is shown, and the title over it if it was the last."""
        title = self._titles[line]
        self._left[self._places[line]] += 1
        self._under[title] -= 1
        self._shown[line] = None
        if not self._under[title]:
            self._shown[title] = None

    def last(self, line: int) -> bool:
        """Tell whether no other line is left out that stands where it does: without it the note says less."""
        return self._left[self._places[line]] == 1

    def pins(self) -> str:
        """Put together what is pinned alone."""
        shown = sorted({*self._pins, *(self._titles[line] for line in self._pins)})
        return "\n".join([self.lines[line] for line in shown])[1:]

    def text(self) -> str:
        """Put together what is shown; one line counts the rest."""
        lines = [line for line in self._shown if line is not None]
        note = self.note()
        if note:
            lines.insert(self._under[0] + 1 if self._under[0] else 0, note)
        return "\n".join(lines)[1:]

    def note(self) -> str:
        """Say how many items are left out, and where they can be read again; nothing if none is."""
        whole = sum(self._left.values())
        if not whole:
            return ""
        places = [
            place if number == whole else f"{place}: {number}"
            for place, number in self._left.items()
            if place and number
        ]
        where = f"; read {', '.join(places)}" if places else ""
        return f"\n({whole} {'item' if whole == 1 else 'items'} left out{where})"
