"""Gives every event and probe of a timeline its own time, so that times do not reveal which events were added."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
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


def _timed(timeline: Iterable[Step], own: frozenset[str], chance: random.Random) -> Iterator[Step]:
    now: float | None = None
    for part, wait in _parts(timeline, own):
        times = [step.time for step in part if isinstance(step, Event | Probe)]
        now = times[0] if now is None and times else now
        waiting = chance.randrange(len(times)) if times else 0
        for step in part:
            if isinstance(step, Event | Probe):
                now = (now or 0.0) + chance.uniform(*GAPS) + (0.0 if waiting else wait)
                waiting -= 1
                yield replace(step, time=now)
            else:
                yield step


def _parts(timeline: Iterable[Step], own: frozenset[str]) -> Iterator[tuple[list[Step], float]]:
    """Yield the added events up to each event or probe of the file, with this one last, and the wait before it."""
    before: float | None = None
    part: list[Step] = []
    for step in timeline:
        part.append(step)
        if isinstance(step, Probe) or (isinstance(step, Event) and step.id in own):
            yield part, max(0.0, step.time - before - STEP) if before is not None else 0.0
            before, part = step.time, []
    yield part, 0.0
