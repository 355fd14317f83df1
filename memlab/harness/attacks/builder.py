"""An attack on its way into a scenario: which probes it may aim at, what it tells, and which keys change."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from memlab.harness.scenarios.answer_keys import lineage_sources
from memlab.harness.scenarios.schema import LIMITS
from memlab.memory.trust import UNTRUSTED
from memlab.terms import Claim, Event, Forbidden, Probe, Scenario, Why

OWN_REASONS: frozenset[Why] = frozenset({"erased", "ended"})
"""A probe that forbids for other reasons than these has an attack of its own."""


class AttackBuilder:
    """A scenario and the id of what is laid over it; chance comes from the two and the seed alone."""

    def __init__(self, scenario: Scenario, overlay: str) -> None:
        self.scenario = scenario
        self.overlay = overlay
        self.chance = random.Random(f"{scenario.id}:{scenario.seed}:{overlay}")  # noqa: S311 - a sample, no secret
        self.written = 0

    @cached_property
    def events(self) -> dict[str, Event]:
        """Give every event by its id, in order."""
        return {step.id: step for step in self.scenario.timeline if isinstance(step, Event)}

    @cached_property
    def probes(self) -> tuple[tuple[int, Probe], ...]:
        """Give the probes that may be aimed at, each with its place: those that no attack aims at by itself.

        What another overlay has aimed at may be aimed at again.
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
        """Give every claim that such a probe expects or keeps, with the place of the first one that does."""
        found: dict[str, int] = {}
        for place, probe in self.probes:
            for claim in wanted_claims(probe):
                if claim in self.scenario.claims:
                    found.setdefault(claim, place)
        return found

    def told(self, claim: str, place: int) -> list[Event]:
        """List the events before a place that state a claim."""
        before = {step.id for step in self.scenario.timeline[:place] if isinstance(step, Event)}
        return [self.events[one] for one in self.scenario.claims[claim].events if one in before]

    def event(self, like: Event, source: str, *restates: Event) -> Event:
        """Write one event of the attack in the form of another; its time is that of its place."""
        self.written += 1
        named = f"{self.scenario.id}:{self.scenario.seed}:{self.overlay}:{self.written}"
        return replace(
            like,
            id=hashlib.blake2s(named.encode(), digest_size=6).hexdigest(),
            source=source,
            derived_from=tuple(one.id for one in restates),
        )

    def with_events(self, place: int, events: Sequence[Event]) -> Scenario:
        """Give the scenario with some events told right before a step, after what came before it."""
        timeline = self.scenario.timeline
        end = self._moment(timeline[: place + 1], 0.0)
        start = self._moment(timeline[:place], end)
        gap = (end - start) / (len(events) + 1)
        timed = [replace(one, time=start + gap * number) for number, one in enumerate(events, 1)]
        joined = "+".join(filter(None, [self.scenario.overlay, self.overlay]))
        return replace(self.scenario, timeline=(*timeline[:place], *timed, *timeline[place:]), overlay=joined)

    @property
    def opening(self) -> int:
        """Give the place of the first event."""
        return next(place for place, step in enumerate(self.scenario.timeline) if isinstance(step, Event))

    def session(self, place: int) -> str:
        """Give the session that a place lies in."""
        return next((one.session for one in self._before(place)), next(iter(self.events.values())).session)

    def task_is_open(self, place: int) -> bool:
        """Tell if a task is at hand at a place."""
        steps = (one.kind for one in self._before(place) if not lineage_sources(one, self.events) & UNTRUSTED)
        return next((kind for kind in steps if kind in {"task", "end"}), "end") == "task"

    def _before(self, place: int) -> Iterator[Event]:
        return (one for one in reversed(self.scenario.timeline[:place]) if isinstance(one, Event))

    @staticmethod
    def _moment(steps: Sequence[object], default: float) -> float:
        return next((one.time for one in reversed(steps) if isinstance(one, Event | Probe)), default)


def with_forbidden_claim(scenario: Scenario, claim: Claim, true: str, forbidden: Forbidden) -> Scenario:
    """Forbid a new claim at every probe that wants the true one and comes after the first telling of the new."""
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
    """Give what a probe expects or keeps, pins included."""
    return (*(probe.expect or ()), *probe.keep)


def _has_no_attack(probe: Probe, overlay: str) -> bool:
    """Tell if all that a probe forbids is over, or was told by what was laid over the scenario before."""
    laid = tuple(f".{one}" for one in overlay.split("+") if one)
    return all(one.why in OWN_REASONS or claim.endswith(laid) for claim, one in probe.forbid.items())
