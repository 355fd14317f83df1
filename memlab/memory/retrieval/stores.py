"""The three long-term stores together, and snapshots that detect whether a cached answer is still right."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal

from memlab.memory.episode import Episode
from memlab.memory.episodes import End, Episodes
from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.procedural import Skill, Skills
from memlab.memory.retrieval.relevance import round_to_step

Store = Literal["semantic", "episodic", "procedural"]
MemoryRecord = Fact | Skill | Episode
LOOK_BACK = 200
"""At most 200 episodes are read to find recent valid ones or new ones, which bounds the cost."""


@dataclass(frozen=True)
class Stores:
    """The three long-term stores."""

    facts: FactTable
    episodes: Episodes
    skills: Skills

    def get(self, identity: str) -> MemoryRecord | None:
        """Return the memory with an id from the first store that has it."""
        return self.facts.get(identity) or self.episodes.get(identity) or self.skills.get(identity)

    def under(self, identity: str) -> list[MemoryRecord]:
        """Return the memories with an id, at most one from each store."""
        stores = self.facts, self.episodes, self.skills
        return [known for store in stores if (known := store.get(identity))]

    def snapshot(self) -> StoreSnapshot:
        """Return a snapshot of the stores."""
        return StoreSnapshot(self, self.facts.version(), self.skills.all(), self.episodes.end())


@dataclass
class StoreSnapshot:
    """The state of the stores when a question was asked.

    The answer stays the same while facts and skills are unchanged, nothing was removed from the log, and new episodes
    are neither relevant nor change the number of texts (rounded) by which words are weighted.
    """

    stores: Stores
    facts: object
    skills: list[Skill]
    end: End
    added: int = field(default=0, init=False)
    latest: list[Episode] = field(default_factory=list, init=False)

    def new_episodes(self, texts: Collection[int]) -> list[Episode] | None:
        """Return the episodes logged since the last call; None if the stores changed in another way.

        `texts` are the numbers of texts by which words were weighted.
        """
        stores = self.stores
        if self.facts != stores.facts.version() or self.skills != stores.skills.all():
            return None
        new = stores.episodes.appended_since(self.end, LOOK_BACK)
        if not new:
            return new
        self.added += len(new)
        self.latest[:0] = reversed(new)
        return new if all(round_to_step(number) == round_to_step(number + self.added) for number in texts) else None

    def recent(self) -> Iterator[Episode]:
        """Yield the last episodes, newest first, each once; the log is read only if the cached ones are too few.

        An event may be delivered twice, or logged while the last ones are read.
        """
        del self.latest[LOOK_BACK:]
        cached, known = len(self.latest), set[tuple[str, float, str]]()
        last_ones = chain(list(self.latest), islice(self.stores.episodes.recent(), LOOK_BACK))
        for number, episode in enumerate(last_ones):
            key = episode.origin.id, episode.origin.time, episode.detail
            if key not in known:
                known.add(key)
                if number >= cached:
                    self.latest.append(episode)
                yield episode
