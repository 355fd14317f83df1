"""Facts about a timezone, and how a test reads what a store serves."""

from __future__ import annotations

from collections.abc import Callable

from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.retrieval.relevance import stems
from memlab.memory.trust import Provenance, rank

Open = Callable[[], FactTable]


def fact(  # noqa: PLR0913, PLR0917 - a fact has that many sides
    identity: str, body: str, name: str = "timezone", source: str = "user", about: str = "", time: float = 1.0
) -> Fact:
    return Fact(name, body, about=about, origin=Provenance(source, "s1", time, identity), rank=rank(source))


def standing(store: FactTable, question: str) -> list[str]:
    return [found.id for found in store.search(stems(question), 10)]
