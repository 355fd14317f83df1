"""Finds memories that repeat or restate a superseded statement: they are out of date too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memlab.memory.facts import Fact, same_subject
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.retrieval.relevance import word_set
from memlab.memory.retrieval.stores import MemoryRecord, Stores


@dataclass(frozen=True, slots=True)
class Supersession:
    """A superseded statement and its successor: the words that only the old one has, and those that both have."""

    old: Fact
    new: Fact
    only_old: frozenset[str]
    shared: frozenset[str]

    def is_repeated_by(self, memory: MemoryRecord, held: frozenset[str]) -> bool:
        """Return whether a memory with these words repeats the old statement.

        True if it is a source of the old statement, or has all words that only the old one has and at least half of the
        shared ones. Never for a memory that is later than the new statement and ranks as high.
        """
        if memory.origin.time > self.new.origin.time and memory.rank >= self.new.rank:
            return False
        if memory.id in self.old.origin.derived_from:
            return True
        return bool(self.only_old) and self.only_old <= held and len(self.shared & held) * 2 >= len(self.shared) > 0


def supersessions(retired: Iterable[Fact], facts: FactTable) -> Iterator[Supersession]:
    """Yield superseded statements with their successors."""
    for old in retired:
        new = facts.get(old.superseded_by)
        if new:
            before, now = word_set(old.body), word_set(new.body)
            yield Supersession(old, new, before - now, before & now)


def lineage(memory: MemoryRecord, stores: Stores) -> Iterator[tuple[str, MemoryRecord | None]]:
    """Yield the lineage of a memory, each id once with its stored memory (or None)."""
    open_ids, seen = list(memory.origin.derived_from), set[str]()
    while open_ids:
        identity = open_ids.pop()
        if identity not in seen:
            seen.add(identity)
            parent = stores.get(identity)
            yield identity, parent
            open_ids += parent.origin.derived_from if parent else ()


def restates_superseded(memory: MemoryRecord, parent: MemoryRecord | None) -> bool:
    """Return whether a source of a memory was superseded, by another statement and on another subject."""
    return (
        isinstance(parent, Fact)
        and parent.superseded_by not in {"", memory.id}
        and not (isinstance(memory, Fact) and same_subject(memory, parent))
    )
