"""The three stores that outlive a task, together; and whether they still give the same answer to the same question."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal

from memlab.memory.episode import Episode
from memlab.memory.episodes import End, Episodes
from memlab.memory.facts import Fact, FactStore
from memlab.memory.procedural import Skill, Skills
from memlab.memory.text import round_to_step

Store = Literal["semantic", "episodic", "procedural"]
MemoryRecord = Fact | Skill | Episode
LOOK_BACK = 200
"""So many episodes are looked at for recent ones that hold up, and for news: a log of noise may not cost more."""


@dataclass(frozen=True)
class Stores:
    """The three stores that outlive a task."""

    facts: FactStore
    episodes: Episodes
    skills: Skills

    def get(self, identity: str) -> MemoryRecord | None:
        """Give what one of them keeps under an id."""
        return self.facts.get(identity) or self.episodes.get(identity) or self.skills.get(identity)

    def under(self, identity: str) -> list[MemoryRecord]:
        """Give all that they keep under an id, at most one thing in each."""
        stores = self.facts, self.episodes, self.skills
        return [known for store in stores if (known := store.get(identity))]

    def snapshot(self) -> StoreSnapshot:
        """Note how they stand now."""
        return StoreSnapshot(self, self.facts.version(), self.skills.all(), self.episodes.end())


@dataclass
class StoreSnapshot:
    """How the stores stood when a question was asked.

    The answer is still the same while the facts and the skills are, while nothing was taken from the log, and while
    what was told since neither bears on it nor makes the number of texts, by which words are weighed, another.
    """

    stores: Stores
    facts: object
    skills: list[Skill]
    end: End
    told: int = field(default=0, init=False)
    lately: list[Episode] = field(default_factory=list, init=False)

    def new_episodes(self, texts: Collection[int]) -> list[Episode] | None:
        """Give what was told since this was asked last; None if the stores may answer otherwise for another reason.

        `texts` are the numbers of texts by which words were weighed.
        """
        stores = self.stores
        if self.facts != stores.facts.version() or self.skills != stores.skills.all():
            return None
        news = stores.episodes.appended_since(self.end, LOOK_BACK)
        if not news:
            return news
        self.told += len(news)
        self.lately[:0] = reversed(news)
        return news if all(round_to_step(number) == round_to_step(number + self.told) for number in texts) else None

    def recent(self) -> Iterator[Episode]:
        """Yield the last episodes, newest first; the log is read only if those at hand are too few.

        Each comes once, though an event may have been delivered twice, or told while the last ones were read.
        """
        del self.lately[LOOK_BACK:]
        at_hand, known = len(self.lately), set[tuple[str, float, str]]()
        last_ones = chain(list(self.lately), islice(self.stores.episodes.recent(), LOOK_BACK))
        for number, episode in enumerate(last_ones):
            telling = episode.origin.id, episode.origin.time, episode.detail
            if telling not in known:
                known.add(telling)
                if number >= at_hand:
                    self.lately.append(episode)
                yield episode
