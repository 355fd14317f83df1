"""Pins: rules, the goal and to-dos, found in folded lines as whole lines or list items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memlab.memory.text import fold

_LABELS = (
    re.compile(r"(?:[-*+•>]|\d+[.)]|#+) "),  # - item, 1. item, # heading
    re.compile(r"\[(?![x✓]\])[^\]]*\] ?"),  # [ ] item, [working] ..., but never the tick of what is done
    re.compile(r"[^\W\d_][\w-]*(?: [\w-]+){0,2} ?[:=] ?"),  # goal: ..., task=..., do this next: ...
)
_HEADING = re.compile(r"#+ .*|\[[^\]]*\]|<[^>]*>|[^:]{1,40}:|[-=_*~ ]+")


def contains_pin(pin: str, lines: Sequence[str]) -> bool:
    """Tell if each line of a pin stands among some lines, alone or as a list item, with or without its own bullet."""
    return all(any(one in line and _stands(one, line) for line in lines) for one in map(_bare, pin.splitlines()) if one)


def is_heading(line: str) -> bool:
    """Tell if a line is a heading, a rule of dashes or a bare label."""
    return _HEADING.fullmatch(line) is not None


def listed_todos(line: str, todo: Iterable[str]) -> list[str]:
    """Give the to-dos of a line that, its labels aside, lists nothing but to-dos of these (folded), else none."""
    for form in _unlabelled(line):
        items = _items(form)
        if set(items) <= set(todo):
            return items
    return []


def _bare(line: str) -> str:
    folded = fold(line)
    bullet = _LABELS[0].match(folded)
    return folded[bullet.end() :] if bullet else folded


def _stands(pin: str, line: str) -> bool:
    return any(pin == form or pin in _items(form) for form in (line, *_unlabelled(line)))


def _unlabelled(line: str) -> Iterator[str]:
    """Give the line, then the line without its first label, and so on until it has none."""
    line = line.replace("**", "")
    while line:
        yield line
        line = next((line[found.end() :] for label in _LABELS if (found := label.match(line))), "")


def _items(form: str) -> list[str]:
    return [part.strip(" []'\"`") for part in form.split(",")]
