"""What a question asks for: its parts, its words and how much each tells, and the memories that share them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from memlab.memory.episode import Episode
from memlab.memory.episodic import Episodes
from memlab.memory.naming import fold
from memlab.memory.orders import harmless
from memlab.memory.procedural import Skill, Skills
from memlab.memory.relevance import Weights, coverage, evidence, excerpt, weigh, words
from memlab.memory.semantic import Fact, FactStore
from memlab.memory.trust import NOT_TRUSTED

Store = Literal["semantic", "episodic", "procedural"]
Kept = Fact | Skill | Episode
CANDIDATES = 40
"""So many memories a store may offer from trusted sources, and again from the others, before any is weighed."""
UNTRUSTED_WORTH = 0.6
"""What nobody vouches for answers only where no trusted memory answers nearly as well."""
_PARTS = re.compile(r"[,;:?]|\b(?:and|or)\b", re.IGNORECASE)
# How a question is put says which store it asks; what the others know answers it too, but counts for less.
_CUES: dict[Store, tuple[re.Pattern[str], dict[Store, float]]] = {
    "episodic": (
        re.compile(r"\bwhen (?:did|was|were|have|has|had)\b|\b(?:last|happened|ago|yesterday)\b"),
        {"episodic": 1.0, "semantic": 0.85, "procedural": 0.6},
    ),
    "procedural": (
        re.compile(r"^how (?!many|much|long|often|old|big|far|large)|\bsteps\b|\bprocedure\b"),
        {"procedural": 1.0, "semantic": 0.95, "episodic": 0.7},
    ),
    "semantic": (re.compile(""), {"semantic": 1.0, "procedural": 0.8, "episodic": 0.75}),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory that shares words with the question, before it is known whether it holds up."""

    memory: Kept
    text: str
    store: Store
    score: float
    matched: frozenset[str] = frozenset()

    @property
    def rank(self) -> int:
        """How far its lineage is trusted."""
        return self.memory.rank


@dataclass(frozen=True)
class Stores:
    """The three stores that outlive a task."""

    facts: FactStore
    episodes: Episodes
    skills: Skills


class Question:
    """One question to the stores: its words, how much each tells, and which memories hold them.

    A question with several parts ("who ships, and from where") is several questions that lend each other context.
    """

    def __init__(self, text: str, stores: Stores, whole: Question | None = None) -> None:
        self.words = list(dict.fromkeys(words(text)))
        self._stores = stores
        self._whole = whole or self
        self._worth = next(worths for cue, worths in _CUES.values() if cue.search(fold(text)))
        self.parts = [self]
        if whole is None:
            parts = [Question(part, stores, self) for part in _PARTS.split(text) if words(part)]
            self.parts = parts if len(parts) > 1 else [self]

    @cached_property
    def weights(self) -> Weights:
        """Weigh the words by how few memories hold them."""
        if self._whole is not self:
            return {word: self._whole.weights[word] for word in self.words}
        told, texts = self._stores.episodes.frequency(self.words)
        known, facts = self._stores.facts.frequency(self.words)
        return weigh(self.words, Counter(told) + Counter(known), texts + facts)

    @cached_property
    def retired(self) -> list[Fact]:
        """Find superseded statements that hold these words: what retells them is out of date."""
        return self._stores.facts.search(self.words, CANDIDATES, retired=True)

    def candidates(self, least: float) -> list[Candidate]:
        """Give what more than the least evidence speaks for, best first, then most trusted, then latest."""
        weighed = [self._weighed(memory, store) for (store, _), memory in self._whole.found.items()]
        found = [one for one in weighed if evidence(self.weights, one.matched) > least]
        return sorted(found, key=lambda one: (-round(one.score, 3), -one.rank, -one.memory.origin.time, one.memory.id))

    @cached_property
    def found(self) -> dict[tuple[Store, str], Kept]:
        """Find what shares words with the whole question or with one of its parts, each memory once."""
        asked = [self.words, *(part.words for part in self.parts if part is not self)]
        facts, episodes = self._stores.facts, self._stores.episodes
        found: dict[tuple[Store, str], Kept] = {("procedural", one.id): one for one in self._stores.skills.all()}
        for some in asked:
            found |= {("semantic", one.id): one for one in facts.search(some, CANDIDATES)}
            found |= {("episodic", one.id): one for one in episodes.search(some, CANDIDATES)}
        return found

    def fit(self, held: set[str]) -> float:
        """Give how well a text's words cover the question, by their weight and by their number, whichever is less."""
        alike = dict.fromkeys(self.words, 1.0)
        return min(coverage(self.weights, held), coverage(alike, held))

    def _weighed(self, memory: Kept, store: Store) -> Candidate:
        text, vouched = memory.text, 1.0
        if memory.rank == NOT_TRUSTED:
            text, vouched = harmless(text), UNTRUSTED_WORTH
        served = excerpt(text, self.weights)
        held = set(words(served if isinstance(memory, Episode) else memory.key))
        match = (self.fit(held) + self._whole.fit(held)) / 2  # the whole question lends its parts their context
        score = match * self._worth[store] * vouched
        return Candidate(memory, served, store, score, frozenset(held.intersection(self.words)))
