"""One sample of one template, with the place of each event and probe in the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.errors import ScenarioError
from memlab.harness.scenarios.loading import Template
from memlab.harness.scenarios.schema import StepPart
from memlab.harness.scenarios.variables import Place
from memlab.terms import Event, Key, Probe, Scenario


@dataclass(frozen=True)
class Case:
    """A scenario and its template."""

    template: Template
    scenario: Scenario

    @cached_property
    def answer_keys(self) -> Mapping[str, Key]:
        """Return the answer key of every probe."""
        return answer_keys(self.scenario)

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """List the probes in order."""
        return tuple(step for step in self.scenario.timeline if isinstance(step, Probe))

    @cached_property
    def events(self) -> dict[str, Event]:
        """Return the events in order, by id."""
        return {step.id: step for step in self.scenario.timeline if isinstance(step, Event)}

    def probe_error(self, probe: Probe, text: str, *field: str) -> ScenarioError:
        """Return an error at a probe, or at a field of it."""
        return self.template.error_at(f"probe {probe.id!r} {text}", *self._places[probe.id], *field)

    def event_error(self, event: Event, text: str, *field: str) -> ScenarioError:
        """Return an error at an event, or at a field of it."""
        return self.template.error_at(f"the {event.kind} {event.text[:60]!r} {text}", *self._places[event.id], *field)

    def claim_error(self, claim: str, text: str) -> ScenarioError:
        """Return an error at a claim, where it is first stated; for a claim without a name, at its event."""
        first = self.scenario.claims[claim].events[0]
        if claim.startswith("~"):
            return self.event_error(self.events[first], text)
        return self.template.error_at(f"claim {claim!r} {text}", *self._places[first], "needles")

    @cached_property
    def _places(self) -> dict[str, Place]:
        """Return the place of each event and probe in the file, by a parallel walk through file and timeline."""
        places: dict[str, Place] = {}
        steps = iter(self.scenario.timeline)
        for number in range(len(self.template.file.rules)):
            places[next(steps).id] = ("rules", number)  # type: ignore[union-attr] # the rules come first
        for number, part in self._parts():
            (word,) = part.model_fields_set
            inner = part.repeat.event()[0] if part.repeat else ""
            for _ in range(part.repeat.times if part.repeat else word != "wait"):
                step = next(steps)
                if isinstance(step, Event | Probe):
                    places[step.id] = ("timeline", number, word, *filter(None, [inner]))
                    if word == "restart":  # before it, the timeline has the end of the open task
                        next(steps)
        return places

    def _parts(self) -> Iterable[tuple[int, StepPart]]:
        """Return the steps of the file in order, each with its place."""
        return enumerate(self.template.file.timeline)
