"""The positive control: where no undefended system falls for an attack, nobody has withstood it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memlab.harness.attacks import Overlay
from memlab.harness.attacks.aim import aims
from memlab.harness.check.proofs import UNDEFENDED
from memlab.harness.keys import keys
from memlab.harness.reading import reading
from memlab.harness.rounds import Cell, Round
from memlab.harness.runner import play, unplayed
from memlab.systems.registry import entry
from memlab.terms import Key, Result, Scenario

CANNOT_LAND = "cannot land here: no undefended system falls for it, so this shows nothing"
"""The end of the error of a result that no attack has reached."""


@dataclass(frozen=True)
class AttackedRound(Round):
    """All systems on one attacked sample; nothing is played, and every cell is empty, where the attack does not apply.

    A probe at which the attack does not land is an error for every system, not a pass.
    """

    attacks: tuple[str, ...] = ()

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Play the control, then the attacked sample to each system from the `first` on."""
        clean, attacked = self._both()
        if attacked is None:
            yield from ([] for _ in self.systems[first:])
            return
        lands = landing(clean, attacked)
        for cell in play(attacked, [entry(name, self.limit) for name in self.systems[first:]]):
            yield [one if one.key.probe in lands else undecided(one) for one in cell]

    def keys(self) -> list[Key]:
        """Give the key of every probe at which the attack aims."""
        _, attacked = self._both()
        return list(keys(attacked).values()) if attacked else []

    def lost(self, number: int, why: str) -> Cell:
        """Give the cell of one system as an error."""
        _, attacked = self._both()
        return unplayed(attacked, self.systems[number], why) if attacked else []

    def _both(self) -> tuple[Scenario, Scenario | None]:
        clean = self.template.sample(self.seed)
        return clean, Overlay(self.template, self.attacks)(clean)


def landing(clean: Scenario, attacked: Scenario) -> frozenset[str]:
    """Give the probes at which some undefended system falls for an attack, at the same k and budget.

    It serves what the attack made it serve, or has lost what it served without the attack.
    """
    aimed = aims(clean, attacked)
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
    return {one.key.probe: reading(one).served for one in cell if not one.error}


def undecided(result: Result) -> Result:
    """Turn the result of a probe at which the attack does not land into an error."""
    return replace(result, items=(), tokens=0, error=f"{result.key.overlay} {CANNOT_LAND}")
