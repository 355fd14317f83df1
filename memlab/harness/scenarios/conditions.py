"""The conditions of a run: subject labels, noise, and whether facts arrive as turns of a conversation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memlab.harness.scenarios.noise.background import with_background
from memlab.harness.scenarios.noise.echoes import with_echoes
from memlab.harness.scenarios.noise.own_times import with_own_times
from memlab.terms import Event, Labels, Scenario, Telling

OVERLAY = "subjects"
"""The overlay of a sample that is played with all labels beside a run without them."""
BEFORE = ("Let me think what else there is.", "Sorry, I lost my thread for a moment.", "That reminds me of something.")
AFTER = ("Anyway, back to what we were doing.", "Right, that is off my mind now.", "Thanks, you can go on.")


@dataclass(frozen=True)
class Conditions:
    """Which events keep `about`, whether facts are turns of their source, and whether there is noise.

    Noise is background statements from other scenarios, and an agent that repeats some statements.
    """

    labels: Labels = "none"
    tell: Telling = "events"
    noise: bool = True

    def __call__(self, scenario: Scenario) -> Scenario:
        """Return the scenario as systems see it under these conditions; answer keys do not depend on labels."""
        if self.noise:
            own = frozenset(step.id for step in scenario.timeline if isinstance(step, Event))
            scenario = with_own_times(with_echoes(with_background(scenario)), own)
        steps = [self._shown(step) if isinstance(step, Event) else step for step in scenario.timeline]
        return replace(scenario, timeline=tuple(steps), labels=self.labels, tell=self.tell, noise=self.noise)

    def _shown(self, event: Event) -> Event:
        if self.tell == "transcript" and event.kind == "fact":
            event = as_turn(event)
        return event if not event.about or self._has_label(event) else replace(event, about="")

    def _has_label(self, event: Event) -> bool:
        return self.labels == "subjects" or (self.labels == "names" and event.kind == "fact")


WITHOUT_LABELS, WITH_LABELS = Conditions("none"), Conditions("subjects")
"""The conditions of the headline, and those of the column beside it."""
AS_WRITTEN = Conditions("subjects", noise=False)
"""The conditions of a scenario as its file has it."""


def as_turn(fact: Event) -> Event:
    """Return a fact as a turn of its source: what was said between two lines of chatter, without name and labels."""
    number = int(fact.id, 16)
    lines = (BEFORE[number % len(BEFORE)], fact.quote or fact.text, AFTER[number // len(BEFORE) % len(AFTER)])
    said = Event(fact.id, "turn", fact.time, fact.session, fact.source, "\n".join(lines))
    return replace(said, derived_from=fact.derived_from)


def has_labels(scenario: Scenario) -> bool:
    """Return whether any event of a scenario has a subject label."""
    return any(isinstance(step, Event) and step.about for step in scenario.timeline)
