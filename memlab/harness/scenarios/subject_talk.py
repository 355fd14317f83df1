"""Talk about the subject of a question that does not answer it: statements with two or three words of the question.

Without them, every statement that shares two words with a question answers it, and a memory needs no ranking.
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

MOST = 24
"""The statements added to a scenario."""
LIGHT, FEWEST = 0.6, 3
"""A pair of words weighs at most 60 % of the words shared by answer and question; the 3 lightest are always used."""
OF_THREE = 0.8
"""A group of three words weighs at most 80 % of the words shared by answer and question."""
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
Twice this week {who} wanted to hear about the {one} and the {two}; nobody at desk {n} had time to explain.
Before lunch we argued over {one} and {two} until {at}, when the kettle boiled.
My sister {who} laughed when {one} came up, and laughed louder at {two}.
Whoever left the poster with {one} and {two} in corridor {code}, please take it down.
There are {n} letters on {one}, a shorter one on {two}, and all lie unread in the tray.
At the meeting of {at} {one} was item {n}, {two} came next, and we stopped before both.
A pupil drew a picture for us: {one} on the left, {two} on the right, a cat between.
The new colleague, {who}, mixes up {one} with {two}; be patient.
I dreamt of {one}, woke at {at}, and wrote {two} on my hand.
Podcast {code} of {who} has an hour on {one}, then {n} advertisements, then {two}.
Thanks for the patience at {at} on Monday, when I talked of {one} and {two} without end.
Old photographs turned up behind radiator {code}, {n} of them, labelled {one} and {two}.
The radio called {one} unfashionable, and {two} as well.
If {who} rings because of {one} or {two}, say that we call back after {at}.
I owe {who} an answer on {two}, and the apology for {one} too.
Crossword {code}, {n} down: a word between {one} and {two}. No idea.
The {n} parents complained that {one} sounds dull, and that {two} sounds worse.
The essay of {who} has {n} pages; it compares {one} to a river and {two} to its banks.
Nothing happened today, apart from chatter on {one}, gossip on {two}, rain.
Could {who} name {one} first, {two} second, in larger letters?
Between trains {n} and {code} a stranger lectured me on {two}, then {one}.
The choir made a song of it, {code}: verse one {one}, verse two {two}, everybody hums.
Budget talks again from {at}, with {one} as an example, {two} as a joke.
Our neighbours in house {n} envy us for {one}; for {two} they pity us.
I skipped workshop {code}, the one with {one} and {two} in its title.
Leave a page blank behind {one} in binder {code}, please, then begin {two}.
Pens are gone again, so {one} and {two} stand on the board in chalk.
Grandmother {who} knew a proverb on {one}, forgot it, and offered one on {two}.
Spelling bee, {n} children: {one} correct, {two} wrong twice.
The translator {who} asked whether {one} has a plural, and whether {two} does.
What a day: {one} before breakfast, {two} before dinner, no pause at all.
Their brochure {code} praises {one} on its cover and hides {two} on page {n}.
I cannot come at {at} on Thursday, so talk of {one} and {two} must wait.
The quiz night had {n} riddles on {one}; the table of {who} left at {two}.
Someone scribbled {two} under {one} in the guest book, with a heart.
The speech of {who} touched on {one}, drifted to {two}, ended with cake at {at}.
Please tidy shelf {code}, where {one} and {two} lean against each other.
Survey {code} wants our mood concerning {one}, from 1 to {n}, likewise {two}.
The parrot {who} has learnt to say {one}, and the children teach it {two}.
It was {at}, I was tired, and I confused {one}, {two}, and half the alphabet.
Yesterday's minutes spell {one} three ways and leave {two} out.
The cartoonist {who} wants a title with {one}, rhyming if possible with {two}.
Of {n} listeners half slept through {one}, the rest through {two}.
No news on {one}. No news on {two}. Ask {who} next month.
The calendar's motto for June puts {one} beside {two}, quite a poem.
My notebook fell into the pond, {one}, {two}, shopping list of {n} lines and all.
Cousin {who} bets {n} marbles that {one} will be a fashion, {two} a memory.
When the lights went out at {at} we played charades: {one} was hard, {two} harder.
""".strip().splitlines()
"""Templates for words of a question ({one}, {two}); the names and numbers in most of them are unrelated to it."""
WHO = (
    "Abena",
    "Bertil",
    "Cosima",
    "Dragan",
    "Eleni",
    "Fabrice",
    "Gudrun",
    "Hamid",
    "Ilse",
    "Jovana",
    "Kwame",
    "Zsofia",
)
DESCRIBED = ("{one} and {two}", "talk of {one}, {two}", "{one} {two}", "{who} on {one}, {two}")
_WORD = re.compile(r"[^\W_]+")
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class Subject(NamedTuple):
    """The groups of words of one question; `weight` is that of the third lightest pair, in shares of the answer's."""

    weight: float
    probe: Probe
    groups: list[list[tuple[str, ...]]]


def subject_talk(scenario: Scenario, chance: random.Random) -> Iterator[tuple[Event, Probe]]:
    """Yield statements about one question, each with its probe, without time and session.

    It is the question whose answer stands out most, so that a memory that ranks by shared words still finds it: every
    group of words weighs less than the words that the answer shares with the question.
    """
    subject = min(_subjects(scenario), default=None, key=lambda one: one.weight)
    if subject is None or subject.weight >= 1:
        return
    names = Counter[str]()
    for number, sentence in enumerate(chance.sample(TALK, MOST)):
        first, *middle, last = chance.choice(chance.choice(subject.groups))
        middle.insert(chance.randrange(len(middle) + 1), "")
        cut = middle.index("")
        one, two = chance.sample((" ".join([first, *middle[:cut]]), " ".join([*middle[cut + 1 :], last])), 2)
        slots = _details(chance) | {"one": one, "two": two}
        kind, source = SPEAKERS[number % len(SPEAKERS)]
        identity = hashlib.blake2s(f"{scenario.id}:{scenario.seed}:talk:{number}".encode(), digest_size=6).hexdigest()
        event = Event(identity, kind, 0.0, "", source, sentence.format(**slots))
        if kind == "fact":
            name = _NO_SLUG.sub("-", fold(f"{one} {two}")).strip("-")
            names[name] += 1
            name += f"-{names[name]}" * (names[name] > 1)
            description = chance.choice(DESCRIBED).format(**slots)
            event = replace(event, name=name, description=description, type="project")
        yield event, subject.probe


def _details(chance: random.Random) -> dict[str, str]:
    """Return a person, a number, a time of day and a label, none of which belongs to the subject."""
    return {
        "who": chance.choice(WHO),
        "n": str(chance.randint(3, 60)),
        "at": f"{chance.randint(7, 21)}:{chance.randrange(5, 60, 5):02}",
        "code": f"{chance.choice('BDGKMRT')}-{chance.randint(2, 40)}",
    }


def _subjects(scenario: Scenario) -> Iterator[Subject]:
    """Yield the groups of words of each question that has an answer."""
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
            three = [
                some
                for some in combinations(roots, 3)
                if _weight(weights, {roots[one] for one in some}) <= OF_THREE * answer
            ]
            groups: list[list[tuple[str, ...]]] = [[*light], [*three], [*three]]
            yield Subject(least / answer, probe, [some for some in groups if some])


def _wanted(probe: Probe) -> tuple[str, ...]:
    """Return the claims and pins that an answer must contain."""
    return *(probe.expect or ()), *probe.keep


@cache
def _pool_frequency() -> tuple[Counter[str], int]:
    """Return the number of statements in the pool that contain each word, and the number of all statements."""
    texts = [word_set(event.text) for _, some in statement_pool() for event in some]
    return Counter(chain.from_iterable(texts)), len(texts)


def _weight(weights: Mapping[str, float], held: AbstractSet[str]) -> float:
    return sum(weight for root, weight in weights.items() if root in held)


def _roots(query: str) -> dict[str, str]:
    """Return the words of a query with their roots, the first word of each root."""
    words = {root: word for word in reversed(_WORD.findall(query)) for root in word_set(word)}
    return {word: root for root, word in words.items()}
