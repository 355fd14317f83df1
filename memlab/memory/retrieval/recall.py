"""From a question to the few memories that answer it: find, weigh, then serve only what holds up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, zip_longest

from memlab.memory import guard
from memlab.memory.episode import Episode
from memlab.memory.facts import Fact
from memlab.memory.heuristics.references import find_references
from memlab.memory.retrieval.ranking import Answer, Candidate, Judgement, Notes, Question, Recalled
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import coverage, excerpt, fold, overlap, word_set
from memlab.memory.trust import NOT_TRUSTED
from memlab.memory.world import World

LEAST_EVIDENCE = 0.5
"""What shares so little with a question, for all that it lacks, does not answer it: better no answer than any."""
NEAR_BEST = 0.8
"""Beside the best answer only those are served that fit nearly as well ..."""
ADDS = 0.15
"""... or that hold this share of the question in words that no better answer holds."""
SAME_WORDS = 0.85
"""Two texts that share so many of their words say the same thing twice."""
KEPT = 4
"""So many questions are kept with their answers."""


class Recall:
    """Serves what holds up: fresh by the World, in force among its versions, said by no one too low to say it.

    The last questions are kept with what the stores answered to them, for an agent asks about its task turn after turn;
    a question is asked anew as soon as the stores may answer otherwise. The World is asked every time.
    """

    def __init__(self, stores: Stores, world: World | None, flag: Callable[[Candidate, guard.Finding], None]) -> None:
        self._stores = stores
        self._world = world
        self._flag = flag
        self._asked: dict[str, Question] = {}

    def find(self, query: str, k: int) -> list[Recalled]:
        """Give at most k memories that answer a question, best first."""
        return list(self.answer(self.question(query), k, LEAST_EVIDENCE, NEAR_BEST))

    def answer(self, question: Question, k: int, least: float, near: float) -> Sequence[Recalled]:
        """Give at most k memories, best first: more than the `least` evidence for each, and a score `near` the best.

        A question with several parts is answered part by part, in turns.
        """
        key = k, least, near
        last = question.answers.get(key)
        if last is None or any(self._judgement(one, question) != judgement for one, judgement in last.rests_on):
            last = question.answers[key] = self._find_anew(question, k, least, near)
        return last.served

    def _find_anew(self, question: Question, k: int, least: float, near: float) -> Answer:
        served: list[Recalled] = []
        seen: set[tuple[str, str]] = set()
        looked = [list[Candidate]() for _ in question.parts]
        parts = [self._standing(*part, question, least, near) for part in zip(question.parts, looked, strict=True)]
        for answers in zip_longest(*parts):
            for answer in filter(None, answers):
                told = answer.origin.id, answer.text
                if len(served) < k and told not in seen and not any(_repeats(told[1], one.text) for one in served):
                    served.append(answer)
                seen.add(told)
            if len(served) == k:
                break
        stands = [any(question.judged[one.telling][1] is not None for one in some) for some in looked if some]
        if not all(stands) and question.look_further():  # what does not stand crowds nothing out
            return self._find_anew(question, k, least, near)
        ends = [some[-1].sort_key for part, some in zip(parts, looked, strict=True) if next(part, None)]
        naming = [one for one in chain(*looked) if find_references(one.text)]
        # the World says the same of all that name the same: to ask about one of them is enough, but see _is_current
        some = {(find_references(one.text), one.telling if _rivals(one, question) else ()): one for one in naming}
        rests_on = [(one, question.judged[one.telling]) for one in some.values()]
        return Answer(served, rests_on, ends if len(ends) == len(parts) else ())

    def question(self, text: str) -> Question:
        """Give a question that is current."""
        known = self._asked.pop(text, None)
        self._asked[text] = known if known and known.current() else Question(text, self._stores)
        if len(self._asked) > KEPT:
            del self._asked[next(iter(self._asked))]
        return self._asked[text]

    def is_servable(self, candidate: Candidate, question: Question) -> bool:
        """Tell whether a candidate may be served at all."""
        return self._notes(candidate, question) is not None

    def _standing(
        self, part: Question, looked: list[Candidate], whole: Question, least: float, near: float
    ) -> Iterator[Recalled]:
        """Yield what is near the best, and after it what says something on words that nothing better has spoken of.

        All that is `looked` at is noted.
        """
        best, answered = 0.0, frozenset[str]()
        for candidate in part.candidates(least):
            if candidate.score < near * best and coverage(part.weights, candidate.matched - answered) < ADDS:
                continue
            looked.append(candidate)
            served = self._served(candidate, whole)
            if served:
                best = best or candidate.score
                answered |= candidate.matched
                yield served

    def _served(self, candidate: Candidate, question: Question) -> Recalled | None:
        """Give a candidate as it is served, if it holds up."""
        notes = self._notes(candidate, question)
        if notes is None:
            return None
        return Recalled(candidate.text, candidate.memory.origin, candidate.store, candidate.score, notes)

    def _notes(self, candidate: Candidate, question: Question) -> Notes:
        """Give what is to be known about a candidate that holds up, None about one that does not."""
        return self._judgement(candidate, question)[1]

    def _judgement(self, candidate: Candidate, question: Question) -> Judgement:
        """Give what the World says of a candidate, and what is to be known about it: see _notes.

        The World is asked every time. As long as it says the same, what holds up still does; a fact that others outrank
        depends on what it says of those too.
        """
        telling = candidate.telling
        known = question.judged.get(telling)
        if known and not find_references(candidate.text):
            return known
        findings = guard.check(candidate.text, self._world) if self._world else ()
        if not known or known[1] is None or known[0] != findings or _rivals(candidate, question):
            known = question.judged[telling] = findings, self._judged(candidate, question, findings)
        return known

    def _judged(self, candidate: Candidate, question: Question, findings: Sequence[guard.Finding]) -> Notes:
        refuted = [one for one in findings if one.verdict == "refuted"]
        for finding in refuted:
            self._flag(candidate, finding)
        if refuted or not candidate.text or not self._is_current(candidate, question) or question.outdated(candidate):
            return None
        notes = [f"{candidate.memory.origin.source} is not trusted"] if candidate.rank == NOT_TRUSTED else []
        return (*notes, *(f"unverifiable: {one.reason}" for one in findings if one.verdict == "unverifiable"))

    def _is_current(self, candidate: Candidate, question: Question) -> bool:
        """Tell whether a fact stands: against a higher rank only where the World refutes that and confirms this."""
        higher = _rivals(candidate, question)
        if not higher:
            return True
        if self._world is None or guard.verdict(guard.check(candidate.text, self._world)) != "confirmed":
            return False
        return all(guard.verdict(guard.check(rival.body, self._world)) == "refuted" for rival in higher)


def _rivals(candidate: Candidate, question: Question) -> Sequence[Fact]:
    return question.rivals(candidate.memory) if isinstance(candidate.memory, Fact) else ()


@lru_cache(maxsize=8192)
def _repeats(one: str, other: str) -> bool:
    """Tell whether two texts say the same: in the same words, or in nearly all and with no other number."""
    words, others = word_set(one), word_set(other)
    if overlap(words, others) >= SAME_WORDS:
        return not any(word[0].isdigit() for word in words ^ others)
    return not words and fold(one) == fold(other)


def latest_servable(
    newest_first: Iterable[Episode], k: int, is_servable: Callable[[Candidate], bool]
) -> Sequence[Episode]:
    """Give the last k episodes that hold up, oldest first; what untrusted sources said comes only by relevance."""
    recent: list[Episode] = []
    for episode in newest_first:
        if len(recent) == k:
            break
        trusted = episode.is_searchable and episode.rank > NOT_TRUSTED
        if trusted and is_servable(Candidate(episode, excerpt(episode.detail, {}), "episodic")):
            recent.append(episode)
    return recent[::-1]
