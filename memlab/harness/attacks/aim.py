"""Where an attack aims: the probes at which something it tells is forbidden, or something it erases is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memlab.harness.attacks.scene import wants
from memlab.terms import Event, Probe, Scenario


@dataclass(frozen=True)
class Aim:
    """What an attack is after at one probe: forbidden claims to be served, wanted claims to be lost."""

    serve: frozenset[str]
    lose: frozenset[str]


Aims = Mapping[str, Aim]
"""What an attack is after, by the probe."""


def added(clean: Scenario, attacked: Scenario) -> frozenset[str]:
    """Give the ids of the events that an attack has told."""
    return frozenset(_ids(attacked) - _ids(clean))


def aims(clean: Scenario, attacked: Scenario) -> Aims:
    """Give the probes at which an attacked scenario is aimed, and what it is after there."""
    new = added(clean, attacked)
    stating = {event: claim.id for claim in attacked.claims.values() for event in claim.events}
    owner = {event: claim.id for claim in clean.claims.values() for event in claim.events}
    told, taken = set[str](), set[str]()
    found: dict[str, Aim] = {}
    for step in attacked.timeline:
        if isinstance(step, Event) and step.id in new:
            told |= {stating[step.id]} if step.id in stating else set()
            taken |= {owner[one] for one in step.erases if one in owner}
        elif isinstance(step, Probe):
            aim = Aim(frozenset(told & step.forbid.keys()), frozenset(taken.intersection(wants(step))))
            if aim.serve or aim.lose:
                found[step.id] = aim
    return found


def only_aimed(clean: Scenario, attacked: Scenario) -> Scenario:
    """Leave out the probes at which the attack does not aim."""
    aimed = aims(clean, attacked)
    timeline = tuple(step for step in attacked.timeline if not isinstance(step, Probe) or step.id in aimed)
    return replace(attacked, timeline=timeline)


def _ids(scenario: Scenario) -> set[str]:
    return {step.id for step in scenario.timeline if isinstance(step, Event)}
