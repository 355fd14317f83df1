"""A task survives any history: the context contains the rules, the goal, the next to-do and what it needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.pytest_plugin import judge
from memlab.systems.registry import entry
from memlab.terms import Event, Result

HIGHER = 28
"""Factor on the notes of one night: ten thousand in total."""


@pytest.mark.family("oversize")
def test_oversize(cell: list[Result]) -> None:
    judge(cell)


def test_ten_thousand_tiny_notes_push_nothing_off_the_page() -> None:
    template = load(library() / "oversize" / "night-of-the-stickers.yaml")
    timeline = [flooded(step) for step in template.data["timeline"]]
    flood = replace(template, data={**template.data, "timeline": timeline}).sample(0)
    assert sum(isinstance(step, Event) and step.source == "web" for step in flood.timeline) > 10_000
    (cell,) = play(flood, [entry("hybrid")])
    judge(cell)


def flooded(step: dict[str, Any]) -> dict[str, Any]:
    repeat = step.get("repeat")
    return {"repeat": {**repeat, "times": HIGHER * repeat["times"]}} if repeat else step
