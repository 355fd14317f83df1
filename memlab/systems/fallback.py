"""Supplies the verb that a system lacks, recall or assemble, so that all systems can answer all probes."""

from __future__ import annotations

from typing import Any, cast

from memlab.systems.abilities import declared_limits
from memlab.systems.answers import context_of, memories_of
from memlab.systems.notes import fill_budget
from memlab.terms import Event, Memory, MemorySystem

ITEMS = 50
"""The number of items that are recalled to fill a context."""
RECALL_BUDGET = 300
"""In tokens: the budget of the context that serves as recall, equal to the labs' 1,200 characters."""


class Completed:
    """A system with one verb supplied; `fallback` names it, and the table marks it."""

    fallback = ""

    def __init__(self, name: str, system: Any) -> None:  # noqa: ANN401 - no type describes a system with two verbs
        self._name = name
        self._system = system
        self.cannot: tuple[str, ...] = declared_limits(system)
        self.isolation: str = getattr(system, "isolation", "")
        self.version: str = getattr(system, "version", "")
        self.window = getattr(system, "window", None)

    @property
    def not_judged(self) -> str:
        """Why no probe is judged now, "" if probes are."""
        return str(getattr(self._system, "not_judged", ""))

    def observe(self, event: Event) -> None:
        self._system.observe(event)

    def printed(self) -> str:
        """Return what the system printed since the last call, if its process is its own."""
        printed = getattr(self._system, "printed", None)
        return printed() if callable(printed) else ""

    def close(self) -> None:
        """Close the system if it can be closed."""
        close = getattr(self._system, "close", None)
        if close is not None:
            close()


class AssembledFromRecall(Completed):
    """Assembles a context by filling the budget greedily with the items recalled for the task, in order."""

    fallback = "assemble"

    def recall(self, query: str, k: int = 5) -> tuple[Memory, ...]:
        return memories_of(self._name, self._system.recall(query, k))

    def assemble(self, task: str, budget: int) -> str:
        return fill_budget((item.text for item in self.recall(task, ITEMS)), budget)


class RecalledFromContext(Completed):
    """Recalls one item: the context assembled for the query."""

    fallback = "recall"

    def recall(self, query: str, k: int = 5) -> list[str]:  # noqa: ARG002 - a context is one item
        """Return a context of RECALL_BUDGET tokens as one item; an empty context is no item."""
        context = self.assemble(query, RECALL_BUDGET)
        return [context] if context else []

    def assemble(self, task: str, budget: int) -> str:
        return context_of(self._name, self._system.assemble(task, budget))


def complete(name: str, system: Any, verbs: frozenset[str]) -> MemorySystem:  # noqa: ANN401 - as above
    """Return the system with all three verbs; `verbs` are those that it has, observe and at least one other."""
    if "assemble" not in verbs:
        return AssembledFromRecall(name, system)
    if "recall" not in verbs:
        return RecalledFromContext(name, system)
    return cast("MemorySystem", system)
