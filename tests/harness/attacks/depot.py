"""The depot: a small clean scenario to which every attack applies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memlab.harness.attacks.attack_kinds import ATTACKS, select_attacks
from memlab.harness.attacks.overlay import Overlay
from memlab.harness.attacks.targets import injected_events as ids_added
from memlab.harness.scenarios.loading import Template, load
from memlab.terms import Event, Scenario

STORY = "story: One paragraph that a learner reads before predicting what each memory will do.\n"
DEPOT = (
    """\
id: recall/depot
title: The key of the depot
"""
    + STORY
    + """\
vary:
  place: [the blue jar, the tin box, the left boot, the coal bin, the bread bin, the umbrella stand]
  hour: [seven, eight, nine, eleven, twelve]
  gone: [Anna, Bert, Cleo, Dora]
timeline:
  - fact: {id: key, name: depot-key, description: where the depot is unlocked from, needles: ["{place}"],
           body: "The key of the depot lies in {place}."}
  - turn: {id: hour, needles: ["{hour}"], text: "The depot opens at {hour}, says the manager."}
  - turn: {id: boss, source: user, needles: ["{gone}"], text: "The depot was once run by {gone}."}
  - erase: {events: [boss], reason: never mind}
  - repeat: {times: 60, tool: {name: gate, text: "gate round {i} is fine"}}
  - probe: {id: unlock, recall: from where is the depot unlocked, k: 2, expect: [key]}
  - probe: {id: opens, recall: when does the depot open, k: 2, expect: [hour], forbid: {boss: {why: erased}}}
  - task: {goal: open the depot, todo: [find the key, unlock]}
  - probe: {id: task, assemble: open the depot with the key, budget: 100, keep: [goal, todo, key]}
"""
)
FIRST = "  - probe: {id: unlock, recall: from where is the depot unlocked, k: 2, expect: [key]}\n"
SECOND = (
    "  - probe: {id: opens, recall: when does the depot open, k: 2, expect: [hour], forbid: {boss: {why: erased}}}\n"
)
ALL = [(name,) for name in ATTACKS]
SEEDS = range(3)


def attacked(template: Template, seed: int = 0, wanted: str = "all") -> Iterator[tuple[str, Scenario, Scenario]]:
    for names in select_attacks(wanted):
        clean = template.sample(seed)
        laid = Overlay(template, names)(clean)
        assert laid is not None, names
        yield names[0], clean, laid


def added(clean: Scenario, laid: Scenario) -> list[Event]:
    new = ids_added(clean, laid)
    return [step for step in laid.timeline if isinstance(step, Event) and step.id in new]


def otherwise(folder: Path, *pairs: tuple[str, str]) -> Template:
    """Load the depot with some of its words replaced."""
    path = folder / "other" / "recall" / "depot.yaml"
    path.parent.mkdir(parents=True)
    text = DEPOT
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return load(path)
