"""The three channels of an attack: from outside, restated by a tool or a summary, restated by the agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle, islice

from memlab.harness.attacks.builder import AttackBuilder
from memlab.harness.check.past import NAMED
from memlab.terms import Event

CHANNELS = {
    "web": "from a web page, a document or another agent",
    "tool": "restated by a tool or a summary",
    "agent": "restated by the agent itself",
}
OUTSIDE = ("web", "document", "other-agent")


def send_through(builder: AttackBuilder, channel: str, statements: list[Event]) -> list[Event]:
    """Return statements as events of one channel. Outside sources alternate; a tool or the agent restates the first."""
    sources = list(OUTSIDE)
    builder.chance.shuffle(sources)
    if channel == "web":
        turns = islice(cycle(sources), len(statements))
        return [builder.event(one, source) for one, source in zip(statements, turns, strict=True)]
    outside = builder.event(statements[0], sources[0])
    return [outside, *(builder.event(one, channel, outside) for one in _laundered(builder, channel, statements))]


def _laundered(builder: AttackBuilder, channel: str, statements: list[Event]) -> Iterator[Event]:
    """Yield statements in the form of the channel: an episode, unless the kind has a subject name or is verbatim."""
    is_summary = builder.chance.random() < 1 / 2
    for one in statements:
        if one.kind in {*NAMED, "erase", "task"} or (channel == "tool" and not is_summary):
            yield one
        else:
            yield replace(one, kind="episode", name="", type="summary" if channel == "tool" else "note")
