"""What retells or restates a statement that was superseded since is out of date with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memlab.memory.facts import Fact, FactStore, same_subject
from memlab.memory.retrieval.stores import MemoryRecord, Stores
from memlab.memory.text import word_set


@dataclass(frozen=True, slots=True)
class Replaced:
    """A statement that stands no more, what superseded it, the words that went with it and those that both hold."""

    old: Fact
    new: Fact
    gone: frozenset[str]
    kept: frozenset[str]

    def is_retold_by(self, memory: MemoryRecord, told: frozenset[str]) -> bool:
        """Tell whether a memory of these words retells the old one; what came after the new, ranked as high, is news.

        It does if it was the source of that statement, or holds all the words that only the old statement has and at
        least half of those that old and new share.
        """
        if memory.origin.time > self.new.origin.time and memory.rank >= self.new.rank:
            return False
        if memory.id in self.old.origin.derived_from:
            return True
        return bool(self.gone) and self.gone <= told and len(self.kept & told) * 2 >= len(self.kept) > 0


def replaced(retired: Iterable[Fact], facts: FactStore) -> Iterator[Replaced]:
    """Pair superseded statements with what superseded them."""
    for old in retired:
        new = facts.get(old.superseded_by)
        if new:
            before, now = word_set(old.body), word_set(new.body)
            yield Replaced(old, new, before - now, before & now)


def lineage(memory: MemoryRecord, stores: Stores) -> Iterator[tuple[str, MemoryRecord | None]]:
    """Yield everything that a memory restates, however far removed, each once: its id, and what is kept of it."""
    open_ids, seen = list(memory.origin.derived_from), set[str]()
    while open_ids:
        identity = open_ids.pop()
        if identity not in seen:
            seen.add(identity)
            parent = stores.get(identity)
            yield identity, parent
            open_ids += parent.origin.derived_from if parent else ()


def restates_superseded(memory: MemoryRecord, parent: MemoryRecord | None) -> bool:
    """Tell whether what a memory restates was superseded by another statement, on another subject than its own."""
    return (
        isinstance(parent, Fact)
        and parent.superseded_by not in {"", memory.id}
        and not (isinstance(memory, Fact) and same_subject(memory, parent))
    )
