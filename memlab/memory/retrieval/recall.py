"""Recall: from a question to the few valid memories that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, zip_longest

from memlab.memory.episode import Episode
from memlab.memory.facts import Fact
from memlab.memory.heuristics.references import find_references
from memlab.memory.reference_check import Finding, check, verdict
from memlab.memory.retrieval.ranking import Answer, Candidate, Judgement, Notes, Question, Recalled
from memlab.memory.retrieval.relevance import coverage, excerpt, overlap, word_set
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import fold
from memlab.memory.trust import NOT_TRUSTED
from memlab.memory.world import World

LEAST_EVIDENCE = 0.5
"""A memory with less evidence than this does not answer a question; no answer is better than a wrong one."""
NEAR_BEST = 0.8
"""Besides the best answer, recall serves those with at least 80 % of its score ..."""
ADDS = 0.15
"""... or that cover at least 15 % of the question by words that no better answer contains."""
SAME_WORDS = 0.85
"""Two texts that share at least 85 % of their words count as the same."""
CACHED_QUESTIONS = 4
"""Number of cached questions."""


class Recall:
    """Filters candidates: drops what the environment refutes, what was superseded, and what a higher rank contradicts.

    The last questions are cached with their candidates, since an agent repeats the question of its task every turn. A
    question is searched again when the stores changed; the environment is checked every time.
    """

    def __init__(self, stores: Stores, world: World | None, flag: Callable[[Candidate, Finding], None]) -> None:
        self._stores = stores
        self._world = world
        self._flag = flag
        self._questions: dict[str, Question] = {}

    def find(self, query: str, k: int) -> list[Recalled]:
        """Return at most k memories that answer a question, best first."""
        return list(self.answer(self.question(query), k, LEAST_EVIDENCE, NEAR_BEST))

    def answer(self, question: Question, k: int, least: float, near: float) -> Sequence[Recalled]:
        """Return at most k memories with more than `least` evidence and at least `near` of the best score, best first.

        The parts of a question take turns.
        """
        key = k, least, near
        last = question.answers.get(key)
        if last is None or any(self._judgement(one, question) != judgement for one, judgement in last.rests_on):
            last = question.answers[key] = self._search(question, k, least, near)
        return last.served

    def _search(self, question: Question, k: int, least: float, near: float) -> Answer:
        served: list[Recalled] = []
        seen: set[tuple[str, str]] = set()
        checked = [list[Candidate]() for _ in question.parts]
        parts = [self._select(*part, question, least, near) for part in zip(question.parts, checked, strict=True)]
        for answers in zip_longest(*parts):
            for answer in filter(None, answers):
                key = answer.origin.id, answer.text
                if len(served) < k and key not in seen and not any(_is_repeat(key[1], one.text) for one in served):
                    served.append(answer)
                seen.add(key)
            if len(served) == k:
                break
        has_valid = [any(question.judged[one.version_key][1] is not None for one in some) for some in checked if some]
        if not all(has_valid) and question.look_further():  # invalid candidates crowd out nothing
            return self._search(question, k, least, near)
        ends = [some[-1].sort_key for part, some in zip(parts, checked, strict=True) if next(part, None)]
        naming = [one for one in chain(*checked) if find_references(one.text)]
        # texts with the same references get the same findings, so one of them is enough; but see _is_current
        some = {(find_references(one.text), one.version_key if _rivals(one, question) else ()): one for one in naming}
        rests_on = [(one, question.judged[one.version_key]) for one in some.values()]
        return Answer(served, rests_on, ends if len(ends) == len(parts) else ())

    def question(self, text: str) -> Question:
        """Return a Question with current candidates, from the cache if possible."""
        known = self._questions.pop(text, None)
        self._questions[text] = known if known and known.is_current() else Question(text, self._stores)
        if len(self._questions) > CACHED_QUESTIONS:
            del self._questions[next(iter(self._questions))]
        return self._questions[text]

    def is_servable(self, candidate: Candidate, question: Question) -> bool:
        """Return whether a candidate is valid."""
        return self._notes(candidate, question) is not None

    def _select(
        self, part: Question, checked: list[Candidate], question: Question, least: float, near: float
    ) -> Iterator[Recalled]:
        """Yield the valid candidates near the best score, or that cover words no better one covers.

        Every candidate that is checked is appended to `checked`.
        """
        best, answered = 0.0, frozenset[str]()
        for candidate in part.candidates(least):
            if candidate.score < near * best and coverage(part.weights, candidate.matched - answered) < ADDS:
                continue
            checked.append(candidate)
            served = self._to_recalled(candidate, question)
            if served:
                best = best or candidate.score
                answered |= candidate.matched
                yield served

    def _to_recalled(self, candidate: Candidate, question: Question) -> Recalled | None:
        """Return a candidate as a recalled memory, or None if it is not valid."""
        notes = self._notes(candidate, question)
        if notes is None:
            return None
        return Recalled(candidate.text, candidate.memory.origin, candidate.store, candidate.score, notes)

    def _notes(self, candidate: Candidate, question: Question) -> Notes:
        """Return the notes on a valid candidate, None for one that is not valid."""
        return self._judgement(candidate, question)[1]

    def _judgement(self, candidate: Candidate, question: Question) -> Judgement:
        """Return the findings of the environment on a candidate, and its notes (see _notes).

        The environment is checked every time. The notes are cached while its findings are the same, except for a fact
        with rivals of higher rank, which depends on the findings on those too.
        """
        key = candidate.version_key
        known = question.judged.get(key)
        if known and not find_references(candidate.text):
            return known
        findings = check(candidate.text, self._world) if self._world else ()
        if not known or known[1] is None or known[0] != findings or _rivals(candidate, question):
            known = question.judged[key] = findings, self._check(candidate, question, findings)
        return known

    def _check(self, candidate: Candidate, question: Question, findings: Sequence[Finding]) -> Notes:
        refuted = [one for one in findings if one.verdict == "refuted"]
        for finding in refuted:
            self._flag(candidate, finding)
        if (
            refuted
            or not candidate.text
            or not self._is_current(candidate, question)
            or question.is_outdated(candidate)
        ):
            return None
        notes = [f"{candidate.memory.origin.source} is not trusted"] if candidate.rank == NOT_TRUSTED else []
        return (*notes, *(f"unverifiable: {one.reason}" for one in findings if one.verdict == "unverifiable"))

    def _is_current(self, candidate: Candidate, question: Question) -> bool:
        """Return whether no higher-ranked rival exists, or all are refuted and this fact is confirmed."""
        higher = _rivals(candidate, question)
        if not higher:
            return True
        if self._world is None or verdict(check(candidate.text, self._world)) != "confirmed":
            return False
        return all(verdict(check(rival.body, self._world)) == "refuted" for rival in higher)


def _rivals(candidate: Candidate, question: Question) -> Sequence[Fact]:
    return question.rivals(candidate.memory) if isinstance(candidate.memory, Fact) else ()


@lru_cache(maxsize=8192)
def _is_repeat(one: str, other: str) -> bool:
    """Return whether two texts are the same: equal or nearly equal words, and no different numbers."""
    words, others = word_set(one), word_set(other)
    if overlap(words, others) >= SAME_WORDS:
        return not any(word[0].isdigit() for word in words ^ others)
    return not words and fold(one) == fold(other)


def latest_servable(
    newest_first: Iterable[Episode], k: int, is_servable: Callable[[Candidate], bool]
) -> Sequence[Episode]:
    """Return the last k valid episodes from trusted sources, oldest first."""
    recent: list[Episode] = []
    for episode in newest_first:
        if len(recent) == k:
            break
        trusted = episode.is_searchable and episode.rank > NOT_TRUSTED
        if trusted and is_servable(Candidate(episode, excerpt(episode.detail, {}), "episodic")):
            recent.append(episode)
    return recent[::-1]
