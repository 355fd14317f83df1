"""Adds background to a scenario: true statements from other scenarios, before its first event and between the others.

Without it, the first or last statements of a short timeline are the answer, and a memory that serves the oldest ones
whatever the question passes.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.heuristics.references import find_references
from memlab.memory.retrieval.relevance import word_set
from memlab.memory.text import fold
from memlab.terms import Event, Kind, Probe, Scenario, Step

FIRST, AMONG = range(12, 33), range(8, 17)
"""The number of background events before the scenario and between its events, drawn from the seed."""
LONGEST = 240
"""Characters of a background text at most."""
KINDS: frozenset[Kind] = frozenset({"fact", "turn", "episode"})
TRUSTED = ("user", "tool", "agent")
SESSIONS = 3
"""The sessions of the background before the scenario."""
NUMBER = re.compile(r"[0-9]+")
SPACING = 3_600.0
"""Seconds between two background events before the scenario."""


def with_background(scenario: Scenario) -> Scenario:
    """Return the scenario with background events, the same for the same sample; answer keys do not change."""
    chance = random.Random(f"background:{scenario.id}:{scenario.seed}")  # noqa: S311 - a sample, not a secret
    first, among = chance.choice(FIRST), chance.choice(AMONG)
    events = list(_harmless_here(scenario, chance, first + among))
    start = next(step.time for step in scenario.timeline if isinstance(step, Event | Probe))
    before = [
        replace(event, time=start - SPACING * (first - number), session=f"session-{SESSIONS * number // first + 1}")
        for number, event in enumerate(events[:first])
    ]
    timeline = [_later(step) for step in scenario.timeline]
    return replace(scenario, timeline=(*before, *_scattered(timeline, events[first:], chance)))


def _harmless_here(scenario: Scenario, chance: random.Random, wanted: int) -> Iterator[Event]:
    """Yield background events that contain no needle and have no name of the scenario, each under a new id."""
    matcher = ClaimMatcher({claim.id: claim.needles for claim in scenario.claims.values()})
    names = {fold(step.name) for step in scenario.timeline if isinstance(step, Event) and step.name}
    for number, event in enumerate(_candidates(scenario, chance)):
        if wanted == 0:
            return
        text = fold(f"{event.text} {event.name} {event.description}")
        if fold(event.name) not in names and next(matcher.needles_in(text), None) is None:
            if event.name:
                names.add(fold(event.name))
            wanted -= 1
            digest = hashlib.blake2s(f"{scenario.id}:{scenario.seed}:background:{number}".encode(), digest_size=6)
            yield replace(event, id=digest.hexdigest())


def _candidates(scenario: Scenario, chance: random.Random) -> list[Event]:
    """Return the pool in random order, first the events that share a word with a question."""
    pool = [event for donor, events in background_pool() if donor != scenario.id for event in events]
    chance.shuffle(pool)
    questions = word_set(" ".join(step.query for step in scenario.timeline if isinstance(step, Probe)))
    related = [event for event in pool if questions & _words(event.text)]
    rest = [event for event in pool if not questions & _words(event.text)]
    return related + rest


@cache
def _words(text: str) -> frozenset[str]:
    return word_set(text)


def _scattered(timeline: Sequence[Step], events: Sequence[Event], chance: random.Random) -> Iterator[Step]:
    """Yield the timeline with events at random places, each at the time and in the session of the event before it."""
    places = sorted(chance.randrange(len(timeline)) for _ in events)
    waiting = list(zip(places, events, strict=True))
    last: Event | None = None
    for number, step in enumerate(timeline):
        last = step if isinstance(step, Event) else last
        yield step
        while waiting and waiting[0][0] == number:
            _, event = waiting.pop(0)
            if last is not None:
                yield replace(event, time=step.time if isinstance(step, Probe) else last.time, session=last.session)


def _later(step: Step) -> Step:
    """Return the step with a session after those of the background."""
    if not isinstance(step, Event):
        return step
    later = NUMBER.sub(lambda number: str(int(number[0]) + SESSIONS), step.session, count=1)
    return replace(step, session=later)


@cache
def background_pool() -> tuple[tuple[str, tuple[Event, ...]], ...]:
    """Return the statements of memlab's own scenarios that are true in any other: id of the scenario, events.

    Each is short, of a trusted source, names nothing in an environment, restates nothing, and no probe forbids it.
    """
    samples = (template.sample(0) for template in load_all([library()]))
    return tuple((sample.id, tuple(_harmless(sample))) for sample in samples)


def _harmless(scenario: Scenario) -> Iterator[Event]:
    forbidden = {claim for step in scenario.timeline if isinstance(step, Probe) for claim in step.forbid}
    forbidden_events = {event for claim in forbidden for event in scenario.claims[claim].events}
    seen: set[str] = set()
    for step in scenario.timeline:
        if not isinstance(step, Event) or step.kind not in KINDS or step.source not in TRUSTED or step.derived_from:
            continue
        shape = "".join(char for char in step.text if not char.isdigit())
        if step.id in forbidden_events or shape in seen or len(step.text) > LONGEST:
            continue
        if not find_references(step.text):
            seen.add(shape)
            yield replace(step, about="")
