"""What had happened when a probe is asked: the events that were lived, and the world as it stood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from memlab.harness.scenarios.answer_keys import lineage_sources
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED, lowest_rank, rank
from memlab.memory.world import Change, ScriptedWorld
from memlab.terms import Event, Probe, Restart, Scenario, Step

NAMED = frozenset({"fact", "rule", "skill"})
"""The kinds whose name says what they are about; a tool's name only says which tool it was."""


@dataclass(frozen=True)
class Past:
    """The part of a scenario's timeline that lies before one of its probes."""

    scenario: Scenario
    probe: Probe

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Give every step before the probe."""
        return self.scenario.timeline[: self.scenario.timeline.index(self.probe)]

    @cached_property
    def events(self) -> dict[str, Event]:
        """Give every event before the probe by its id, in order."""
        return {step.id: step for step in self.steps if isinstance(step, Event)}

    @cached_property
    def worlds(self) -> list[ScriptedWorld]:
        """Give the world as it stood at the start and after each change."""
        changes = [self.scenario.world, *(step for step in self.steps if isinstance(step, Change))]
        worlds = []
        for count in range(1, len(changes) + 1):
            world = ScriptedWorld()
            for change in changes[:count]:
                world.change(change)
            worlds.append(world)
        return worlds

    def events_stating(self, claim: str) -> list[Event]:
        """List the events so far that state a claim."""
        return [self.events[one] for one in self.scenario.claims[claim].events if one in self.events]

    def states(self, event: Event, claim: str) -> bool:
        """Tell if an event states a claim."""
        return event.id in self.scenario.claims[claim].events

    def rank(self, event: Event) -> int:
        """Rank an event as the least along its lineage."""
        return lowest_rank(map(rank, lineage_sources(event, self.events)))

    def steps_after(self, event: Event) -> Iterator[Event | Restart]:
        """Go through the events and restarts between an event and the probe."""
        for step in self.steps[self.steps.index(event) + 1 :]:
            if isinstance(step, Event | Restart):
                yield step

    def ends_a_task(self, step: Event | Restart) -> bool:
        """Tell if the task at hand is over with a step: nobody untrusted stands behind it."""
        if isinstance(step, Restart):
            return step.how == "session"
        return step.kind in {"task", "end"} and not lineage_sources(step, self.events) & UNTRUSTED

    def lineage(self, event: Event) -> list[Event]:
        """List an event and everything that it derives from, nearest first."""
        found = [event]
        for one in found:
            found += [self.events[parent] for parent in one.derived_from if self.events[parent] not in found]
        return found

    def superseding_events(self, event: Event, claim: str) -> Iterator[Event]:
        """Go through what supersedes an event: another claim on its subject, later and not lower in rank, or higher."""
        later = {step.id for step in self.steps_after(event) if isinstance(step, Event)}
        for one in self.events.values():
            if one.kind != "erase" and same_subject(event, one) and not self.states(one, claim):
                needed = self.rank(event) if one.id in later else self.rank(event) + 1
                if self.rank(one) >= needed and not self.is_erased(one):
                    yield one

    def outranking_events(self, event: Event, claim: str) -> Iterator[Event]:
        """Go through what states a claim on the subject of an event, and ranks above it."""
        for one in self.events_stating(claim):
            if same_subject(one, event) and self.rank(one) > self.rank(event) and not self.is_erased(one):
                yield one

    def erasures(self, event: Event) -> Iterator[Event]:
        """Go through what erases an event, or what it derives from, by one who may: the user, or its own source."""
        lineage = self.lineage(event)
        for erasure in (step for step in self.events.values() if step.kind == "erase"):
            sources = lineage_sources(erasure, self.events)
            if any(one.id in erasure.erases and sources in ({"user"}, {one.source}) for one in lineage):
                yield erasure

    def is_erased(self, event: Event) -> bool:
        """Tell if an event is erased."""
        return any(self.erasures(event))


def same_subject(one: Event, other: Event) -> bool:
    """Tell if two events are about the same thing: facts, rules or skills of one name, or the same `about`."""
    named = one.kind == other.kind and one.kind in NAMED
    return (named and _same(one.name, other.name)) or _same(one.about, other.about)


def _same(one: str, other: str) -> bool:
    return bool(fold(one)) and fold(one) == fold(other)
