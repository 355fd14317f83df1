"""One notes file: what an agent without stores writes down, one line per thing, and reads back after a restart."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from memlab.memory.context import CHARS_PER_TOKEN
from memlab.terms import Event


class Notes:
    """An append-only `notes.md`; a line written again is one line, as new as its last writing."""

    def __init__(self, directory: Path) -> None:
        path = directory / "notes.md"
        self._lines: dict[str, None] = {}
        if path.exists():
            self._remember(path.read_text(encoding="utf-8").split("\n"))
        self._file = path.open("ab", buffering=0)
        weakref.finalize(self, self._file.close)

    def write(self, lines: Iterable[str]) -> None:
        """Append lines; they are on file when this returns."""
        new = [line for line in lines if line]
        if new:
            self._file.write(("\n".join(new) + "\n").encode(errors="replace"))
            self._remember(new)

    def oldest_first(self) -> list[str]:
        """List every distinct line in the order of its last writing."""
        return list(self._lines)

    def newest_first(self) -> Iterable[str]:
        """Go through every distinct line, the last written first."""
        return reversed(self._lines)

    def newest(self, count: int) -> list[str]:
        """List the last `count` distinct lines, newest first."""
        return list(islice(self.newest_first(), count))

    def _remember(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line:
                self._lines.pop(line, None)
                self._lines[line] = None


def lines_of(event: Event) -> list[str]:
    """Write an event down as a careful agent would: its text whole, with what it is called in front."""
    text = _one_line(event.text)
    if event.kind == "rule":
        return [f"- {text}"] if text else []
    if event.kind == "task":
        return [f"goal: {text}", *(f"- {_one_line(item)}" for item in event.todo)]
    if event.kind in {"done", "end", "erase"}:
        return [f"{event.kind}: {text}"] if text else []
    titles = (_one_line(part) for part in (event.name, event.description))
    line = ": ".join(part for part in (*titles, text) if part)
    return [line] if line else []


def fill_budget(lines: Iterable[str], budget: int) -> str:
    """Take whole lines in order while they fit into `budget` tokens, skipping those that do not."""
    room = budget * CHARS_PER_TOKEN + 1
    taken = []
    for line in lines:
        if len(line) < room:
            taken.append(line)
            room -= len(line) + 1
            if room <= 1:
                break
    return "\n".join(taken)


def _one_line(text: str) -> str:
    return text if text.isprintable() else " ".join(text.split())
