"""Finds pins (rules, the goal, to-dos) in folded lines, as complete lines or list items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memlab.memory.text import fold

_LABELS = (
    re.compile(r"(?:[-*+•>]|\d+[.)]|#+) "),  # - item, 1. item, # heading
    re.compile(r"\[(?![x✓]\])[^\]]*\] ?"),  # [ ] item, [working] ..., but not [x], a done item
    re.compile(r"[^\W\d_][\w-]*(?: [\w-]+){0,2} ?[:=] ?"),  # goal: ..., task=..., do this next: ...
)
_HEADING = re.compile(r"#+ .*|\[[^\]]*\]|<[^>]*>|[^:]{1,40}:|[-=_*~ ]+")


def contains_pin(pin: str, lines: Sequence[str]) -> bool:
    """Return whether each line of a pin equals a line, or a list item in a line; its bullet is ignored."""
    return all(
        any(part in line and _is_item(part, line) for line in lines) for part in map(_bare, pin.splitlines()) if part
    )


def is_heading(line: str) -> bool:
    """Return whether a line is a heading, a rule of dashes or a label without text."""
    return _HEADING.fullmatch(line) is not None


def listed_todos(line: str, todo: Iterable[str]) -> list[str]:
    """Return the to-dos in a line that lists only to-dos of `todo` (folded, labels ignored), else an empty list."""
    for form in _unlabelled(line):
        items = _items(form)
        if set(items) <= set(todo):
            return items
    return []


def _bare(line: str) -> str:
    folded = fold(line)
    bullet = _LABELS[0].match(folded)
    return folded[bullet.end() :] if bullet else folded


def _is_item(pin: str, line: str) -> bool:
    return any(pin == form or pin in _items(form) for form in (line, *_unlabelled(line)))


def _unlabelled(line: str) -> Iterator[str]:
    """Yield the line, then the line without its first label, and so on until no label is left."""
    line = line.replace("**", "")
    while line:
        yield line
        line = next((line[found.end() :] for label in _LABELS if (found := label.match(line))), "")


def _items(form: str) -> list[str]:
    return [part.strip(" []'\"`") for part in form.split(",")]
