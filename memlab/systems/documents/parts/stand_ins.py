"""What stands in place of a model, as one value: rules, or an oracle that knows the scenario's claims.

A row is played with both: the truth for a real model lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memlab.memory.text import fold
from memlab.models.extraction import Candidate, Turn
from memlab.systems.documents.parts import extractor, reflector
from memlab.systems.documents.parts.extractor import HIGH, LOW, sentences
from memlab.systems.documents.parts.reflector import FEWEST_EPISODES, FEWEST_SESSIONS, Conclusion, Observation

PROBES, TEXTS = 16, 8192
"""[m] The claims in so many texts are remembered, for so many questions: those of one scenario."""


@dataclass(frozen=True)
class StandIns:
    """An extractor of the facts in messages, a judge of importance in [0, 1], and a reflector."""

    extract: Callable[[Sequence[Turn]], Sequence[Candidate]]
    importance: Callable[[str], float]
    conclude: Callable[[Sequence[Observation], int], list[Conclusion]]


def _extract(turns: Sequence[Turn]) -> list[Candidate]:
    return [fact for turn in turns for fact in extractor.extract_facts(turn.text)]


RULES = StandIns(_extract, extractor.importance, reflector.conclude)


class OracleStandIns(StandIns):
    """Extracts exactly the sentences that state a claim of the scenario, true or false, and nothing else."""

    def __init__(self, claims: Mapping[str, tuple[str, ...]]) -> None:
        self._find = _finder(tuple(claims.items()))
        super().__init__(self._extract, self._importance, self._conclude)

    def _extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        quotes = (quote for turn in turns for quote in dict.fromkeys(self._quotes(turn.text).values()))
        return [Candidate(quote, quote, HIGH) for quote in quotes]

    def _importance(self, text: str) -> float:
        return HIGH if self._quotes(text) else LOW

    def _conclude(self, episodes: Sequence[Observation], most: int) -> list[Conclusion]:
        """Return the claims that at least three episodes of two sessions state, the most frequent first."""
        stated: dict[str, list[tuple[str, Observation]]] = {}
        for one in episodes:
            for claim, quote in self._quotes(one.text).items():
                stated.setdefault(claim, []).append((quote, one))
        general = [
            Conclusion(uses[-1][0], tuple(one.id for _, one in uses))
            for uses in stated.values()
            if len(uses) >= FEWEST_EPISODES and len({one.session for _, one in uses}) >= FEWEST_SESSIONS
        ]
        return sorted(general, key=lambda one: -len(one.sources))[:most]

    def _quotes(self, text: str) -> Mapping[str, str]:
        """Return the shortest run of sentences that states each claim that the text states."""
        return self._find(text)


@lru_cache(maxsize=PROBES)
def _finder(claims: tuple[tuple[str, tuple[str, ...]], ...]) -> Callable[[str], Mapping[str, str]]:
    """Return the function that finds claims in a text, once for each text: nine rows read the same at each question."""
    wanted = {claim: [fold(one) for one in needles] for claim, needles in claims if needles}

    @lru_cache(maxsize=TEXTS)
    def find(text: str) -> Mapping[str, str]:
        plain = fold(text)
        stated = {claim: needles for claim, needles in wanted.items() if all(one in plain for one in needles)}
        return {claim: _shortest_run(text, needles) for claim, needles in stated.items()}

    return find


def _shortest_run(text: str, needles: Sequence[str]) -> str:
    """Return the sentence with all needles, else the text from the first to the last sentence with one."""
    parts = sentences(text)
    for one in parts:
        if all(needle in fold(one) for needle in needles):
            return one
    having = [one for one in parts if any(needle in fold(one) for needle in needles)]
    return text[text.index(having[0]) : text.rindex(having[-1]) + len(having[-1])] if having else text
