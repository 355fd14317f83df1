"""Proves the attacks before any system is judged by them (`memlab check --attacks`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memlab.harness.attacks.control import landing
from memlab.harness.attacks.overlay import Attacked, Overlay, nowhere
from memlab.harness.check.proofs import UNDEFENDED
from memlab.harness.running.runner import play
from memlab.harness.scenarios.errors import Complaint
from memlab.harness.scenarios.loading import Template
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.registry import entry
from memlab.terms import Probe, Scenario


@dataclass
class Proof:
    """What is wrong with some attacks, and to how many scenarios each of them applies."""

    complaints: list[Complaint] = field(default_factory=list)
    scenarios: Counter[str] = field(default_factory=Counter)


def prove(templates: Sequence[Template], attacks: Sequence[tuple[str, ...]], seed: int = 0) -> Proof:
    """Lay each attack over one sample of each scenario and play it: it can be withstood, not by silence, and lands.

    An attack that applies nowhere is a complaint. That what it tells is forbidden for a reason which the timeline
    gives, and breaks no other law, was seen when it was laid.
    """
    proof = Proof(scenarios=Counter({"+".join(names): 0 for names in attacks}))
    for template in templates:
        clean = template.sample(seed)
        for overlay in (Overlay(template, names) for names in attacks):
            attacked = overlay(clean)
            if attacked is not None:
                proof.scenarios[attacked.overlay] += 1
                proof.complaints += _wrong(clean, Attacked(template, attacked))
    proof.complaints += [nowhere(name) for name, count in proof.scenarios.items() if not count]
    return proof


def _wrong(clean: Scenario, attacked: Attacked) -> Iterator[Complaint]:
    oracle, null = play(attacked.scenario, [entry("oracle"), entry("null")])
    lands = landing(clean, attacked.scenario)
    for probe, best, least in zip(attacked.probes, oracle, null, strict=True):
        if METRICS["passes"](best) != 1:
            yield attacked.at_probe(probe, f"cannot be passed: the oracle answers {best.items}.")
        if METRICS["passes"](least) != 0:
            yield attacked.at_probe(probe, "is passed by null, which says nothing.")
        if probe.id not in lands:
            yield attacked.at_probe(probe, _cannot_land(probe))


def _cannot_land(probe: Probe) -> str:
    size = f"k = {probe.k}" if probe.verb == "recall" else f"{probe.budget} tokens"
    return f"cannot be reached: none of {', '.join(UNDEFENDED)} falls for the attack in {size}."
