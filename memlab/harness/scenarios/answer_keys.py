"""What is right, at each moment of a scenario: every probe's answer key, resolved when it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memlab.memory.trust import UNTRUSTED
from memlab.terms import Event, Key, Probe, Scenario


@dataclass
class Pins:
    """The rules, the goal and the to-dos as they stand, by who may set them (design: four lifetimes)."""

    rules: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    todo: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def observe(self, event: Event, sources: frozenset[str]) -> None:
        """Follow one event; `sources` is who stands behind it, along its lineage."""
        if event.kind == "rule" and sources == {"user"}:
            self.rules.pop(event.name, None)
            if event.text:
                self.rules[event.name] = event.text
        elif event.kind in {"task", "done", "end"} and not sources & UNTRUSTED:
            self._work(event)

    def _work(self, event: Event) -> None:
        if event.kind == "done":
            if event.text in self.todo:
                self.todo.remove(event.text)
                self.done.append(event.text)
        else:
            self.done = [item for item in (*self.done, *self.todo) if item not in event.todo]
            self.goal, self.todo = (event.text, list(event.todo)) if event.kind == "task" else ("", [])


class AnswerKeyBuilder:
    """Lives through a scenario beside the systems, and knows at each moment what stands and what a probe's key is."""

    def __init__(self, scenario: Scenario) -> None:
        self.pins = Pins()
        self.texts: dict[str, tuple[str, ...]] = {}
        self._scenario = scenario
        self._told: dict[str, Event] = {}
        self._stating: dict[str, list[str]] = {}
        for claim in scenario.claims.values():
            for event_id in claim.events:
                self._stating.setdefault(event_id, []).append(claim.id)

    def observe(self, event: Event) -> None:
        """Follow one event: the pins that it sets, the claims that it states."""
        self._told[event.id] = event
        self.pins.observe(event, lineage_sources(event, self._told))
        for claim_id in self._stating.get(event.id, ()):
            said = self.texts.get(claim_id, ())
            self.texts[claim_id] = said + tuple(text for text in event_texts(event) if text not in said)

    def key(self, probe: Probe) -> Key:
        """Resolve the key of a probe that is asked now."""
        return Key(
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
        )


def answer_keys(scenario: Scenario) -> Mapping[str, Key]:
    """Resolve the key of every probe, by the probe's id."""
    builder = AnswerKeyBuilder(scenario)
    found: dict[str, Key] = {}
    for step in scenario.timeline:
        if isinstance(step, Event):
            builder.observe(step)
        elif isinstance(step, Probe):
            found[step.id] = builder.key(step)
    return found


def lineage_sources(event: Event, told: Mapping[str, Event]) -> frozenset[str]:
    """Give every source along an event's lineage, its own included."""
    seen: set[str] = set()
    ahead = [event]
    while ahead:
        one = ahead.pop()
        if one.id not in seen:
            seen.add(one.id)
            ahead += [told[parent] for parent in one.derived_from if parent in told]
    return frozenset(told[one].source if one in told else event.source for one in seen)


def event_texts(event: Event) -> tuple[str, ...]:
    """Give the texts in which an event says something, the fullest first."""
    return tuple(text for text in (event.text, event.description, event.name, *event.todo) if text)
