"""Adds background to the events of a scenario: statements of other scenarios, and near misses of its questions.

Without it, the first, the last or the only statements of a short timeline are the answer, and a memory that always
serves them passes, whatever the question is. The added statements differ from the others only in their content: each
is next to one of the scenario's own statements, so that its position does not tell it from an answer.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice

from memlab.harness.scenarios.noise.near_misses import near_misses
from memlab.harness.scenarios.noise.noise_words import word_set
from memlab.harness.scenarios.noise.series import in_series
from memlab.harness.scenarios.noise.statement_pool import statement_pool
from memlab.harness.scenarios.timeline import SPEAKING
from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.text import fold
from memlab.terms import Event, Probe, Restart, Scenario, Step

OTHERS = range(14, 40)
"""The possible numbers of added statements of other scenarios; the seed decides."""
NAMED = frozenset({"fact", "skill"})
"""The kinds of events whose name is their subject."""
RELATED = 2
"""Statements that share words with the questions come first: two words or more, then one, then none."""
Place = tuple[int, float]
"""The number of the step before which an event is added, and a number that orders those before the same step."""


def with_background(scenario: Scenario) -> Scenario:
    """Return the scenario with background events, the same for the same sample; answer keys do not change."""
    chance = random.Random(f"background:{scenario.id}:{scenario.seed}")  # noqa: S311 - a sample, not a secret
    steps = scenario.timeline
    is_harmless = _harmless_in(scenario)
    beside = _own_statements(steps)
    first = beside[0]

    def place(last: int) -> Place:
        return chance.choice([at for at in beside if at < last] or [first]) + chance.randint(0, 1), chance.random()

    places = [place(len(steps)) for _ in range(chance.choice(OTHERS))]
    others = list(islice(filter(is_harmless, _candidates(scenario, chance)), len(places)))
    added = [(at, _renamed(event, scenario)) for at, event in zip(sorted(places), _mixed(others, chance), strict=False)]
    positions = {step.id: number for number, step in enumerate(steps) if isinstance(step, Probe)}
    for event, probe in near_misses(scenario, chance, {event.id for event in others}):
        if is_harmless(event):
            added.append((place(positions[probe.id]), event))
    return replace(scenario, timeline=tuple(_merged(steps, added)))


def _own_statements(steps: Sequence[Step]) -> list[int]:
    """Return the numbers of the steps that are statements and in no series; [0] if there is none."""
    spoken = {at: step for at, step in enumerate(steps) if isinstance(step, Event) and step.kind in SPEAKING}
    series = in_series(spoken.values())
    return [at for at, step in spoken.items() if step.id not in series] or [0]


def _renamed(event: Event, scenario: Scenario) -> Event:
    """Return a statement of another scenario with an id of its own, so that no id shows where it is from."""
    identity = f"{scenario.id}:{scenario.seed}:background:{event.id}"
    return replace(event, id=hashlib.blake2s(identity.encode(), digest_size=6).hexdigest())


def _harmless_in(scenario: Scenario) -> Callable[[Event], bool]:
    """Return a function that tests whether an event has no needle, name or subject of the scenario."""
    matcher = ClaimMatcher({claim.id: claim.needles for claim in scenario.claims.values()})
    own = [step for step in scenario.timeline if isinstance(step, Event)]
    names = {fold(name) for event in own for name in (event.name, event.about) if name}

    def is_harmless(event: Event) -> bool:
        subjects = {fold(event.about), fold(event.name) if event.kind in NAMED else ""}
        text = fold(f"{event.text} {event.name} {event.description}")
        return names.isdisjoint(subjects) and next(matcher.needles_in(text), None) is None

    return is_harmless


def _candidates(scenario: Scenario, chance: random.Random) -> Iterator[Event]:
    """Yield statements of other scenarios, shuffled by scenario; those that share words with the questions first."""
    pool = [events for donor, events in statement_pool() if donor != scenario.id]
    chance.shuffle(pool)
    questions = word_set(" ".join(step.query for step in scenario.timeline if isinstance(step, Probe)))
    candidates = [event for events in pool for event in events]
    shared = {event.id: min(RELATED, len(questions & _words(event.text))) for event in candidates}
    yield from sorted(candidates, key=lambda event: -shared[event.id])


@cache
def _words(text: str) -> frozenset[str]:
    return word_set(text)


def _mixed(events: Sequence[Event], chance: random.Random) -> Iterator[Event]:
    """Yield events in random order, those of the same scenario in the order of their times."""
    of_donor: dict[str, list[Event]] = defaultdict(list)
    donors = {event.id: donor for donor, some in statement_pool() for event in some}
    for event in sorted(events, key=lambda one: -one.time):
        of_donor[donors[event.id]].append(event)
    order = [donors[event.id] for event in events]
    chance.shuffle(order)
    for donor in order:
        yield of_donor[donor].pop()


def _merged(steps: Sequence[Step], added: Iterable[tuple[Place, Event]]) -> Iterator[Step]:
    """Yield the steps with each added event before the step of its place, in the session that runs there."""
    waiting = sorted(added, key=lambda one: one[0], reverse=True)
    sessions = [step.session if isinstance(step, Event) else "" for step in steps]
    session = next(filter(None, sessions), "")
    for number, step in enumerate(steps):
        while waiting and waiting[-1][0][0] == number:
            yield replace(waiting.pop()[1], session=session)
        if isinstance(step, Event):
            session = step.session
        elif isinstance(step, Restart):
            session = next(filter(None, sessions[number:]), session)
        yield step
