"""Attacks as overlays: each turns a clean scenario into an attacked one, by the same rules as a scenario file.

Attacks target probes that the scenario itself does not attack, in every family but `limits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memlab.harness.attacks.attack_kinds import ATTACKS, in_catalogue_order, select_attacks
from memlab.harness.attacks.builder import AttackBuilder
from memlab.harness.attacks.targets import only_targeted
from memlab.harness.check.case import Case
from memlab.harness.check.static import static_errors
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import Template
from memlab.terms import Event, Probe, Scenario

TRIES = 12
"""Candidates to try, before one attack is reported as not applicable to one scenario."""


@dataclass(frozen=True)
class Overlay:
    """Some attacks on one template, applied one after the other; the same sample gives the same attacked scenario."""

    template: Template
    attacks: tuple[str, ...]

    def __call__(self, scenario: Scenario) -> Scenario | None:
        """Return the attacked sample with only the targeted probes; None if an attack does not apply."""
        attacked: Scenario | None = scenario
        for name in in_catalogue_order(self.attacks):
            attacked = apply_attack(name, self.template, attacked) if attacked else None
        return only_targeted(scenario, attacked) if attacked and self.attacks else attacked


def apply_attack(attack: str, template: Template, scenario: Scenario) -> Scenario | None:
    """Return the first attacked candidate that breaks no rule of the benchmark, else None."""
    kind, channel = ATTACKS[attack]
    for attacked in islice(kind.apply(AttackBuilder(scenario, attack), template, channel), TRIES):
        if next(static_errors(AttackedCase(template, attacked)), None) is None:
            return attacked
    return None


class AttackedCase(Case):
    """A case whose timeline is not that of its file: its errors have no line number."""

    def probe_error(self, probe: Probe, text: str, *_: str) -> ScenarioError:
        """Return an error at a probe."""
        return self._error(f"probe {probe.id!r} {text}")

    def event_error(self, event: Event, text: str, *_: str) -> ScenarioError:
        """Return an error at an event."""
        return self._error(f"the {event.kind} {event.text[:60]!r} {text}")

    def claim_error(self, claim: str, text: str) -> ScenarioError:
        """Return an error at a claim."""
        return self._error(f"claim {claim!r} {text}")

    def _error(self, text: str) -> ScenarioError:
        where = f"under {self.scenario.overlay} (seed {self.scenario.seed})"
        return ScenarioError(self.template.path, 0, f"{where}, {text}")


def applicable_attacks(template: Template, seed: int, attacks: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the attacks that apply to a sample."""
    clean = template.sample(seed) if attacks else None
    return [names for names in attacks if clean and Overlay(template, names)(clean) is not None]


def attacked_samples(templates: Sequence[Template], seed: int, wanted: str) -> list[tuple[Scenario, Scenario]]:
    """Return pairs of a clean sample and the sample under each wanted attack (without attack, the sample twice).

    Raises BadScenario if no attack applies to any sample.
    """
    pairs = [(Overlay(one, names), one.sample(seed)) for one in templates for names in select_attacks(wanted) or [()]]
    found = [(clean, attacked) for overlay, clean in pairs if (attacked := overlay(clean)) is not None]
    if not found:
        raise BadScenario([not_applicable(wanted)])
    return found


def not_applicable(attack: str) -> ScenarioError:
    """Return the error of an attack that applies to no scenario."""
    text = f"{attack} applies to none of these scenarios. Choose others, or another attack."
    return ScenarioError(Path("--attacks"), 0, text)
