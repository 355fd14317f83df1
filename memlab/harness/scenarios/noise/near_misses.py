"""Near misses: statements that share words with a question and do not answer it.

Each is a statement of another scenario in which two to four words are replaced by words of the question, so its
form, length, kind and source do not tell it from an answer. For every question, the words that a near miss shares with
it weigh less than those of each answer that shares a word: a memory that ranks by these weights finds the answers
first.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache
from itertools import chain, combinations
from typing import NamedTuple

from memlab.harness.scenarios.noise.noise_words import COMMON, word_set
from memlab.harness.scenarios.noise.series import in_series
from memlab.harness.scenarios.noise.statement_pool import LONGEST, statement_pool
from memlab.memory.retrieval.relevance import weigh
from memlab.terms import Event, Probe, Scenario

MOST_PER_QUESTION = 24
"""The number of near misses of each question, if enough statements can be changed."""
MOST_WEIGHT = 0.95
"""The words that a near miss shares with any question weigh at most 95 % of those that each answer shares with it."""
WORDS_REPLACED = range(2, 5)
"""The numbers of words that are replaced; the two largest possible ones are used."""
DONORS, TRIES = 40, 15
"""A near miss is made from one of the 40 unused statements whose length is nearest to an answer's, in 15 tries."""
_PLACE = re.compile(r"(?<=\s)[^\W\d_]{3,}(?=[\s,.;:!?]|$)")
_WORD = re.compile(r"[^\W_]+")


class WeighedQuestion(NamedTuple):
    """One question: its words with their stems, the weights of stems, the least weight and the lengths of answers."""

    probe: Probe
    stems: Mapping[str, str]
    weights: Mapping[str, float]
    least: float
    lengths: Sequence[int]

    def weight(self, held: AbstractSet[str]) -> float:
        """Return the weight of the question's words among these stems."""
        return sum(weight for stem, weight in self.weights.items() if stem in held)


def near_misses(scenario: Scenario, chance: random.Random, used: Collection[str] = ()) -> Iterator[tuple[Event, Probe]]:
    """Yield near misses without times and sessions, each with the probe whose words it has.

    They are not made from the statements whose ids are in `used`.
    """
    known = list(questions(scenario))
    groups = {one.probe.id: some for one in known if (some := _groups(one, known))}
    donors = [event for donor, some in statement_pool() if donor != scenario.id for event in some]
    donors = [event for event in donors if event.id not in used and len(_places(event.text)) >= min(WORDS_REPLACED)]
    unused: dict[int, list[int]] = defaultdict(list)
    for at, event in enumerate(donors):
        unused[len(event.text)].append(at)
    for number, one in enumerate([one for one in known if one.probe.id in groups] * MOST_PER_QUESTION):
        similar = _nearest(unused, chance.choice(one.lengths))
        for at in chance.sample(similar, min(TRIES, len(similar))):
            donor = donors[at]
            words = chance.choice(chance.choice(groups[one.probe.id]))
            text = _replaced(donor.text, words, chance)
            if text and _is_lighter(word_set(f"{text} {donor.name} {donor.description}"), known):
                identity = f"{scenario.id}:{scenario.seed}:near:{number}"
                digest = hashlib.blake2s(identity.encode(), digest_size=6).hexdigest()
                yield replace(donor, id=digest, text=text, session="", about=""), one.probe
                unused[len(donor.text)].remove(at)
                break


def _nearest(numbers: Mapping[int, Sequence[int]], length: int) -> list[int]:
    """Return at most DONORS numbers of statements by the distance of their lengths, then by number."""
    nearest: list[int] = []
    for distance in range(max(length, LONGEST) + 1):
        nearest += sorted({*numbers.get(length - distance, ()), *numbers.get(length + distance, ())})
        if len(nearest) >= DONORS:
            break
    return nearest[:DONORS]


def questions(scenario: Scenario) -> Iterator[WeighedQuestion]:
    """Yield the questions that share a word with one of their answers."""
    probes = [step for step in scenario.timeline if isinstance(step, Probe)]
    claims = {probe.id: [scenario.claims[one] for one in _wanted(probe) if one in scenario.claims] for probe in probes}
    answers = {event for some in claims.values() for claim in some for event in claim.events}
    events = [step for step in scenario.timeline if isinstance(step, Event)]
    counted = answers | {event.id for event in events} - in_series(events)
    words = {one.id: word_set(f"{one.text} {one.name} {one.description}") for one in events if one.id in counted}
    lengths = {event.id: len(event.text) for event in events}
    pool, size = _pool_frequency()
    frequency = pool.copy()
    frequency.update(chain.from_iterable(words.values()))
    for probe in probes:
        stems = _stems(probe.query)
        one = WeighedQuestion(probe, stems, weigh(stems.values(), frequency, size + len(words)), 0.0, ())
        shared = [max(one.weight(words[event]) for event in claim.events) for claim in claims[probe.id]]
        if any(shared):
            stated = [lengths[event] for claim in claims[probe.id] for event in claim.events]
            yield one._replace(least=min(filter(None, shared)), lengths=stated)


def _groups(one: WeighedQuestion, questions: Sequence[WeighedQuestion]) -> list[list[tuple[str, ...]]]:
    """Return combinations of question words lighter than every answer: a list for each of the two largest sizes."""
    sizes = (
        [some for some in combinations(one.stems, size) if _is_lighter({one.stems[word] for word in some}, questions)]
        for size in WORDS_REPLACED
    )
    return [some for some in sizes if some][-2:]


def _is_lighter(held: AbstractSet[str], questions: Sequence[WeighedQuestion]) -> bool:
    return all(one.weight(held) <= MOST_WEIGHT * one.least for one in questions)


@cache
def _places(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words that can be replaced: not a common word, the first word or a part of a path."""
    return [place.span() for place in _PLACE.finditer(text) if place.group().casefold() not in COMMON]


def _replaced(text: str, words: Sequence[str], chance: random.Random) -> str:
    """Return a text with these words in random places; empty if it has too few places."""
    places = _places(text)
    if len(places) < len(words):
        return ""
    chosen = sorted(chance.sample(places, len(words)), reverse=True)
    for (first, last), word in zip(chosen, chance.sample(words, len(words)), strict=True):
        text = text[:first] + word + text[last:]
    return text


def _wanted(probe: Probe) -> tuple[str, ...]:
    """Return the claims and pins that an answer must contain."""
    return *(probe.expect or ()), *probe.keep


@cache
def _pool_frequency() -> tuple[Counter[str], int]:
    """Return the number of statements in the pool that contain each word, and the number of all statements."""
    texts = [word_set(event.text) for _, some in statement_pool() for event in some]
    return Counter(chain.from_iterable(texts)), len(texts)


def _stems(query: str) -> dict[str, str]:
    """Return the words of a query with their stems, the first word of each stem."""
    words = {stem: word for word in reversed(_WORD.findall(query)) for stem in word_set(word)}
    return {word: stem for stem, word in words.items()}
