"""A notes file of an agent without stores: one line per item, read again after a restart."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from memlab.memory.context import CHARS_PER_TOKEN
from memlab.terms import Event

MEMORY_SHARE = 4
"""A window has a quarter for the memory."""


class Notes:
    """An append-only `notes.md`; a repeated line counts once, at the time of its last writing."""

    def __init__(self, directory: Path) -> None:
        path = directory / "notes.md"
        self._lines: dict[str, None] = {}
        if path.exists():
            self._remember(path.read_text(encoding="utf-8").split("\n"))
        self._file = path.open("ab", buffering=0)
        weakref.finalize(self, self._file.close)

    def write(self, lines: Iterable[str]) -> None:
        """Append lines; they are in the file when this returns."""
        new = [line for line in lines if line]
        if new:
            self._file.write(("\n".join(new) + "\n").encode(errors="replace"))
            self._remember(new)

    def oldest_first(self) -> list[str]:
        """Return every distinct line in the order of its last writing."""
        return list(self._lines)

    def newest_first(self) -> Iterable[str]:
        """Iterate over every distinct line, the last written first."""
        return reversed(self._lines)

    def newest(self, count: int) -> list[str]:
        """Return the last `count` distinct lines, newest first."""
        return list(islice(self.newest_first(), count))

    def _remember(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line:
                self._lines.pop(line, None)
                self._lines[line] = None


def lines_of(event: Event) -> list[str]:
    """Return an event as lines of text, each to be stored as one item: name, description, and the uncut text.

    A task is a line for its goal and one for each to-do. An event without text, such as a withdrawn rule, has no line.

    >>> memlab.lines_of(memlab.Event("e1", "fact", 0.0, "s1", "user", "We deploy on Tuesdays.", name="deploy-day"))
    ['deploy-day: We deploy on Tuesdays.']
    """
    text = _join_lines(event.text)
    if event.kind == "rule":
        return [f"- {text}"] if text else []
    if event.kind == "task":
        return [f"goal: {text}", *(f"- {_join_lines(item)}" for item in event.todo)]
    if event.kind in {"done", "end", "erase"}:
        return [f"{event.kind}: {text}"] if text else []
    titles = (_join_lines(part) for part in (event.name, event.description))
    line = ": ".join(part for part in (*titles, text) if part)
    return [line] if line else []


def fill_budget(lines: Iterable[str], budget: int) -> str:
    """Return the lines that fit into `budget` tokens, uncut and in order, skipping those that do not fit."""
    room = budget * CHARS_PER_TOKEN + 1
    taken = []
    for line in lines:
        if len(line) < room:
            taken.append(line)
            room -= len(line) + 1
            if room <= 1:
                break
    return "\n".join(taken)


def fill_window(assemble: Callable[[str, int], str], task: str, budget: int, texts: Sequence[str]) -> str:
    """Return a window of memory and conversation: a quarter is for the memory, the rest for the newest texts, uncut.

    What does not fit is left out; no room is kept for the reply.
    """
    memory = assemble(task, budget // MEMORY_SHARE)
    room = budget * CHARS_PER_TOKEN - len(memory) - 1
    return "\n".join([memory, fill_budget(reversed(texts), max(0, room) // CHARS_PER_TOKEN)])


def _join_lines(text: str) -> str:
    return text if text.isprintable() else " ".join(text.split())
