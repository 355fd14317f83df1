"""The state before a probe: the earlier events, and the versions of the world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from memlab.harness.scenarios.answer_keys import lineage_sources
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES, lowest_rank, rank
from memlab.memory.world import Change, ScriptedWorld
from memlab.terms import Event, Probe, Restart, Scenario, Step

NAMED = frozenset({"fact", "rule", "skill"})
"""The kinds whose name is their subject; a tool's name is only that of the tool."""


@dataclass(frozen=True)
class Past:
    """The part of a scenario's timeline before one of its probes."""

    scenario: Scenario
    probe: Probe

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Return every step before the probe."""
        return self.scenario.timeline[: self.scenario.timeline.index(self.probe)]

    @cached_property
    def events(self) -> dict[str, Event]:
        """Return every event before the probe by its id, in order."""
        return {step.id: step for step in self.steps if isinstance(step, Event)}

    @cached_property
    def worlds(self) -> list[ScriptedWorld]:
        """Return the world at the start and after each change."""
        changes = [self.scenario.world, *(step for step in self.steps if isinstance(step, Change))]
        worlds = []
        for count in range(1, len(changes) + 1):
            world = ScriptedWorld()
            for change in changes[:count]:
                world.change(change)
            worlds.append(world)
        return worlds

    def events_stating(self, claim: str) -> list[Event]:
        """Return the events before the probe that state a claim."""
        return [self.events[one] for one in self.scenario.claims[claim].events if one in self.events]

    def sources_stating(self, claim: str) -> set[str]:
        """Return the sources of the events before the probe that state a claim."""
        return {event.source for event in self.events_stating(claim)}

    def rank(self, event: Event) -> int:
        """Return the lowest rank along an event's lineage."""
        return lowest_rank(map(rank, lineage_sources(event, self.events)))

    def steps_after(self, event: Event) -> Iterator[Event | Restart]:
        """Yield the events and restarts between an event and the probe."""
        for step in self.steps[self.steps.index(event) + 1 :]:
            if isinstance(step, Event | Restart):
                yield step

    def ends_a_task(self, step: Event | Restart) -> bool:
        """Return whether a step ends the current task; a step with an untrusted source in its lineage does not."""
        if isinstance(step, Restart):
            return step.how == "session"
        return step.kind in {"task", "end"} and not lineage_sources(step, self.events) & UNTRUSTED_SOURCES

    def lineage(self, event: Event) -> list[Event]:
        """Return an event and everything that it derives from, nearest first."""
        found = [event]
        for one in found:
            found += [self.events[parent] for parent in one.derived_from if self.events[parent] not in found]
        return found

    def superseding_events(self, event: Event, claim: str) -> Iterator[Event]:
        """Yield what supersedes an event: other claims on its subject, ranked higher, or later and not lower."""
        later = {step.id for step in self.steps_after(event) if isinstance(step, Event)}
        stating = self.scenario.claims[claim].events
        for one in self.events.values():
            if one.kind != "erase" and same_subject(event, one) and one.id not in stating:
                minimum = self.rank(event) if one.id in later else self.rank(event) + 1
                if self.rank(one) >= minimum and not self.is_erased(one):
                    yield one

    def outranking_events(self, event: Event, claim: str) -> Iterator[Event]:
        """Yield the events that state a claim on the subject of an event and rank above it."""
        for one in self.events_stating(claim):
            if same_subject(one, event) and self.rank(one) > self.rank(event) and not self.is_erased(one):
                yield one

    def erasures(self, event: Event) -> Iterator[Event]:
        """Yield valid erasures of an event or of what it derives from: by the user, or by its own source."""
        lineage = self.lineage(event)
        for erasure in (step for step in self.events.values() if step.kind == "erase"):
            sources = lineage_sources(erasure, self.events)
            if any(one.id in erasure.erases and sources in ({"user"}, {one.source}) for one in lineage):
                yield erasure

    def is_released(self, event: Event) -> bool:
        """Return whether the user accepted an event."""
        releases = (one for one in self.events.values() if one.type == "release" and one.source == "user")
        return any(event.id in one.derived_from for one in releases)

    def is_erased(self, event: Event) -> bool:
        """Return whether an event is erased."""
        return any(self.erasures(event))


def same_subject(one: Event, other: Event) -> bool:
    """Return whether two events have the same subject: facts, rules or skills of one name, or the same `about`."""
    named = one.kind == other.kind and one.kind in NAMED
    return (named and _equal_names(one.name, other.name)) or _equal_names(one.about, other.about)


def _equal_names(one: str, other: str) -> bool:
    return bool(fold(one)) and fold(one) == fold(other)
