"""Stand-ins for the verb that a system lacks, so that every system can be asked every question.

`fallback` names the verb; the table marks it.
"""

from __future__ import annotations

from typing import Any

from memlab.systems.answers import context_of, memories_of
from memlab.systems.notes import fill_budget
from memlab.terms import Event, Memory, MemorySystem

ITEMS = 50
"""Items that are recalled to fill a context."""
RECALL_BUDGET = 300
"""Tokens of the context from which recall is read: the labs' own 1,200 characters."""


class Completed:
    """A system with two of the three verbs; `fallback` names the third."""

    fallback = ""

    def __init__(self, name: str, system: Any) -> None:  # noqa: ANN401 - no type says "two verbs of three"
        self._name = name
        self._system = system

    def observe(self, event: Event) -> None:
        """Tell the system."""
        self._system.observe(event)

    def close(self) -> None:
        """Close the system, if it can be."""
        close = getattr(self._system, "close", None)
        if close is not None:
            close()


class AssembledFromRecall(Completed):
    """Assembles by filling the budget, greedily and in order, with what recall gives for the task."""

    fallback = "assemble"

    def recall(self, query: str, k: int = 5) -> tuple[Memory, ...]:
        """Ask the system."""
        return memories_of(self._name, self._system.recall(query, k))

    def assemble(self, task: str, budget: int) -> str:
        """Take the recalled items whole, one after the other, while they fit."""
        return fill_budget((item.text for item in self.recall(task, ITEMS)), budget)


class RecalledFromContext(Completed):
    """Recalls by assembling a context for the query: the whole context is one item."""

    fallback = "recall"

    def recall(self, query: str, k: int = 5) -> list[str]:  # noqa: ARG002 - a context is one item
        """Assemble RECALL_BUDGET tokens for the query; an empty context is no item."""
        context = self.assemble(query, RECALL_BUDGET)
        return [context] if context else []

    def assemble(self, task: str, budget: int) -> str:
        """Ask the system."""
        return context_of(self._name, self._system.assemble(task, budget))


def complete(name: str, system: Any, verbs: frozenset[str]) -> MemorySystem:  # noqa: ANN401 - as above
    """Give the system all three verbs; `verbs` are those it has, observe and at least one other."""
    if "assemble" not in verbs:
        return AssembledFromRecall(name, system)
    if "recall" not in verbs:
        return RecalledFromContext(name, system)
    whole: MemorySystem = system
    return whole
