"""Attacks as overlays: each turns a clean scenario into an attacked one, and what must not be served is derivable.

Attacks are aimed at probes that no attack of the scenario's own is aimed at, in every family but `limits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memlab.harness.attacks.builder import AttackBuilder
from memlab.harness.attacks.catalogue import ATTACKS, in_catalogue_order, select_attacks
from memlab.harness.attacks.targets import only_targeted
from memlab.harness.check.case import Case
from memlab.harness.check.static import static_errors
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import Template
from memlab.terms import Event, Probe, Scenario

TRIES = 12
"""Candidates of one attack on one scenario that are looked at, before it is said not to apply."""


@dataclass(frozen=True)
class Overlay:
    """Some attacks on one template, laid one over the other; the same sample gives the same attacked scenario."""

    template: Template
    attacks: tuple[str, ...]

    def __call__(self, scenario: Scenario) -> Scenario | None:
        """Attack one sample, and ask only where the attacks aim; None where one of them does not apply."""
        attacked: Scenario | None = scenario
        for name in in_catalogue_order(self.attacks):
            attacked = apply_attack(name, self.template, attacked) if attacked else None
        return only_targeted(scenario, attacked) if attacked and self.attacks else attacked


def apply_attack(attack: str, template: Template, scenario: Scenario) -> Scenario | None:
    """Lay one attack over a scenario: the first candidate that breaks no law of the benchmark, else None."""
    kind, channel = ATTACKS[attack]
    for attacked in islice(kind.lay(AttackBuilder(scenario, attack), template, channel), TRIES):
        if next(static_errors(AttackedCase(template, attacked)), None) is None:
            return attacked
    return None


class AttackedCase(Case):
    """A case whose timeline is not that of its file: what is wrong with it has no line there."""

    def probe_error(self, probe: Probe, text: str, *_: str) -> ScenarioError:
        """Complain about a probe."""
        return self._at(f"probe {probe.id!r} {text}")

    def event_error(self, event: Event, text: str, *_: str) -> ScenarioError:
        """Complain about an event."""
        return self._at(f"the {event.kind} {event.text[:60]!r} {text}")

    def claim_error(self, claim: str, text: str) -> ScenarioError:
        """Complain about a claim."""
        return self._at(f"claim {claim!r} {text}")

    def _at(self, text: str) -> ScenarioError:
        where = f"under {self.scenario.overlay} (seed {self.scenario.seed})"
        return ScenarioError(self.template.path, 0, f"{where}, {text}")


def applicable_attacks(template: Template, seed: int, attacks: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Keep the attacks that apply to a sample."""
    clean = template.sample(seed) if attacks else None
    return [names for names in attacks if clean and Overlay(template, names)(clean) is not None]


def attacked_samples(templates: Sequence[Template], seed: int, wanted: str) -> list[tuple[Scenario, Scenario]]:
    """Give each clean sample with itself under each attack that is wanted, or twice where none is.

    Raises BadScenario where none of the attacks applies to any of them.
    """
    pairs = [(Overlay(one, names), one.sample(seed)) for one in templates for names in select_attacks(wanted) or [()]]
    found = [(clean, attacked) for lay_over, clean in pairs if (attacked := lay_over(clean)) is not None]
    if not found:
        raise BadScenario([not_applicable(wanted)])
    return found


def not_applicable(attack: str) -> ScenarioError:
    """Complain of an attack that applies to none of some scenarios."""
    text = f"{attack} applies to none of these scenarios. Choose others, or another attack."
    return ScenarioError(Path("--attacks"), 0, text)
