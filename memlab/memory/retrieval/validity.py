"""Which candidates are valid: not refuted by the environment, not superseded, not defeated by another statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import islice

from memlab.memory.episode import Episode
from memlab.memory.heuristics.reference_check import Finding, Verdict, check, verdict
from memlab.memory.retrieval.contest import Contest
from memlab.memory.retrieval.ranking import Candidate, Question
from memlab.memory.retrieval.relevance import excerpt
from memlab.memory.retrieval.stores import MemoryRecord, Store, Stores
from memlab.memory.trust import NOT_TRUSTED, untrusted_note
from memlab.memory.world import World

Flag = Callable[[Candidate, Finding], None]
RIVALS = 25
"""A candidate is compared with the 25 best of trusted sources and the 25 best others: a worse one answers something
else, and comparing costs most."""
LOOK_BACK = 200
"""To find recent valid episodes, at most 200 are read: this bounds the cost."""


def rivals(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return those that each candidate is compared with: a flood of untrusted ones does not push out a trusted one."""
    trusted = [one for one in candidates if one.rank > NOT_TRUSTED]
    others = [one for one in candidates if one.rank == NOT_TRUSTED]
    return [*trusted[:RIVALS], *others[:RIVALS]]


class Validity:
    """Judges the candidates of one question; `flag` is called for each finding that the environment refutes."""

    def __init__(self, question: Question, stores: Stores, world: World | None, flag: Flag, *, versions: bool) -> None:
        self.question = question
        self._world = world
        self._flag = flag
        self.contest = Contest(question.text, rivals(question.candidates), stores, self.verdict, versions=versions)

    def notes(self, candidate: Candidate) -> tuple[str, ...] | None:
        """Return the notes on a valid candidate, None for one that is not valid."""
        findings = check(candidate.text, self._world)
        for finding in findings:
            if finding.verdict == "refuted":
                self._flag(candidate, finding)
        if not candidate.text or verdict(findings) == "refuted" or self.contest.loses(candidate):
            return None
        notes = [untrusted_note(candidate.memory.origin.source)] if candidate.rank == NOT_TRUSTED else []
        return (*notes, *(f"unverifiable: {one.reason}" for one in findings if one.verdict == "unverifiable"))

    def latest(self, newest_first: Iterable[Episode], k: int) -> Sequence[Episode]:
        """Return the last k valid episodes from trusted sources, oldest first, no failed runs; at most 200 are read."""
        known = (one for one in islice(newest_first, LOOK_BACK) if one.is_searchable and one.rank > NOT_TRUSTED)
        last = (one for one in known if not one.is_failure)
        recent: dict[tuple[str, float, str], Episode] = {}  # an event may be delivered twice
        for one in last:
            if len(recent) == k:
                break
            key = one.id, one.origin.time, one.detail
            if key not in recent and self.is_valid(one, "episodic"):
                recent[key] = one
        return list(recent.values())[::-1]

    def is_valid(self, memory: MemoryRecord, store: Store) -> bool:
        """Return whether a memory is valid: as a candidate of the question, or if it is none, by itself."""
        other = Candidate(memory, excerpt(memory.text, {}), store)
        return self.notes(self._by_id.get((store, memory.id, memory.text), other)) is not None

    @cached_property
    def _by_id(self) -> dict[tuple[Store, str, str], Candidate]:
        return {(one.store, one.memory.id, one.memory.text): one for one in self.question.candidates}

    def verdict(self, text: str) -> Verdict:
        """Return the verdict of the environment on a text."""
        return verdict(check(text, self._world))
