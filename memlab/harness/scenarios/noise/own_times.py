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

    `own` are the ids of the events of the file; the others were added. Equal for the same sample.
    """
    chance = random.Random(f"times:{scenario.id}:{scenario.seed}")  # noqa: S311 - a sample, not a secret
    return replace(scenario, timeline=tuple(_timed(scenario.timeline, own, chance)))


def _timed(timeline: Iterable[Step], own: frozenset[str], chance: random.Random) -> Iterator[Step]:
    before: float | None = None
    now = 0.0
    for step in timeline:
        if not isinstance(step, Event | Probe):
            yield step
            continue
        now = now or step.time
        if isinstance(step, Probe) or step.id in own:
            now += max(0.0, step.time - before - STEP) if before is not None else 0.0
            before = step.time
        now += chance.uniform(*GAPS)
        yield replace(step, time=now)
