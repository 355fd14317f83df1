"""Adds an attack to a scenario: the probes that it may target, its events, and the changed answer keys."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from memlab.harness.scenarios.answer_keys import lineage_sources
from memlab.harness.scenarios.schema import LIMITS
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Claim, Event, Forbidden, Probe, Scenario, Why

OWN_REASONS: frozenset[Why] = frozenset({"erased", "ended", "failed"})
"""A probe that forbids claims for other reasons already has an attack of its own."""


class AttackBuilder:
    """A scenario and the id of the attack; random choices depend only on these and the seed."""

    def __init__(self, scenario: Scenario, overlay: str) -> None:
        self.scenario = scenario
        self.overlay = overlay
        self.chance = random.Random(f"{scenario.id}:{scenario.seed}:{overlay}")  # noqa: S311 - a sample, no secret
        self.event_count = 0

    @cached_property
    def events(self) -> dict[str, Event]:
        """Return every event by its id, in order."""
        return {step.id: step for step in self.scenario.timeline if isinstance(step, Event)}

    @cached_property
    def probes(self) -> tuple[tuple[int, Probe], ...]:
        """Return the possible target probes, each with its place: those without an attack of the scenario's own.

        Probes that another overlay targets may be targeted again.
        """
        if self.scenario.family == LIMITS:
            return ()
        return tuple(
            (place, step)
            for place, step in enumerate(self.scenario.timeline)
            if isinstance(step, Probe) and _has_no_attack(step, self.scenario.overlay)
        )

    @cached_property
    def wanted(self) -> dict[str, int]:
        """Return every claim that a target probe expects or keeps, with the place of the first such probe."""
        found: dict[str, int] = {}
        for place, probe in self.probes:
            for claim in wanted_claims(probe):
                if claim in self.scenario.claims:
                    found.setdefault(claim, place)
        return found

    def events_stating(self, claim: str, place: int) -> list[Event]:
        """Return the events before a place that state a claim."""
        before = {step.id for step in self.scenario.timeline[:place] if isinstance(step, Event)}
        return [self.events[name] for name in self.scenario.claims[claim].events if name in before]

    def event(self, like: Event, source: str, *restates: Event) -> Event:
        """Return an event of the attack, a copy of `like` with a new id; `with_events` sets its time."""
        self.event_count += 1
        seed = f"{self.scenario.id}:{self.scenario.seed}:{self.overlay}:{self.event_count}"
        return replace(
            like,
            id=hashlib.blake2s(seed.encode(), digest_size=6).hexdigest(),
            source=source,
            derived_from=tuple(one.id for one in restates),
            quote="",
            run=None,
        )

    def with_events(self, place: int, events: Sequence[Event]) -> Scenario:
        """Return the scenario with some events inserted right before a step."""
        timeline = self.scenario.timeline
        end = self._last_time(timeline[: place + 1], 0.0)
        start = self._last_time(timeline[:place], end)
        gap = (end - start) / (len(events) + 1)
        timed = [replace(one, time=start + gap * number) for number, one in enumerate(events, 1)]
        joined = "+".join(filter(None, [self.scenario.overlay, self.overlay]))
        return replace(self.scenario, timeline=(*timeline[:place], *timed, *timeline[place:]), overlay=joined)

    @property
    def first_event_place(self) -> int:
        """Return the place of the first event."""
        return next(place for place, step in enumerate(self.scenario.timeline) if isinstance(step, Event))

    def session(self, place: int) -> str:
        """Return the session of a place."""
        return next((one.session for one in self._before(place)), next(iter(self.events.values())).session)

    def task_is_open(self, place: int) -> bool:
        """Return whether a task is open at a place."""
        steps = (one.kind for one in self._before(place) if not lineage_sources(one, self.events) & UNTRUSTED_SOURCES)
        return next((kind for kind in steps if kind in {"task", "end"}), "end") == "task"

    def _before(self, place: int) -> Iterator[Event]:
        return (one for one in reversed(self.scenario.timeline[:place]) if isinstance(one, Event))

    @staticmethod
    def _last_time(steps: Sequence[object], default: float) -> float:
        return next((one.time for one in reversed(steps) if isinstance(one, Event | Probe)), default)


def with_forbidden_claim(scenario: Scenario, claim: Claim, true: str, forbidden: Forbidden) -> Scenario:
    """Return the scenario with a new claim forbidden at every later probe that wants the true one."""
    first = next(
        place for place, step in enumerate(scenario.timeline) if isinstance(step, Event) and step.id == claim.events[0]
    )
    timeline = tuple(
        replace(step, forbid={**step.forbid, claim.id: forbidden})
        if isinstance(step, Probe) and place > first and true in wanted_claims(step)
        else step
        for place, step in enumerate(scenario.timeline)
    )
    return replace(scenario, timeline=timeline, claims={**scenario.claims, claim.id: claim})


def wanted_claims(probe: Probe) -> tuple[str, ...]:
    """Return what a probe expects or keeps, pins included."""
    return (*(probe.expect or ()), *probe.keep)


def _has_no_attack(probe: Probe, overlay: str) -> bool:
    """Return whether the scenario itself does not attack a probe; attacks of earlier overlays do not count."""
    suffixes = tuple(f".{one}" for one in overlay.split("+") if one)
    return all(one.why in OWN_REASONS or claim.endswith(suffixes) for claim, one in probe.forbid.items())
