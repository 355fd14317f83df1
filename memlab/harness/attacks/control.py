"""The positive control: an attack counts only where it has an effect on some undefended system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memlab.harness.attacks.overlay import Overlay
from memlab.harness.attacks.targets import attack_targets
from memlab.harness.check.proofs import UNDEFENDED
from memlab.harness.running.runner import play
from memlab.harness.running.workers import Cell, Round
from memlab.harness.scoring.judged_result import judged_result
from memlab.systems.registry import entry
from memlab.terms import Result, Scenario

NO_LANDING = "cannot land here: no undefended system falls for it, so this shows nothing"
"""The end of the error text of a result at which the attack has no effect on undefended systems."""


@dataclass(frozen=True)
class AttackedRound(Round):
    """All systems on one sample under attacks that apply to it.

    A probe where the attacks have no effect on undefended systems is an error for every system, not a pass.
    """

    attacks: tuple[str, ...] = ()

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Run the control, then each system from number `first` on the attacked sample."""
        lands = landed_probes(self.conditions(super()._sample()), self._scenario())
        for cell in super().play(first):
            yield [one if one.key.probe in lands else no_landing_result(one) for one in cell]

    def _sample(self) -> Scenario:
        attacked = Overlay(self.template, self.attacks)(super()._sample())
        assert attacked is not None, "ask `applying` first"  # noqa: S101 - a comparison does
        return attacked


def landed_probes(clean: Scenario, attacked: Scenario) -> frozenset[str]:
    """Return the probes at which the attack succeeds against some undefended system, at the same k and budget.

    It succeeds if the system serves a claim of the attack, or no longer serves a wanted claim.
    """
    targets = attack_targets(clean, attacked)
    losing = any(target.lose for target in targets.values())
    found: set[str] = set()
    for name in UNDEFENDED:
        if found == targets.keys():
            break  # the last system is the slowest
        before = _served(clean, name) if losing else {}
        after = _served(attacked, name)
        found |= {
            probe
            for probe, target in targets.items()
            if probe in after
            and (target.serve & after[probe] or target.lose & before.get(probe, frozenset()) - after[probe])
        }
    return frozenset(found)


def _served(scenario: Scenario, system: str) -> dict[str, frozenset[str]]:
    """Return the claims that a system serves at each probe, without errors."""
    (cell,) = play(scenario, [entry(system)])
    return {one.key.probe: judged_result(one).served for one in cell if not one.error}


def no_landing_result(result: Result) -> Result:
    """Return the result as an error: the attack has no effect at its probe."""
    return replace(result, items=(), tokens=0, error=f"{result.key.overlay} {NO_LANDING}")
