"""The positive control: where no undefended system falls for an attack, nobody has withstood it."""

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
"""The end of the error of a result that no attack has reached."""


@dataclass(frozen=True)
class AttackedRound(Round):
    """All systems on one sample under attacks that apply to it.

    A probe at which they do not land is an error for every system, not a pass.
    """

    attacks: tuple[str, ...] = ()

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Play the control, then the attacked sample to each system from the `first` on."""
        lands = landed_probes(super()._scenario(), self._scenario())
        for cell in super().play(first):
            yield [one if one.key.probe in lands else no_landing_result(one) for one in cell]

    def _scenario(self) -> Scenario:
        attacked = Overlay(self.template, self.attacks)(super()._scenario())
        assert attacked is not None, "ask `applying` first"  # noqa: S101 - a comparison does
        return attacked


def landed_probes(clean: Scenario, attacked: Scenario) -> frozenset[str]:
    """Give the probes at which some undefended system falls for an attack, at the same k and budget.

    It serves what the attack made it serve, or has lost what it served without the attack.
    """
    aimed = attack_targets(clean, attacked)
    losing = any(aim.lose for aim in aimed.values())
    found: set[str] = set()
    for name in UNDEFENDED:
        if found == aimed.keys():
            break  # the last of them takes the longest
        had = _served(clean, name) if losing else {}
        has = _served(attacked, name)
        found |= {
            probe
            for probe, aim in aimed.items()
            if probe in has and (aim.serve & has[probe] or aim.lose & had.get(probe, frozenset()) - has[probe])
        }
    return frozenset(found)


def _served(scenario: Scenario, system: str) -> dict[str, frozenset[str]]:
    """Give the claims that a system serves at each probe, errors left out."""
    (cell,) = play(scenario, [entry(system)])
    return {one.key.probe: judged_result(one).served for one in cell if not one.error}


def no_landing_result(result: Result) -> Result:
    """Turn the result of a probe at which the attack does not land into an error."""
    return replace(result, items=(), tokens=0, error=f"{result.key.overlay} {NO_LANDING}")
