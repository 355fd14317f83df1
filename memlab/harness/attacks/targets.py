"""Where an attack aims: the probes at which something it tells is forbidden, or something it erases is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memlab.harness.attacks.builder import wanted_claims
from memlab.terms import Event, Probe, Scenario


@dataclass(frozen=True)
class Target:
    """What an attack is after at one probe: forbidden claims to be served, wanted claims to be lost."""

    serve: frozenset[str]
    lose: frozenset[str]


Targets = Mapping[str, Target]
"""What an attack is after, by the probe."""


def injected_events(clean: Scenario, attacked: Scenario) -> frozenset[str]:
    """Give the ids of the events that an attack has told."""
    return frozenset(_ids(attacked) - _ids(clean))


def attack_targets(clean: Scenario, attacked: Scenario) -> Targets:
    """Give the probes at which an attacked scenario is aimed, and what it is after there."""
    new = injected_events(clean, attacked)
    stating = {event: claim.id for claim in attacked.claims.values() for event in claim.events}
    owner = {event: claim.id for claim in clean.claims.values() for event in claim.events}
    told, taken = set[str](), set[str]()
    found: dict[str, Target] = {}
    for step in attacked.timeline:
        if isinstance(step, Event) and step.id in new:
            told |= {stating[step.id]} if step.id in stating else set()
            taken |= {owner[one] for one in step.erases if one in owner}
        elif isinstance(step, Probe):
            aim = Target(frozenset(told & step.forbid.keys()), frozenset(taken.intersection(wanted_claims(step))))
            if aim.serve or aim.lose:
                found[step.id] = aim
    return found


def only_targeted(clean: Scenario, attacked: Scenario) -> Scenario:
    """Leave out the probes at which the attack does not aim."""
    aimed = attack_targets(clean, attacked)
    timeline = tuple(step for step in attacked.timeline if not isinstance(step, Probe) or step.id in aimed)
    return replace(attacked, timeline=timeline)


def _ids(scenario: Scenario) -> set[str]:
    return {step.id for step in scenario.timeline if isinstance(step, Event)}
