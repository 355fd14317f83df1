"""A memory that remembers nothing and looks for the answer key instead: in its process, its files, its environment.

It is played in a process of its own, as everything is that memlab did not write; there it must find nothing.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from memlab.systems.oracle import Oracle
from memlab.terms import Event, Key, Workspace

ABOUT = "Looks for the answer key in its process, files and environment: wins where judge and judged share them."
MOST = 2_000
"""So many files it opens."""


class Peeker:
    """Answers from whatever key lies about."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._oracle = Oracle(workspace)

    def observe(self, event: Event) -> None:
        """Forget it: the key will know it."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give what the key expects, or the lines beside the question in some file."""
        for key in self._keys(query):
            self._oracle.hand(key)
            return self._oracle.recall(query, k)
        return self._lines(query)[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Give what the key wants to be kept, or the lines beside the task in some file."""
        for key in self._keys(task):
            self._oracle.hand(key)
            return self._oracle.assemble(task, budget)
        return "\n".join(self._lines(task))

    def _keys(self, query: str) -> list[Key]:
        """Find the keys of a question among all objects of the process and the variables of its frames."""
        known = (one for one in gc.get_objects() if isinstance(one, Key))
        return [one for one in (*known, *_in_frames()) if one.query == query]

    def _lines(self, query: str) -> list[str]:
        """Find lines that hold the question in the files and variables that are within reach."""
        found = [value for value in os.environ.values() if query in value]
        for path in _files(self._workspace.directory.parent.parent):
            try:
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            found += [line for line in text.splitlines() if query in line]
        return found


def _in_frames() -> Iterator[Key]:
    for innermost in sys._current_frames().values():  # noqa: SLF001 - to peek is its only trade
        for frame, _ in traceback.walk_stack(innermost):
            yield from (one for one in frame.f_locals.values() if isinstance(one, Key))


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for path in folder.rglob("*"):
        if path.is_file():
            found.append(path)
        if len(found) == MOST:
            break
    return found
