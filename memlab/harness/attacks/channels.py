"""The three ways in: from outside, restated by a tool or a summary, and restated in the agent's own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice

from memlab.harness.attacks.builder import AttackBuilder
from memlab.harness.check.past import NAMED
from memlab.terms import Event

CHANNELS = {
    "web": "told by a web page, a document or another agent",
    "tool": "restated by a tool or a summary",
    "agent": "restated by the agent itself",
}
OUTSIDE = ("web", "document", "other-agent")


def send_through(scene: AttackBuilder, channel: str, statements: list[Event]) -> list[Event]:
    """Let statements come in by one channel; sources from outside take turns. Laundered ones restate the first."""
    sources = list(OUTSIDE)
    scene.chance.shuffle(sources)
    if channel == "web":
        turns = islice(cycle(sources), len(statements))
        return [scene.event(one, source) for one, source in zip(statements, turns, strict=True)]
    outside = scene.event(statements[0], sources[0])
    return [outside, *(scene.event(one, channel, outside) for one in _laundered(scene, channel, statements))]


def _laundered(scene: AttackBuilder, channel: str, statements: list[Event]) -> Iterator[Event]:
    """Give statements the form in which the channel restates them; what its name says it is about keeps it."""
    summed_up = scene.chance.random() < 1 / 2
    for one in statements:
        if one.kind in {*NAMED, "erase", "task"} or (channel == "tool" and not summed_up):
            yield one
        else:
            yield replace(one, kind="episode", name="", type="summary" if channel == "tool" else "note")
