"""Gives every event and probe of a timeline its own time, so that times do not reveal which events were added."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memlab.harness.scenarios.timeline import STEP
from memlab.terms import Event, Probe, Scenario, Step

GAPS = (STEP / 3, STEP * 5 / 3)
"""Minimum and maximum seconds between two steps, in addition to the waits of the file; on average STEP."""


def with_own_times(scenario: Scenario, own: frozenset[str]) -> Scenario:
    """Return the scenario with each time drawn anew: random gaps of one distribution, and the waits of the file.

    `own` are the ids of the events of the file; the others were added. A wait is before one of the file's steps or
    before one of the events that were added since the step before it, at random. Equal for the same sample.
    """
    chance = random.Random(f"times:{scenario.id}:{scenario.seed}")  # noqa: S311 - a sample, not a secret
    return replace(scenario, timeline=tuple(_timed(scenario.timeline, own, chance)))


def _timed(timeline: Sequence[Step], own: frozenset[str], chance: random.Random) -> Iterator[Step]:
    now = next((step.time for step in timeline if isinstance(step, Event | Probe)), 0.0)
    for part, wait in _parts(timeline, own):
        timed = sum(isinstance(step, Event | Probe) for step in part)
        waiting = chance.randrange(timed) if timed else 0
        for step in part:
            if isinstance(step, Event | Probe):
                now += chance.uniform(*GAPS) + (0.0 if waiting else wait)
                waiting -= 1
                yield replace(step, time=now)
            else:
                yield step


def _parts(timeline: Sequence[Step], own: frozenset[str]) -> Iterator[tuple[list[Step], float]]:
    """Yield the added events up to each event or probe of the file, with this one last, and the wait before it."""
    before: float | None = None
    part: list[Step] = []
    for step in timeline:
        part.append(step)
        if isinstance(step, Probe) or (isinstance(step, Event) and step.id in own):
            yield part, max(0.0, step.time - before - STEP) if before is not None else 0.0
            before, part = step.time, []
    yield part, 0.0
