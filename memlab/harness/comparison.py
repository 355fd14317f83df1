"""A comparison: its rounds, and the results file to which every finished cell is written."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memlab.harness.attacks.control import AttackedRound
from memlab.harness.attacks.overlay import applicable_attacks
from memlab.harness.running.saved_run import play_to_file
from memlab.harness.running.workers import Round
from memlab.harness.scenarios.budgets import at_budgets
from memlab.harness.scenarios.loading import Template
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import BEST, LIMIT
from memlab.systems.entry import Entry
from memlab.terms import Result, Scenario

SIZED_FAMILY = "oversize"
SIZED_SEEDS = 2
SIZED_GROUPS = frozenset({"reference", "bucket", "lab", "yours"})
"""The groups of systems that also run scenarios about size at many budgets."""


@dataclass(frozen=True)
class SizedRound(Round):
    """All systems on one sample, with each context at many budgets."""

    def _scenario(self) -> Scenario:
        return at_budgets(super()._scenario())


@dataclass(frozen=True)
class Comparison:
    """A run of every system on every scenario, at seeds 0 to `seeds` - 1.

    `limit` is the timeout of one call of a system in a child process, in seconds, `confinement` the sandbox
    of such systems. `attacks` are applied to samples.
    """

    templates: Sequence[Template]
    systems: Sequence[Entry]
    seeds: int = 5
    jobs: int = 1
    limit: float = LIMIT
    attacks: Sequence[tuple[str, ...]] = ()
    confinement: Confinement = BEST

    @cached_property
    def rounds(self) -> list[Round]:
        """Return the rounds: the scenarios, those about size at many budgets, then the attacks."""
        names = tuple(one.name for one in self.systems)
        compared = tuple(one.name for one in self.systems if one.group in SIZED_GROUPS)
        kept_in = self.confinement
        plain = [
            Round(one, seed, names, self.limit, confinement=kept_in)
            for one in self.templates
            for seed in range(self.seeds)
        ]
        sized = [
            SizedRound(one, seed, compared, self.limit, confinement=kept_in)
            for one in self.templates
            if one.family == SIZED_FAMILY and compared
            for seed in range(min(self.seeds, SIZED_SEEDS))
        ]
        attacked = [
            AttackedRound(one, seed, names, self.limit, attacks, confinement=kept_in)
            for one in self.templates
            for seed in range(self.seeds)
            for attacks in applicable_attacks(one, seed, self.attacks)
        ]
        return plain + sized + attacked

    def cells(self) -> int:
        """Return the number of cells: one system on one sample of one scenario."""
        return sum(len(one.systems) for one in self.rounds)

    def play(self, path: Path) -> Generator[list[Result], None, None]:
        """Run every round, and yield the results of each cell when they are in the file at `path`: see play_to_file."""
        return play_to_file(self.rounds, self.jobs, path)
