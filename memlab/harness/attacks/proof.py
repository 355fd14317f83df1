"""Checks the attacks before any system is evaluated on them (`memlab check --attacks`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memlab.harness.attacks.control import landed_probes
from memlab.harness.attacks.overlay import AttackedCase, Overlay, not_applicable
from memlab.harness.check.proofs import UNDEFENDED
from memlab.harness.running.runner import play
from memlab.harness.scenarios.errors import ScenarioError
from memlab.harness.scenarios.loading import Template
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.registry import entry
from memlab.terms import Probe, Scenario


@dataclass
class AttackProof:
    """The errors of some attacks, and the number of scenarios that each applies to."""

    errors: list[ScenarioError] = field(default_factory=list)
    scenarios: Counter[str] = field(default_factory=Counter)


def prove_attacks(templates: Sequence[Template], attacks: Sequence[tuple[str, ...]], seed: int = 0) -> AttackProof:
    """Run each attack on one sample of each scenario: the oracle passes, null fails, some undefended system fails.

    An attack that applies to no scenario is an error. `apply_attack` has already checked the static rules.
    """
    proof = AttackProof(scenarios=Counter({"+".join(names): 0 for names in attacks}))
    for template in templates:
        clean = template.sample(seed)
        for overlay in (Overlay(template, names) for names in attacks):
            attacked = overlay(clean)
            if attacked is not None:
                proof.scenarios[attacked.overlay] += 1
                proof.errors += _probe_errors(clean, AttackedCase(template, attacked))
    proof.errors += [not_applicable(name) for name, count in proof.scenarios.items() if not count]
    return proof


def _probe_errors(clean: Scenario, attacked: AttackedCase) -> Iterator[ScenarioError]:
    oracle, null = play(attacked.scenario, [entry("oracle"), entry("null")])
    lands = landed_probes(clean, attacked.scenario)
    for probe, best, least in zip(attacked.probes, oracle, null, strict=True):
        if METRICS["passes"](best) != 1:
            yield attacked.probe_error(probe, f"cannot be passed: the oracle fails with {best.items}.")
        if METRICS["passes"](least) != 0:
            yield attacked.probe_error(probe, "is passed by null, which always answers nothing.")
        if probe.id not in lands:
            yield attacked.probe_error(probe, _no_effect(probe))


def _no_effect(probe: Probe) -> str:
    size = f"k = {probe.k}" if probe.verb == "recall" else f"{probe.budget} tokens"
    return f"is not affected: the attack has no effect on any of {', '.join(UNDEFENDED)} with {size}."
