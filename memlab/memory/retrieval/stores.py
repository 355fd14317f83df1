"""The three long-term stores together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.procedural import Skill, Skills
from memlab.memory.retrieval.vectors import Vectors

Store = Literal["semantic", "episodic", "procedural"]
MemoryRecord = Fact | Skill | Episode


@dataclass(frozen=True)
class Stores:
    """The three long-term stores, and the vectors of their texts."""

    facts: FactTable
    episodes: Episodes
    skills: Skills
    vectors: Vectors

    def get(self, identity: str) -> MemoryRecord | None:
        """Return the memory with an id from the first store that has it."""
        return self.facts.get(identity) or self.episodes.get(identity) or self.skills.get(identity)

    def close(self) -> None:
        """Close every file."""
        for store in (self.facts, self.episodes, self.skills, self.vectors):
            store.close()

    def under(self, identity: str) -> list[MemoryRecord]:
        """Return the memories with an id, at most one from each store."""
        stores = self.facts, self.episodes, self.skills
        return [known for store in stores if (known := store.get(identity))]

    def lineage(self, memory: MemoryRecord) -> Iterator[MemoryRecord]:
        """Yield the stored memories that a memory is derived from, directly or not, each once."""
        open_ids, seen = list(memory.origin.derived_from), set[str]()
        while open_ids:
            identity = open_ids.pop()
            if identity not in seen and (parent := self.get(identity)):
                yield parent
                open_ids += parent.origin.derived_from
            seen.add(identity)
