"""From a question to the few memories that answer it: find, weigh, then serve only what holds up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from memlab.memory import guard
from memlab.memory.episodic import Episode, Episodes
from memlab.memory.orders import gives_orders
from memlab.memory.procedural import Skill, Skills
from memlab.memory.relevance import Weights, coverage, excerpt, overlap, passages, weigh, words
from memlab.memory.semantic import Fact, FactStore, fold, same_subject
from memlab.memory.trust import NOT_TRUSTED, Provenance
from memlab.memory.world import World

Store = Literal["semantic", "episodic", "procedural"]
Kept = Fact | Skill | Episode
CANDIDATES = 40
LEAST_MATCH = 0.34
NEAR_BEST = 0.8
UNTRUSTED_WORTH = 0.5
SAME_WORDS = 0.85
CONTEXT = 1.0
_PARTS = re.compile(r"[,;:?]|\b(?:and|or)\b", re.IGNORECASE)
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
class Recalled:
    """One memory served: its text, who says so, its store, how well it fits in [0, 1], and what to know about it."""

    text: str
    origin: Provenance
    store: Store
    score: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory that shares words with the question, before it is known whether it holds up."""

    memory: Kept
    text: str
    store: Store
    score: float

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
        """Give what covers at least this share of the question, best first, then most trusted, then latest."""
        weighed = [self._weighed(*one) for one in self._whole.found.values()] if self.words else []
        found = [candidate for candidate in weighed if candidate.score >= least * _doubt(candidate.rank)]
        return sorted(found, key=lambda one: (-round(one.score, 3), -one.rank, -one.memory.origin.time, one.memory.id))

    @cached_property
    def found(self) -> dict[tuple[Store, str], tuple[Kept, Store]]:
        """Find what shares words with the whole question or with one of its parts, each memory once."""
        asked = [self.words, *(part.words for part in self.parts if part is not self)]
        facts, episodes = self._stores.facts, self._stores.episodes
        found: dict[tuple[Store, str], tuple[Kept, Store]] = {}
        found |= {("procedural", one.id): (one, "procedural") for one in self._stores.skills.all()}
        found |= {("semantic", one.id): (one, "semantic") for some in asked for one in facts.search(some, CANDIDATES)}
        found |= {
            ("episodic", one.id): (one, "episodic") for some in asked for one in episodes.search(some, CANDIDATES)
        }
        return found

    def fit(self, held: set[str]) -> float:
        """Give how well a text's words cover the question, by their weight and by their number, whichever is less."""
        return min(coverage(self.weights, held), coverage(dict.fromkeys(self.words, 1.0), held))

    def _weighed(self, memory: Kept, store: Store) -> Candidate:
        text = memory.text
        if memory.rank == NOT_TRUSTED:
            text = "\n".join(passage for passage in passages(text) if not gives_orders(passage))
        served = excerpt(text, self.weights)
        held = set(words(served if isinstance(memory, Episode) else memory.key))
        match = (self.fit(held) + CONTEXT * self._whole.fit(held)) / (1 + CONTEXT)
        return Candidate(memory, served, store, match * self._worth[store] * _doubt(memory.rank))


class Recall:
    """Serves what holds up: fresh by the World, in force among its versions, said by no one too low to say it."""

    def __init__(self, stores: Stores, world: World | None, flag: Callable[[Candidate, guard.Finding], None]) -> None:
        self._stores = stores
        self._world = world
        self._flag = flag

    def find(self, query: str, k: int, least: float = LEAST_MATCH, near: float = NEAR_BEST) -> list[Recalled]:
        """Give at most k memories, best first: what covers `least` of a part of the question and is `near` its best."""
        question = Question(query, self._stores)
        served: list[Candidate] = []
        for candidates in zip_longest(*(self._answers(part, question, least, near) for part in question.parts)):
            for candidate in candidates:
                if candidate and len(served) < k and not any(_repeats(candidate, other) for other in served):
                    served.append(candidate)
        return [self._recalled(candidate) for candidate in served]

    def _answers(self, part: Question, whole: Question, least: float, near: float) -> Iterator[Candidate]:
        best = 0.0
        for candidate in part.candidates(least) if part.words else ():
            if candidate.score < near * best:
                return
            if self.holds_up(candidate, whole):
                best = best or candidate.score
                yield candidate

    def holds_up(self, candidate: Candidate, question: Question) -> bool:
        """Tell whether a candidate may be served at all."""
        return (
            bool(candidate.text)
            and not self._refuted(candidate)
            and self._in_force(candidate)
            and not self._restates_the_retired(candidate)
            and not any(_retells(candidate, old, self._stores.facts) for old in question.retired)
        )

    def _refuted(self, candidate: Candidate) -> bool:
        if self._world is None:
            return False
        refuted = [one for one in guard.check(candidate.text, self._world) if one.verdict == "refuted"]
        for finding in refuted:
            self._flag(candidate, finding)
        return bool(refuted)

    def _in_force(self, candidate: Candidate) -> bool:
        """Tell whether a fact stands: against a higher rank only where the World refutes that and confirms this."""
        if not isinstance(candidate.memory, Fact):
            return True
        higher = [rival for rival in self._stores.facts.rivals(candidate.memory) if rival.rank > candidate.rank]
        if not higher:
            return True
        if self._world is None or guard.verdict(guard.check(candidate.text, self._world)) != "confirmed":
            return False
        return all(guard.verdict(guard.check(rival.body, self._world)) == "refuted" for rival in higher)

    def _restates_the_retired(self, candidate: Candidate) -> bool:
        """Tell whether the lineage reaches a statement that was superseded by another on another subject than this."""
        open_ids, seen = list(candidate.memory.origin.derived_from), set[str]()
        while open_ids:
            identity = open_ids.pop()
            if identity in seen:
                continue
            seen.add(identity)
            fact = self._stores.facts.get(identity)
            if (
                fact
                and fact.superseded_by not in {"", candidate.memory.id}
                and not _same_subject(candidate.memory, fact)
            ):
                return True
            parent = fact or self._stores.episodes.get(identity)
            open_ids += parent.origin.derived_from if parent else ()
        return False

    def _recalled(self, candidate: Candidate) -> Recalled:
        notes = [f"{candidate.memory.origin.source} is not trusted"] if candidate.rank == NOT_TRUSTED else []
        if self._world is not None:
            findings = guard.check(candidate.text, self._world)
            notes += [f"unverifiable: {one.reason}" for one in findings if one.verdict == "unverifiable"]
        return Recalled(candidate.text, candidate.memory.origin, candidate.store, candidate.score, tuple(notes))


def _doubt(rank: int) -> float:
    return UNTRUSTED_WORTH if rank == NOT_TRUSTED else 1.0


def _same_subject(memory: Kept, fact: Fact) -> bool:
    return isinstance(memory, Fact) and same_subject(memory.name, memory.about, fact.name, fact.about)


def _repeats(candidate: Candidate, served: Candidate) -> bool:
    """Tell whether a candidate says what was served: in the same words, or in nearly all and with no other number."""
    one, other = set(words(candidate.text)), set(words(served.text))
    if fold(candidate.text) == fold(served.text):
        return True
    return overlap(one, other) >= SAME_WORDS and not any(word[0].isdigit() for word in one ^ other)


def _retells(candidate: Candidate, old: Fact, facts: FactStore) -> bool:
    """Tell whether what happened retells a statement that was superseded since, or by somebody of higher rank.

    It does if it was the source of that statement, or holds all the words that only the old statement has and at least
    half of those that old and new share. A fact has its own subject, so it retells none.
    """
    memory, new = candidate.memory, facts.get(old.superseded_by)
    if isinstance(memory, Fact) or new is None or (memory.origin.time > new.origin.time and memory.rank >= new.rank):
        return False
    if memory.id in old.origin.derived_from:
        return True
    told, before, now = set(words(candidate.text)), set(words(old.body)), set(words(new.body))
    return bool(before - now) and before - now <= told and len(before & now & told) * 2 >= len(before & now) > 0


def most_recent(newest_first: Iterator[Episode], k: int, holds_up: Callable[[Candidate], bool]) -> Sequence[Episode]:
    """Give the last k episodes that hold up, oldest first; what untrusted sources said comes only by relevance."""
    recent: list[Episode] = []
    for episode in newest_first:
        if len(recent) == k:
            break
        if (
            episode.held
            or episode.about
            or episode.rank == NOT_TRUSTED
            or episode.step in {"task", "done"}
            or not episode.detail
        ):
            continue
        if holds_up(Candidate(episode, excerpt(episode.detail, {}), "episodic", 0.0)):
            recent.append(episode)
    return recent[::-1]
