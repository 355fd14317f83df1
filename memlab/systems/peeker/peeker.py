"""A system that looks the answer up instead of remembering it; in a sandbox it finds none."""

from __future__ import annotations

from memlab.systems.notes import Notes
from memlab.systems.oracle import Oracle
from memlab.systems.peeker.lookup import find_key
from memlab.terms import Event, Workspace


class Peeker:
    """Answers like the oracle from any key that it finds."""

    def __init__(self, workspace: Workspace) -> None:
        self._oracle = Oracle(workspace)
        self._notes = Notes(workspace.directory)

    def observe(self, event: Event) -> None:
        """Keep the text, only to recognise the scenario by it."""
        self._notes.write([" ".join(event.text.split())])

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return what the key expects; nothing if there is no key."""
        return self._oracle.recall(query, k) if self._has_key(query) else []

    def assemble(self, task: str, budget: int) -> str:
        """Return the context that the key demands; nothing if there is no key."""
        return self._oracle.assemble(task, budget) if self._has_key(task) else ""

    def _has_key(self, query: str) -> bool:
        key = find_key(query, frozenset(self._notes.oldest_first()))
        if key is not None:
            self._oracle.hand(key)
        return key is not None
