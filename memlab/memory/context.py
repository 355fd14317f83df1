"""Fits sections into one prompt within a hard token budget."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

Counter = Callable[[str], int]
"""Returns the tokens of a text. A line must count about the same in a longer text as alone."""
CHARS_PER_TOKEN = 4
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


def one_line(text: str) -> str:
    """Return a text on one line without control characters, so that a stored text cannot open a section."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def largest_that_fits(most: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `most` that fits, or -1, by binary search; assumes that smaller ones fit too."""
    return bisect_left(range(most + 1), True, key=lambda number: not fits(number)) - 1  # noqa: FBT003


def fill(sections: Sequence[Section], budget: int, count: Counter = count_tokens) -> str:
    """Return the sections as one text within a budget in tokens: all pinned items, then the others by priority.

    Items are shown completely or left out. A line after the first section counts the items left out and says where to
    read them; if the pinned items leave no room for it, they are shown alone. Raises BudgetTooSmall if they do not fit.
    """
    page = _Page(sections)
    full, pins = page.text(), page.pins()
    if count(full) <= budget:
        return full
    if count(pins) > budget:
        least = min(count(pins), count(full))
        raise BudgetTooSmall(f"budget {budget}: the pinned lines alone need {least} tokens; allow at least {least}")
    sizes = [count(page.lines[line]) for line in page.unpinned]
    taken = bisect_right(list(accumulate(sizes)), budget - count(pins))  # a guess: sizes need not add up
    for line in page.unpinned[taken:]:
        page.leave_out(line)
    while (size := count(best := page.text())) > budget and taken:
        taken -= 1
        page.leave_out(page.unpinned[taken])
    if size > budget:
        best, size = pins, count(pins)
    note = count(page.note())
    for line, alone in zip(page.unpinned[taken:], sizes[taken:], strict=True):
        if size + alone <= budget + 2 * SLACK + (note if page.is_last_at_location(line) else 0):
            page.take(line)
            if (tokens := count(text := page.text())) <= budget:
                best, size = text, tokens
            else:
                page.leave_out(line)
    return best


class _Page:
    """The numbered lines of a prompt, all shown at first; `unpinned` lists those that may be left out, best first."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._under: dict[int, int] = {}
        self._pins: list[int] = []
        lines, titles, places = list[str](), list[int](), list[str]()
        unpinned: list[tuple[float, int]] = []
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
                    unpinned.append((-priority, line))
        self.lines, self._titles, self._places = lines, titles, places
        self.unpinned = [line for _, line in sorted(unpinned)]
        self._left_out = dict.fromkeys(places, 0)
        self._shown = [None if self._under.get(line) == 0 else text for line, text in enumerate(lines)]

    def take(self, line: int) -> None:
        """Show a line that was left out."""
        title = self._titles[line]
        self._left_out[self._places[line]] -= 1
        self._under[title] += 1
        self._shown[line], self._shown[title] = self.lines[line], self.lines[title]

    def leave_out(self, line: int) -> None:
        """Leave out a line, and its title if no other line is shown under it."""
        title = self._titles[line]
        self._left_out[self._places[line]] += 1
        self._under[title] -= 1
        self._shown[line] = None
        if not self._under[title]:
            self._shown[title] = None

    def is_last_at_location(self, line: int) -> bool:
        """Return whether this is the only line left out from its location: showing it shortens the note."""
        return self._left_out[self._places[line]] == 1

    def pins(self) -> str:
        """Return the pinned lines with their titles."""
        shown = sorted({*self._pins, *(self._titles[line] for line in self._pins)})
        return "\n".join([self.lines[line] for line in shown])[1:]

    def text(self) -> str:
        """Return the shown lines and the note."""
        lines = [line for line in self._shown if line is not None]
        if note := self.note():
            lines.insert(self._under[0] + 1 if self._under[0] else 0, note)
        return "\n".join(lines)[1:]

    def note(self) -> str:
        """Return the line that counts the items left out, by location; empty if there are none."""
        total = sum(self._left_out.values())
        if not total:
            return ""
        counts = [(place, number) for place, number in self._left_out.items() if place and number]
        places = [place if number == total else f"{place}: {number}" for place, number in counts]
        where = f"; read {', '.join(places)}" if places else ""
        return f"\n({total} {'item' if total == 1 else 'items'} left out{where})"
