"""Recall: from a question to the few valid memories that answer it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from memlab.memory.retrieval.ranking import CANDIDATES, Candidate, Question, Recalled
from memlab.memory.retrieval.repetition import is_repeat
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.validity import RIVALS, Flag, Validity
from memlab.memory.trust import NOT_TRUSTED
from memlab.memory.world import World

MIN_SHARE, MIN_POWER = 0.8, 0.561
"""A memory is withheld if its probability is less than 0.8 / (k + 1) and less than 0.561 to the power of k. With k = 10
hardly anything is withheld."""
MAX_K = 1 << 32
"""A larger k counts as this one: SQLite takes no integer of more than 63 bits."""


class Recall:
    """Serves the valid candidates of a question that are probable enough, best first."""

    def __init__(self, stores: Stores, world: World | None, flag: Flag, *, versions: bool = True) -> None:
        self._stores = stores
        self._world = world
        self._flag = flag
        self._versions = versions

    def find(self, query: str, k: int) -> list[Recalled]:
        """Return at most k memories that answer a question, best first. Raises ValueError if k is negative."""
        if k < 0:
            raise ValueError(f"k {k}: recall returns at most k memories, so it must be 0 or more; 5 is the usual one")
        k = min(k, MAX_K)
        return self.answer(self.validity(query, k), k, min(MIN_SHARE / (k + 1), MIN_POWER**k))

    def validity(self, query: str, k: int) -> Validity:
        """Return the Validity of a question, with enough candidates for k answers."""
        return self._judge(Question(query, self._stores, max(CANDIDATES, 2 * min(k, MAX_K))))

    def answer(self, validity: Validity, k: int, least: float, *, failures: bool = True) -> list[Recalled]:
        """Return at most k memories that answer a question with a probability of at least `least`, best first.

        Without `failures`, runs that failed and were not resolved are left out. The search is widened while a clause
        has invalid candidates and nothing to serve, so that invalid candidates crowd out no answer.
        """
        served, is_done = self._serve(validity, k, least, failures=failures)
        while not is_done and (wider := validity.question.wider()):
            validity = self._judge(wider)
            served, is_done = self._serve(validity, k, least, failures=failures)
        return served

    def _judge(self, question: Question) -> Validity:
        return Validity(question, self._stores, self._world, self._flag, versions=self._versions)

    def _serve(self, validity: Validity, k: int, least: float, *, failures: bool) -> tuple[list[Recalled], bool]:
        """Return the answers, and whether each clause that has an invalid candidate has an answer."""
        candidates = [
            one for one in validity.question.candidates if failures or not getattr(one.memory, "is_failure", False)
        ]
        served = dict[Candidate, Recalled]()
        clauses_with_invalid = set[int]()
        trusted_odds, other_odds = defaultdict[int, float](float), defaultdict[int, float](float)
        for candidate in candidates:
            if len(served) == k:
                break
            # in a logit, the odds between two choices do not depend on a third, so only those served before it compete;
            # an untrusted one must not push out a trusted one
            clause, is_trusted = candidate.clause, candidate.rank > NOT_TRUSTED
            better = trusted_odds[clause] + (0.0 if is_trusted else other_odds[clause])
            chance = candidate.odds / (1 + candidate.odds + better)
            if chance < least or any(is_repeat(candidate.text, one.text) for one in served):
                continue
            notes = validity.notes(candidate)
            if notes is None:
                clauses_with_invalid.add(clause)
                continue
            if not is_trusted and _has_trusted_answer(candidate, candidates, validity, least):
                continue
            (trusted_odds if is_trusted else other_odds)[clause] += candidate.odds
            served[candidate] = Recalled(candidate.text, candidate.memory.origin, candidate.store, chance, notes)
        listed = [*served]
        ordered = [*validity.contest.in_order(listed[:RIVALS]), *listed[RIVALS:]]
        return [served[one] for one in ordered], clauses_with_invalid <= {one.clause for one in served}


def _has_trusted_answer(one: Candidate, candidates: Sequence[Candidate], validity: Validity, least: float) -> bool:
    """Return whether a trusted candidate can be served that covers as much of the clause as an untrusted one.

    If the untrusted one has a pair of adjacent words of the question, the trusted one needs a pair too: a text that has
    the same words in other places answers something else.
    """
    return any(
        other.odds >= least * (1 + other.odds) and validity.notes(other) is not None
        for other in candidates
        if other.rank > NOT_TRUSTED and other.clause == one.clause
        if other.coverage >= one.coverage and other.has_phrase >= one.has_phrase
    )
