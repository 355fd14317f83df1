"""Talk about the subject of a question that does not answer it: statements with two words of the question.

Without them, whatever shares two words with a question answers it, and a memory needs no ranking.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache
from itertools import chain, combinations
from typing import NamedTuple

from memlab.harness.scenarios.series import in_series
from memlab.harness.scenarios.statement_pool import statement_pool
from memlab.memory.retrieval.relevance import weigh, word_set
from memlab.memory.text import fold
from memlab.terms import Event, Kind, Probe, Scenario

MOST = 20
"""The statements added to a scenario."""
LIGHT, FEWEST = 0.6, 3
"""Pairs weigh at most 60 % of the words that the answer shares with the question; the 3 lightest are always used."""
SPEAKERS: tuple[tuple[Kind, str], ...] = (
    ("turn", "user"),
    ("fact", "user"),
    ("turn", "user"),
    ("fact", "user"),
    ("turn", "agent"),
    ("episode", "agent"),
)
"""The kinds and sources of these statements take turns."""
TALK = """
Twice this week a visitor wanted to hear about the {one} and the {two}; nobody at the desk had time to explain.
Before lunch we argued over {one} and {two} until the kettle boiled.
My sister laughed when {one} came up, and laughed louder at {two}.
Whoever left the poster with {one} and {two} in the corridor, please take it down.
There is a long letter on {one}, a shorter one on {two}, and both lie unread in the tray.
At the meeting {one} was item six, {two} was item seven, and we stopped after item five.
A pupil drew a picture for us: {one} on the left, {two} on the right, a cat between.
The new colleague mixes up {one} with {two}; be patient.
I dreamt of {one}, woke, and wrote {two} on my hand.
Somebody's podcast has an hour on {one}, then an advertisement, then {two}.
Thanks for the patience on Monday, when I talked of {one} and {two} without end.
Old photographs turned up behind the radiator, labelled {one} and {two}.
The radio called {one} unfashionable, and {two} as well.
If anyone rings because of {one} or {two}, say that we call back.
I owe you an answer on {two}, and the apology for {one} too.
Crossword, eleven down: a word between {one} and {two}. No idea.
Two parents complained that {one} sounds dull, and that {two} sounds worse.
The intern's essay compares {one} to a river and {two} to its banks.
Nothing happened today, apart from chatter on {one}, gossip on {two}, rain.
Could the sign above the door name {one} first, {two} second, in larger letters?
Between trains a stranger lectured me on {two}, then {one}.
The choir made a song of it: verse one {one}, verse two {two}, everybody hums.
Budget talks again, with {one} as an example, {two} as a joke.
Our neighbours envy us for {one}; for {two} they pity us.
I skipped the workshop with {one} and {two} in its title.
Leave a page blank behind {one} in the binder, please, then begin {two}.
Pens are gone again, so {one} and {two} stand on the board in chalk.
Grandmother knew a proverb on {one}, forgot it, and offered one on {two}.
Spelling bee results: {one} correct, {two} wrong twice.
The translator asked whether {one} has a plural, and whether {two} does.
What a day: {one} before breakfast, {two} before dinner, no pause at all.
Their brochure praises {one} on its cover and hides {two} at the back.
I cannot come on Thursday, so talk of {one} and {two} must wait.
The quiz night had a round on {one}; our table left at {two}.
Someone scribbled {two} under {one} in the guest book, with a heart.
The mayor's speech touched on {one}, drifted to {two}, ended with cake.
Please tidy the shelf where {one} and {two} lean against each other.
A survey wants our mood concerning {one}, from sunny to stormy, likewise {two}.
The parrot has learnt to say {one}, and the children teach it {two}.
It was late, I was tired, and I confused {one}, {two}, and half the alphabet.
Yesterday's minutes spell {one} three ways and leave {two} out.
The cartoonist wants a title with {one}, rhyming if possible with {two}.
Half the audience slept through {one}, the rest through {two}.
No news on {one}. No news on {two}. Ask me next month.
The calendar's motto for June puts {one} beside {two}, quite a poem.
My notebook fell into the pond, {one}, {two}, shopping list and all.
Cousin Bela bets that {one} will be a fashion, {two} a memory.
When the lights went out we played charades: {one} was hard, {two} harder.
""".strip().splitlines()
"""Sentences for two words of a question; none says anything of them."""
_WORD = re.compile(r"[^\W_]+")
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class Subject(NamedTuple):
    """Pairs of words of one question, and the weight of the heaviest that must be used, in shares of the answer's."""

    weight: float
    probe: Probe
    pairs: list[tuple[str, str]]


def subject_talk(scenario: Scenario, chance: random.Random) -> Iterator[tuple[Event, Probe]]:
    """Yield statements about one question, each with its probe, without time and session.

    It is the question whose answer stands out most, so that a memory that ranks by shared words still finds it: every
    pair of words weighs less than the words that the answer shares with the question.
    """
    subject = min(_subjects(scenario), default=None, key=lambda one: one.weight)
    if subject is None or subject.weight >= 1:
        return
    for number, sentence in enumerate(chance.sample(TALK, MOST)):
        one, two = chance.sample(chance.choice(subject.pairs), 2)
        kind, source = SPEAKERS[number % len(SPEAKERS)]
        identity = hashlib.blake2s(f"{scenario.id}:{scenario.seed}:talk:{number}".encode(), digest_size=6).hexdigest()
        event = Event(identity, kind, 0.0, "", source, sentence.format(one=one, two=two))
        if kind == "fact":
            name = f"{_NO_SLUG.sub('', fold(f'{one} {two}'))}-{number + 1}"
            event = replace(event, name=name, description=f"{one} and {two}", type="project")
        yield event, subject.probe


def _subjects(scenario: Scenario) -> Iterator[Subject]:
    """Yield the pairs of words of each question that has an answer."""
    probes = [step for step in scenario.timeline if isinstance(step, Probe)]
    claims = {probe.id: [scenario.claims[one] for one in _wanted(probe) if one in scenario.claims] for probe in probes}
    answers = {event for some in claims.values() for claim in some for event in claim.events}
    events = [step for step in scenario.timeline if isinstance(step, Event)]
    counted = answers | {event.id for event in events} - in_series(events)
    words = {one.id: word_set(f"{one.text} {one.name} {one.description}") for one in events if one.id in counted}
    pool, size = _pool_frequency()
    frequency = pool + Counter(chain.from_iterable(words.values()))
    for probe in probes:
        roots = _roots(probe.query)
        weights = weigh(roots.values(), frequency, size + len(words))
        shared = [max(_weight(weights, words[event]) for event in claim.events) for claim in claims[probe.id]]
        pairs = sorted((_weight(weights, {roots[one], roots[two]}), one, two) for one, two in combinations(roots, 2))
        answer = min(shared, default=0.0)
        if answer and pairs:
            least = pairs[:FEWEST][-1][0]
            light = [(one, two) for weight, one, two in pairs if weight <= max(LIGHT * answer, least)]
            yield Subject(least / answer, probe, light)


def _wanted(probe: Probe) -> tuple[str, ...]:
    """Return the claims and pins that an answer must contain."""
    return *(probe.expect or ()), *probe.keep


@cache
def _pool_frequency() -> tuple[Counter[str], int]:
    """Return the number of statements in the pool with each word, and that of all."""
    texts = [word_set(event.text) for _, some in statement_pool() for event in some]
    return Counter(chain.from_iterable(texts)), len(texts)


def _weight(weights: Mapping[str, float], held: AbstractSet[str]) -> float:
    return sum(weight for root, weight in weights.items() if root in held)


def _roots(query: str) -> dict[str, str]:
    """Return the words of a query with their roots, the first word of each root."""
    words = {root: word for word in reversed(_WORD.findall(query)) for root in word_set(word)}
    return {word: root for root, word in words.items()}
