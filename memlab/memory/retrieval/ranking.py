"""What a question asks for: its parts, its words and how much each tells, and the memories that share them.

Relevance comes first: memories are put in order by how well they fit the question, less where another store is asked,
where nobody vouches for them, and where a skill has failed; then by how far they are trusted, how important they are,
and last by how recent. Recency decides between equals only: as a part of the score it would drive out what answers.
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
from memlab.memory.guard import Finding
from memlab.memory.heuristics.injection import without_instructions
from memlab.memory.procedural import Skill
from memlab.memory.retrieval.stores import MemoryRecord, Store, Stores
from memlab.memory.retrieval.superseded import Replaced, lineage, replaced, restates_superseded
from memlab.memory.text import Weights, coverage, evidence, excerpt, fold, round_to_step, weigh, word_set, words
from memlab.memory.trust import NOT_TRUSTED, Provenance

Frequency = tuple[Mapping[str, int], int]
Notes = tuple[str, ...] | None
Judgement = tuple[Sequence[Finding], Notes]
Telling = tuple[str, str, str, float, tuple[str, ...]]
SortKey = tuple[float, float, float, float, str]
"""The smaller comes first."""
FURTHER, FURTHEST = 5, 25 * CANDIDATES
"""Where nothing that was found holds up, five times as many memories are looked for, up to so many: a search weighs no
more."""
MOST_MET = 10 * CANDIDATES
"""So many episodes are put among what was found; then it is found anew, without those that fit least."""
UNTRUSTED_WORTH = 0.6
"""What nobody vouches for answers only where no trusted memory answers nearly as well."""
USUAL = 0.5
"""The importance of what is no fact, as of a fact of which nothing is said."""
_PARTS = re.compile(  # ", ", "and", and where one question reports another: "the crew | asks | Mara | where ..."
    r"[,;:?]|\b(?:and|or)\b"
    r"|\b(?:ask|tell|know|wonder)(?:s|ed)?\b([^,;:?]{0,60}?)(?=\b(?:wh(?:at|en|ere|ether|ich|om?|ose|y)|how)\b)",
    re.IGNORECASE,
)
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


class Candidate(NamedTuple):
    """One memory that shares words with the question, and what speaks for it, before it is known if it holds up."""

    memory: MemoryRecord
    text: str
    store: Store
    score: float = 0.0
    matched: frozenset[str] = frozenset()
    evidence: float = 0.0

    @property
    def rank(self) -> int:
        """How far its lineage is trusted."""
        return self.memory.rank

    @property
    def telling(self) -> Telling:
        """What names one telling: its id and words, who told it and when, and what it restates."""
        origin = self.memory.origin
        return origin.id, self.text, origin.source, origin.time, origin.derived_from

    @property
    def sort_key(self) -> SortKey:
        """What comes first: the better fit, then the more trusted, the more important, the later."""
        memory = self.memory
        importance = memory.importance if isinstance(memory, Fact) else USUAL
        return -round(self.score, 3), -memory.rank, -importance, -memory.origin.time, memory.id


class Recalled(NamedTuple):
    """One memory served: its text, who says so, its store, how well it fits in [0, 1], and what to know about it."""

    text: str
    origin: Provenance
    store: Store
    score: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What was served, and what was looked at and names a thing of the World, with what was found about it.

    As long as the World says the same of each, what is served is the same, whatever else may come behind where the
    search `ends`, one place for each part of the question; there are none if it came to the end of what was found.
    """

    served: Sequence[Recalled]
    rests_on: Sequence[tuple[Candidate, Judgement]]
    ends: Sequence[SortKey]


class Question:
    """One question to the stores: its words, how much each tells, and which memories hold them.

    A question with several parts ("who ships, and from where") is several questions that lend each other context. What
    was found is kept, and right as long as the question is `current`.
    """

    def __init__(self, text: str, stores: Stores, whole: Question | None = None) -> None:
        self.words = list(dict.fromkeys(words(text)))
        self._stores = stores
        self._whole = whole or self
        self._worth = next(worths for cue, worths in _CUES.values() if cue.search(fold(text)))
        self.parts = [self]
        if whole is None:
            self._limit, self._more = CANDIDATES, False
            self._snapshot = stores.snapshot()  # before anything is looked up
            self._restated: set[str] = set()
            self._outdated: dict[Telling, bool] = {}
            self.judged: dict[Telling, Judgement] = {}
            self._rivals: dict[str, list[Fact]] = {}
            self._met = 0
            self.answers: dict[tuple[int, float, float], Answer] = {}
            parts = [Question(part, stores, self) for part in filter(None, _PARTS.split(text)) if words(part)]
            self.parts = parts if len(parts) > 1 else [self]

    def current(self) -> bool:
        """Tell whether the stores would still answer the whole question in the same way."""
        (_, texts), (_, facts) = self._frequency
        news = self._snapshot.new_episodes((texts, texts + facts))
        return news is not None and all(map(self._meets, news))

    def recent(self) -> Iterator[Episode]:
        """Yield the last episodes, newest first, whatever they say."""
        return self._snapshot.recent()

    def candidates(self, least: float) -> Iterator[Candidate]:
        """Yield the candidates with more than the least evidence, best first."""
        return (candidate for candidate in self._candidates if candidate.evidence > least)

    def look_further(self) -> bool:
        """Find more than was found so far; tell whether there may be more."""
        if not self._more or self._limit >= FURTHEST:
            return False
        self._limit *= FURTHER
        for one in (self, *self.parts):
            for found in ("found", "_texts", "_candidates"):
                vars(one).pop(found, None)
        return True

    def outdated(self, candidate: Candidate) -> bool:
        """Tell whether a candidate restates or retells a statement that was superseded since."""
        telling = candidate.telling
        if telling not in self._outdated:
            self._outdated[telling] = self._restates(candidate.memory) or self._retells(candidate)
        return self._outdated[telling]

    def rivals(self, fact: Fact) -> list[Fact]:
        """Give the statements of higher rank that stand on a fact's subject."""
        if fact.id not in self._rivals:
            self._rivals[fact.id] = [rival for rival in self._stores.facts.rivals(fact) if rival.rank > fact.rank]
        return self._rivals[fact.id]

    @cached_property
    def weights(self) -> Weights:
        """Weigh the words by how few memories hold them."""
        if self._whole is not self:
            return {word: self._whole.weights[word] for word in self.words}
        (_, texts), (_, facts) = self._frequency
        return weigh(self.words, self._held_by, texts + facts)

    @cached_property
    def found(self) -> dict[tuple[Store, str, str], MemoryRecord]:
        """Find what shares words with the whole question or with one of its parts, each memory once.

        An id may have been told again in other words: then it is two memories.
        """
        asked = [self.words, *(part.words for part in self.parts if part is not self)]
        facts = [self._stores.facts.search(some, self._limit) for some in asked]
        episodes = [self._stores.episodes.matching(some, self._limit) for some in asked]
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
        """The episodes that were found, by what is the same in all spellings of their texts."""
        return {fold(one.detail): one for one in self.found.values() if isinstance(one, Episode)}

    @cached_property
    def _held_by(self) -> Counter[str]:
        """How many memories hold each word."""
        (told, _), (known, _) = self._frequency
        return Counter(told) + Counter(known)

    @cached_property
    def _candidates(self) -> list[Candidate]:
        weighed = [self._weighed(memory, store) for (store, *_), memory in self._whole.found.items()]
        return sorted((one for one in weighed if one.matched), key=lambda one: one.sort_key)

    def _meets(self, told: Episode) -> bool:
        """Put what was told since among the candidates; tell whether all else that was found stays what it is."""
        if told.id in self._restated:
            return False
        shared = word_set(told.kind) | word_set(told.detail)
        shared = shared.intersection(self.words)
        if not (shared and told.is_searchable):
            return True
        before = self._texts.get(fold(told.detail))  # in the same words: together they are one text
        if before and before.rank > told.rank:
            return True
        self._met += 1
        if self._met > MOST_MET or not (before or self._count(shared)):
            return False
        if before:
            del self.found["episodic", before.id, before.text]
        self.found["episodic", told.id, told.text] = self._texts[fold(told.detail)] = told
        taken = [part._take(told, before) for part in self.parts]  # noqa: SLF001 - a part is a question too
        self.answers = {
            key: one for key, one in self.answers.items() if one.ends and not before and all(map(lt, one.ends, taken))
        }
        return True

    def _count(self, shared: Iterable[str]) -> bool:
        """Count one more text that holds these words; tell whether they weigh as much as before."""
        weights = [round_to_step(self._held_by[word]) for word in shared]
        self._held_by.update(shared)
        return weights == [round_to_step(self._held_by[word]) for word in shared]

    def _take(self, told: Episode, before: Episode | None) -> SortKey:
        """Put an episode in its place among the candidates, and that away which said the same before."""
        if before:
            self._candidates = [one for one in self._candidates if one.memory is not before]
        candidate = self._weighed(told, "episodic")
        if candidate.matched:
            insort(self._candidates, candidate, key=lambda one: one.sort_key)
        return candidate.sort_key

    def _weighed(self, memory: MemoryRecord, store: Store) -> Candidate:
        text, worth = memory.text, self._worth[store]
        if memory.rank == NOT_TRUSTED:
            text, worth = without_instructions(text), worth * UNTRUSTED_WORTH
        if isinstance(memory, Skill):
            worth *= (memory.succeeded + 1) / (memory.used + 1)
        served = excerpt(text, self.weights)
        held = word_set(served) | word_set(memory.kind) if isinstance(memory, Episode) else word_set(memory.key)
        match = (self.fit(held) + self._whole.fit(held)) / 2  # the whole question lends its parts their context
        return Candidate(
            memory, served, store, match * worth, held.intersection(self.words), evidence(self.weights, held)
        )

    def fit(self, held: frozenset[str]) -> float:
        """Give how well a text's words cover the question, by their weight and by their number, whichever is less."""
        shared = sum(word in held for word in self.words)
        return min(coverage(self.weights, held), shared / len(self.words)) if shared else 0.0

    @cached_property
    def _replaced(self) -> list[Replaced]:
        """What shares words with the question and was superseded."""
        return list(replaced(self._stores.facts.search(self.words, CANDIDATES, retired=True), self._stores.facts))

    def _retells(self, candidate: Candidate) -> bool:
        memory = candidate.memory
        if isinstance(memory, Fact):  # it has its own subject, so it retells none
            return False
        told = word_set(candidate.text)
        return any(one.is_retold_by(memory, told) for one in self._replaced)

    def _restates(self, memory: MemoryRecord) -> bool:
        for identity, parent in lineage(memory, self._stores):
            self._restated.add(identity)
            if restates_superseded(memory, parent):
                return True
        return False
