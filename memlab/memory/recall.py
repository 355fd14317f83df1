"""From a question to the few memories that answer it: find, weigh, then serve only what holds up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from memlab.memory import guard
from memlab.memory.episode import Episode
from memlab.memory.naming import fold
from memlab.memory.question import Candidate, Kept, Question, Store, Stores
from memlab.memory.relevance import coverage, excerpt, overlap, words
from memlab.memory.semantic import Fact, FactStore, same_subject
from memlab.memory.trust import NOT_TRUSTED, Provenance
from memlab.memory.world import World

LEAST_EVIDENCE = 0.5
"""What shares so little with a question, for all that it lacks, does not answer it: better no answer than any."""
NEAR_BEST = 0.8
"""Beside the best answer only those are served that fit nearly as well ..."""
ADDS = 0.15
"""... or that hold this share of the question in words that no better answer holds."""
SAME_WORDS = 0.85
"""Two texts that share so many of their words say the same thing twice."""
LOOK_BACK = 200
"""So many episodes are looked at for recent ones that hold up: a log of noise may not cost more."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """One memory served: its text, who says so, its store, how well it fits in [0, 1], and what to know about it."""

    text: str
    origin: Provenance
    store: Store
    score: float
    notes: tuple[str, ...] = ()


class Recall:
    """Serves what holds up: fresh by the World, in force among its versions, said by no one too low to say it."""

    def __init__(self, stores: Stores, world: World | None, flag: Callable[[Candidate, guard.Finding], None]) -> None:
        self._stores = stores
        self._world = world
        self._flag = flag

    def find(self, query: str, k: int, least: float = LEAST_EVIDENCE, near: float = NEAR_BEST) -> list[Recalled]:
        """Give at most k memories, best first: more than the `least` evidence for each, and a score `near` the best.

        A question with several parts is answered part by part, in turns.
        """
        question = Question(query, self._stores)
        served: list[Candidate] = []
        for candidates in zip_longest(*(self._answers(part, question, least, near) for part in question.parts)):
            for candidate in candidates:
                if candidate and len(served) < k and not any(_repeats(candidate, other) for other in served):
                    served.append(candidate)
        return [self._recalled(candidate) for candidate in served]

    def _answers(self, part: Question, whole: Question, least: float, near: float) -> Iterator[Candidate]:
        """Yield what is near the best, and after it what says something on words that nothing better has spoken of."""
        best, answered = 0.0, frozenset[str]()
        for candidate in part.candidates(least) if part.words else ():
            adds = coverage(part.weights, candidate.matched - answered) >= ADDS
            if (candidate.score >= near * best or adds) and self.holds_up(candidate, whole):
                best = best or candidate.score
                answered |= candidate.matched
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


def _same_subject(memory: Kept, fact: Fact) -> bool:
    return isinstance(memory, Fact) and same_subject(memory, fact)


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
    for episode in islice(newest_first, LOOK_BACK):
        if len(recent) == k:
            break
        trusted = episode.speaks and episode.rank > NOT_TRUSTED
        if trusted and holds_up(Candidate(episode, excerpt(episode.detail, {}), "episodic", 0.0)):
            recent.append(episode)
    return recent[::-1]
