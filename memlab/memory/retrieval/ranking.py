"""Ranking: the parts and words of a question, the weights of its words, and the candidate memories in order.

Candidates are sorted by relevance to the question, lowered for a store that the question does not ask, for untrusted
sources and for failed skills; then by rank, by importance, and last by time. Recency decides only between equals: as a
part of the score it would displace relevant memories.
"""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import lt
from typing import NamedTuple

from memlab.memory.episode import Episode
from memlab.memory.episodes import CANDIDATES
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import without_instructions
from memlab.memory.procedural import Skill
from memlab.memory.reference_check import Finding
from memlab.memory.retrieval import relevance
from memlab.memory.retrieval.relevance import word_set, words
from memlab.memory.retrieval.stores import MemoryRecord, Store, Stores
from memlab.memory.retrieval.superseded import Supersession, lineage, restates_superseded, supersessions
from memlab.memory.text import fold
from memlab.memory.trust import NOT_TRUSTED, Provenance

Frequency = tuple[Mapping[str, int], int]
Notes = tuple[str, ...] | None
Judgement = tuple[Sequence[Finding], Notes]
VersionKey = tuple[str, str, str, float, tuple[str, ...]]
SortKey = tuple[float, float, float, float, str]
"""Smaller keys come first."""
LIMIT_GROWTH, MAX_LIMIT = 5, 25 * CANDIDATES
"""If no candidate is valid, the search is repeated for five times as many, up to 1,000, the maximum of a search."""
MAX_MERGED = 10 * CANDIDATES
"""At most 400 new episodes are merged into the candidates; then the search is repeated."""
UNTRUSTED_FACTOR = 0.6
"""Score factor for untrusted memories: a trusted one with 60 % of the score wins."""
DEFAULT_IMPORTANCE = 0.5
"""The importance of episodes and skills: the default of a fact."""
_PARTS = re.compile(  # ", ", "and", and where one question reports another: "the crew | asks | Mara | where ..."
    r"[,;:?]|\b(?:and|or)\b"
    r"|\b(?:ask|tell|know|wonder)(?:s|ed)?\b([^,;:?]{0,60}?)(?=\b(?:wh(?:at|en|ere|ether|ich|om?|ose|y)|how)\b)",
    re.IGNORECASE,
)
# The wording of a question shows which store it asks; memories of the others count for less.
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


class Candidate(NamedTuple):
    """One memory that shares words with the question, with its score and evidence, not yet checked for validity."""

    memory: MemoryRecord
    text: str
    store: Store
    score: float = 0.0
    matched: frozenset[str] = frozenset()
    evidence: float = 0.0

    @property
    def rank(self) -> int:
        """The trust rank of the memory."""
        return self.memory.rank

    @property
    def version_key(self) -> VersionKey:
        """A key for this version of the memory: id, text, source, time, lineage."""
        origin = self.memory.origin
        return origin.id, self.text, origin.source, origin.time, origin.derived_from

    @property
    def sort_key(self) -> SortKey:
        """Sorts by score, then rank, importance and time, best first."""
        memory = self.memory
        importance = memory.importance if isinstance(memory, Fact) else DEFAULT_IMPORTANCE
        return -round(self.score, 3), -memory.rank, -importance, -memory.origin.time, memory.id


class Recalled(NamedTuple):
    """One recalled memory: text, provenance, store, score in [0, 1], and notes (untrusted, unverifiable)."""

    text: str
    origin: Provenance
    store: Store
    score: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A cached answer: the memories served, and the checked candidates that name something in the environment.

    The answer stays the same while the environment gives the same results for those candidates and no new candidate
    sorts before one of the `ends`: the last candidate checked for each part of the question. There are no `ends` if the
    candidates of a part were exhausted.
    """

    served: Sequence[Recalled]
    rests_on: Sequence[tuple[Candidate, Judgement]]
    ends: Sequence[SortKey]


class Question:
    """One question to the stores: its words, their weights, and the candidates that contain them.

    A question with several parts ("who ships, and from where") is several questions that share context. Candidates are
    cached; they are valid while `is_current` is true.
    """

    def __init__(self, text: str, stores: Stores, root: Question | None = None) -> None:
        self.words = list(dict.fromkeys(words(text)))
        self._stores = stores
        self._root = root or self
        self._store_factors = next(factors for cue, factors in _CUES.values() if cue.search(fold(text)))
        self.parts = [self]
        if root is None:
            self._limit, self._more = CANDIDATES, False
            self._snapshot = stores.snapshot()  # before the first search
            self._lineage_ids: set[str] = set()
            self._outdated_by_key: dict[VersionKey, bool] = {}
            self.judged: dict[VersionKey, Judgement] = {}
            self._rivals: dict[str, list[Fact]] = {}
            self._merged = 0
            self.answers: dict[tuple[int, float, float], Answer] = {}
            parts = [Question(part, stores, self) for part in filter(None, _PARTS.split(text)) if words(part)]
            self.parts = parts if len(parts) > 1 else [self]

    def is_current(self) -> bool:
        """Return whether the cached candidates are still right, after merging new episodes into them."""
        (_, texts), (_, facts) = self._frequency
        news = self._snapshot.new_episodes((texts, texts + facts))
        return news is not None and all(map(self._merge, news))

    def recent(self) -> Iterator[Episode]:
        """Yield the last episodes, newest first, relevant or not."""
        return self._snapshot.recent()

    def candidates(self, least: float) -> Iterator[Candidate]:
        """Yield the candidates with more than `least` evidence, best first."""
        return (candidate for candidate in self._candidates if candidate.evidence > least)

    def look_further(self) -> bool:
        """Raise the search limit and drop cached candidates; return False if there cannot be more."""
        if not self._more or self._limit >= MAX_LIMIT:
            return False
        self._limit *= LIMIT_GROWTH
        for one in (self, *self.parts):
            for found in ("found", "_texts", "_candidates"):
                vars(one).pop(found, None)
        return True

    def is_outdated(self, candidate: Candidate) -> bool:
        """Return whether a candidate restates or repeats a statement that has been superseded."""
        key = candidate.version_key
        if key not in self._outdated_by_key:
            self._outdated_by_key[key] = self._restates_superseded(candidate.memory) or self._repeats_superseded(
                candidate
            )
        return self._outdated_by_key[key]

    def rivals(self, fact: Fact) -> list[Fact]:
        """Return the current statements of higher rank on a fact's subject."""
        if fact.id not in self._rivals:
            self._rivals[fact.id] = [rival for rival in self._stores.facts.rivals(fact) if rival.rank > fact.rank]
        return self._rivals[fact.id]

    @cached_property
    def weights(self) -> relevance.Weights:
        """The words' weights: rarer words weigh more."""
        if self._root is not self:
            return {word: self._root.weights[word] for word in self.words}
        (_, texts), (_, facts) = self._frequency
        return relevance.weigh(self.words, self._document_counts, texts + facts)

    @cached_property
    def found(self) -> dict[tuple[Store, str, str], MemoryRecord]:
        """The memories that share words with the question or one of its parts, each once.

        The same id with another text is another memory.
        """
        word_lists = [self.words, *(part.words for part in self.parts if part is not self)]
        facts = [self._stores.facts.search(some, self._limit) for some in word_lists]
        episodes = [self._stores.episodes.matching(some, self._limit) for some in word_lists]
        self._more = max(*map(len, facts), *map(len, episodes)) >= self._limit
        found: list[tuple[Store, MemoryRecord]] = [("procedural", one) for one in self._stores.skills.all()]
        found += [("semantic", one) for one in chain(*facts)]
        found += [("episodic", one) for one in chain(*episodes)]
        return {(store, one.id, one.text): one for store, one in found}

    @cached_property
    def _frequency(self) -> tuple[Frequency, Frequency]:
        return self._stores.episodes.frequency(self.words), self._stores.facts.frequency(self.words)

    @cached_property
    def _texts(self) -> dict[str, Episode]:
        """The episodes found, by their folded text."""
        return {fold(one.detail): one for one in self.found.values() if isinstance(one, Episode)}

    @cached_property
    def _document_counts(self) -> Counter[str]:
        """The number of memories that contain each word."""
        (episodes, _), (facts, _) = self._frequency
        return Counter(episodes) + Counter(facts)

    @cached_property
    def _candidates(self) -> list[Candidate]:
        weighed = [self._to_candidate(memory, store) for (store, *_), memory in self._root.found.items()]
        return sorted((one for one in weighed if one.matched), key=lambda one: one.sort_key)

    def _merge(self, episode: Episode) -> bool:
        """Merge a new episode into the candidates; return False if the search must be repeated instead."""
        if episode.id in self._lineage_ids:
            return False
        shared = word_set(episode.kind) | word_set(episode.detail)
        shared = shared.intersection(self.words)
        if not (shared and episode.is_searchable):
            return True
        before = self._texts.get(fold(episode.detail))  # the same text: both count as one
        if before and before.rank > episode.rank:
            return True
        self._merged += 1
        if self._merged > MAX_MERGED or not (before or self._count(shared)):
            return False
        if before:
            del self.found["episodic", before.id, before.text]
        self.found["episodic", episode.id, episode.text] = self._texts[fold(episode.detail)] = episode
        taken = [part._insert(episode, before) for part in self.parts]  # noqa: SLF001 - a part is a Question too
        self.answers = {
            key: one for key, one in self.answers.items() if one.ends and not before and all(map(lt, one.ends, taken))
        }
        return True

    def _count(self, shared: Iterable[str]) -> bool:
        """Count one more text with these words; return whether their weights stay the same."""
        weights = [relevance.round_to_step(self._document_counts[word]) for word in shared]
        self._document_counts.update(shared)
        return weights == [relevance.round_to_step(self._document_counts[word]) for word in shared]

    def _insert(self, episode: Episode, before: Episode | None) -> SortKey:
        """Insert an episode into the candidates, instead of the one with the same text; return its sort key."""
        if before:
            self._candidates = [one for one in self._candidates if one.memory is not before]
        candidate = self._to_candidate(episode, "episodic")
        if candidate.matched:
            insort(self._candidates, candidate, key=lambda one: one.sort_key)
        return candidate.sort_key

    def _to_candidate(self, memory: MemoryRecord, store: Store) -> Candidate:
        text, factor = memory.text, self._store_factors[store]
        if memory.rank == NOT_TRUSTED:
            text, factor = without_instructions(text), factor * UNTRUSTED_FACTOR
        if isinstance(memory, Skill):
            factor *= (memory.succeeded + 1) / (memory.used + 1)
        served = relevance.excerpt(text, self.weights)
        held = word_set(served) | word_set(memory.kind) if isinstance(memory, Episode) else word_set(memory.key)
        match = (self.fit(held) + self._root.fit(held)) / 2  # the complete question gives its parts context
        return Candidate(
            memory, served, store, match * factor, held.intersection(self.words), relevance.evidence(self.weights, held)
        )

    def fit(self, held: frozenset[str]) -> float:
        """Return the share of the question that a text's words cover: by weight or by number, whichever is less."""
        shared = sum(word in held for word in self.words)
        return min(relevance.coverage(self.weights, held), shared / len(self.words)) if shared else 0.0

    @cached_property
    def _supersessions(self) -> list[Supersession]:
        """The superseded statements that share words with the question."""
        return list(supersessions(self._stores.facts.search(self.words, CANDIDATES, retired=True), self._stores.facts))

    def _repeats_superseded(self, candidate: Candidate) -> bool:
        memory = candidate.memory
        if isinstance(memory, Fact):  # a fact has its own subject
            return False
        held = word_set(candidate.text)
        return any(one.is_repeated_by(memory, held) for one in self._supersessions)

    def _restates_superseded(self, memory: MemoryRecord) -> bool:
        for identity, parent in lineage(memory, self._stores):
            self._lineage_ids.add(identity)
            if restates_superseded(memory, parent):
                return True
        return False
