"""The targets of an attack: probes that forbid a claim of the attack, or want a claim that it erases."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memlab.harness.attacks.builder import wanted_claims
from memlab.terms import Event, Probe, Scenario


@dataclass(frozen=True)
class Target:
    """The goal of an attack at one probe: forbidden claims to be served, wanted claims to be lost."""

    serve: frozenset[str]
    lose: frozenset[str]


def injected_events(clean: Scenario, attacked: Scenario) -> frozenset[str]:
    """Return the ids of the events that an attack has added."""
    return frozenset(_ids(attacked) - _ids(clean))


def attack_targets(clean: Scenario, attacked: Scenario) -> dict[str, Target]:
    """Return the probes that an attack targets, with its goal at each."""
    new = injected_events(clean, attacked)
    stating = {event: claim.id for claim in attacked.claims.values() for event in claim.events}
    owner = {event: claim.id for claim in clean.claims.values() for event in claim.events}
    stated, erased = set[str](), set[str]()
    found: dict[str, Target] = {}
    for step in attacked.timeline:
        if isinstance(step, Event) and step.id in new:
            stated |= {stating[step.id]} if step.id in stating else set()
            erased |= {owner[one] for one in step.erases if one in owner}
        elif isinstance(step, Probe):
            target = Target(frozenset(stated & step.forbid.keys()), frozenset(erased.intersection(wanted_claims(step))))
            if target.serve or target.lose:
                found[step.id] = target
    return found


def only_targeted(clean: Scenario, attacked: Scenario) -> Scenario:
    """Return the attacked scenario without the probes that the attack does not target."""
    targets = attack_targets(clean, attacked)
    timeline = tuple(step for step in attacked.timeline if not isinstance(step, Probe) or step.id in targets)
    return replace(attacked, timeline=timeline)


def _ids(scenario: Scenario) -> set[str]:
    return {step.id for step in scenario.timeline if isinstance(step, Event)}
