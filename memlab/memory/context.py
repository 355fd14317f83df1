"""Sections -> one prompt within a hard budget: the only place where a budget is spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

Counter = Callable[[str], int]
CHARS_PER_TOKEN = 4


class BudgetTooSmall(ValueError):
    """What is pinned does not fit: the message names the least budget that would do."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a prompt; worth decides what goes first when the budget is short, and a pin never goes."""

    text: str
    worth: float = 0.0
    pinned: bool = False


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
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def fill(sections: Sequence[Section], budget: int, count: Counter = count_tokens, elsewhere: str = "") -> str:
    """Compose the sections within a budget in tokens: pins whole, then whole items by worth, the rest left out.

    Behind the first section one line says how many items were left out and that they can be read `elsewhere`. Raises
    BudgetTooSmall if the pins alone do not fit.
    """
    whole = _render(sections, 0, elsewhere)
    if count(whole) <= budget:
        return whole
    pins = _render(_kept(sections, []), 0, elsewhere)
    if count(pins) > budget:
        raise BudgetTooSmall(
            f"budget {budget}: rules, goal and next to-do alone need {count(pins)} tokens; allow at least {count(pins)}"
        )
    return _spend(sections, pins, budget, count, elsewhere)


def _spend(sections: Sequence[Section], best: str, budget: int, count: Counter, elsewhere: str) -> str:
    """Take items in the order of their worth as long as the prompt that holds them fits."""
    spare = sorted(
        (item for section in sections for item in section.items if not item.pinned), key=lambda item: -item.worth
    )
    taken: list[Item] = []
    nothing: list[Item] = []  # tried first: the pins fit, but with the line of what is left out they may not
    for more in [nothing, *([item] for item in spare if count(item.text) <= budget)]:
        trial = taken + more
        text = _render(_kept(sections, trial), len(spare) - len(trial), elsewhere)
        if count(text) <= budget:
            taken, best = trial, text
    return best


def _kept(sections: Sequence[Section], taken: Sequence[Item]) -> list[Section]:
    """Leave in each section what is pinned or taken; two items may read alike, so each is known by its identity."""
    ids = set(map(id, taken))
    return [
        replace(section, items=tuple(item for item in section.items if item.pinned or id(item) in ids))
        for section in sections
    ]


def _render(sections: Sequence[Section], omitted: int, elsewhere: str) -> str:
    blocks = [
        "\n".join([section.title, *(item.text for item in section.items)]) for section in sections if section.items
    ]
    if omitted and elsewhere:
        note = f"({omitted} {'item' if omitted == 1 else 'items'} left out; read {elsewhere})"
        blocks.insert(1 if sections[0].items else 0, note)
    return "\n\n".join(blocks)
