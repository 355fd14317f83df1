"""Computes every probe's answer key at its place in the timeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memlab.harness.scenarios.budgets import recall_budget
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Event, Key, Probe, Scenario


@dataclass
class Pins:
    """The current rules, goal and to-dos; only permitted sources change them."""

    rules: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    todo: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def observe(self, event: Event, sources: frozenset[str]) -> None:
        """Apply one event; `sources` are all sources along its lineage."""
        if event.kind == "rule" and sources == {"user"}:
            self.rules.pop(event.name, None)
            if event.text:
                self.rules[event.name] = event.text
        elif event.kind in {"task", "done", "end"} and not sources & UNTRUSTED_SOURCES:
            self._update_task(event)

    def _update_task(self, event: Event) -> None:
        if event.kind == "done":
            if event.text in self.todo:
                self.todo.remove(event.text)
                self.done.append(event.text)
        else:
            self.done = [item for item in (*self.done, *self.todo) if item not in event.todo]
            self.goal, self.todo = (event.text, list(event.todo)) if event.kind == "task" else ("", [])


class AnswerKeyBuilder:
    """Follows the events of a scenario and builds the answer key of each probe."""

    def __init__(self, scenario: Scenario) -> None:
        self.pins = Pins()
        self.texts: dict[str, tuple[str, ...]] = {}
        self._scenario = scenario
        self._events: dict[str, Event] = {}
        self._claims_by_event: dict[str, list[str]] = {}
        for claim in scenario.claims.values():
            for event_id in claim.events:
                self._claims_by_event.setdefault(event_id, []).append(claim.id)

    def observe(self, event: Event) -> None:
        """Apply one event: update the pins and the texts of the claims that it states."""
        self._events[event.id] = event
        self.pins.observe(event, lineage_sources(event, self._events))
        for claim_id in self._claims_by_event.get(event.id, ()):
            known = self.texts.get(claim_id, ())
            self.texts[claim_id] = known + tuple(text for text in event_texts(event) if text not in known)

    def key(self, probe: Probe) -> Key:
        """Return the key of a probe at this place in the timeline."""
        key = Key(
            scenario=self._scenario.id,
            family=self._scenario.family,
            seed=self._scenario.seed,
            overlay=self._scenario.overlay,
            probe=probe.id,
            verb=probe.verb,
            query=probe.query,
            k=probe.k,
            budget=probe.budget,
            expect=probe.expect,
            forbid={claim: forbidden.why for claim, forbidden in probe.forbid.items()},
            keep=tuple(name for name in probe.keep if name in self._scenario.claims),
            claims={claim: self._scenario.claims[claim].needles for claim in self.texts},
            texts=dict(self.texts),
            rules=tuple(self.pins.rules.values()),
            goal=self.pins.goal,
            todo=tuple(self.pins.todo),
            done=tuple(self.pins.done),
            file=self._scenario.file,
            labels=self._scenario.labels,
            tell=self._scenario.tell,
            noise=self._scenario.noise,
        )
        return key if key.budget else replace(key, budget=recall_budget(key))


def answer_keys(scenario: Scenario) -> Mapping[str, Key]:
    """Return the answer key of every probe, by the probe's id."""
    builder = AnswerKeyBuilder(scenario)
    keys: dict[str, Key] = {}
    for step in scenario.timeline:
        if isinstance(step, Event):
            builder.observe(step)
        elif isinstance(step, Probe):
            keys[step.id] = builder.key(step)
    return keys


def lineage_sources(event: Event, events: Mapping[str, Event]) -> frozenset[str]:
    """Return every source along an event's lineage, its own included; `events` are the earlier events by id."""
    seen: set[str] = set()
    queue = [event]
    while queue:
        current = queue.pop()
        if current.id not in seen:
            seen.add(current.id)
            queue += [events[parent] for parent in current.derived_from if parent in events]
    return frozenset(events[name].source if name in events else event.source for name in seen)


def event_texts(event: Event) -> tuple[str, ...]:
    """Return the non-empty texts of an event, the main text first."""
    return tuple(text for text in (event.text, event.quote, event.description, event.name, *event.todo) if text)
