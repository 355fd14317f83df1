"""A comparison: its rounds, and the results file to which every finished cell is written."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from memlab.harness.attacks.control import AttackedRound
from memlab.harness.attacks.overlay import applicable_attacks
from memlab.harness.running.resume import run_options
from memlab.harness.running.saved_run import Engine, play_to_file
from memlab.harness.running.workers import Round
from memlab.harness.scenarios.budgets import at_budgets
from memlab.harness.scenarios.conditions import OVERLAY as LABELLED
from memlab.harness.scenarios.conditions import WITH_LABELS, WITHOUT_LABELS, Conditions, has_labels
from memlab.harness.scenarios.loading import Template
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import BEST, LIMIT
from memlab.systems.entry import COMPARED, Entry
from memlab.terms import Result, Scenario

SIZED_FAMILY = "oversize"
FEW_SEEDS = 1
"""At so many seeds run systems that are not in COMPARED, scenarios at many budgets, and scenarios with labels."""


@dataclass(frozen=True)
class SizedRound(Round):
    """All systems on one sample, with each context at many budgets."""

    def _sample(self) -> Scenario:
        return at_budgets(super()._sample())


@dataclass(frozen=True)
class LabelledRound(Round):
    """Systems on one sample with all subject labels, beside the run without them."""

    conditions: Conditions = WITH_LABELS

    def _sample(self) -> Scenario:
        return replace(super()._sample(), overlay=LABELLED)


@dataclass(frozen=True)
class Comparison:
    """A run of every system on every scenario, at seeds 0 to `seeds` - 1; systems not in COMPARED at FEW_SEEDS.

    `limit` is the timeout of one call of a system in a child process, in seconds, `confinement` the sandbox
    of such systems. `attacks` are applied to samples.
    """

    templates: Sequence[Template]
    systems: Sequence[Entry]
    seeds: int = 3
    jobs: int = 1
    limit: float = LIMIT
    attacks: Sequence[tuple[str, ...]] = ()
    conditions: Conditions = WITHOUT_LABELS
    confinement: Confinement = BEST

    @cached_property
    def rounds(self) -> list[Round]:
        """Return the rounds: the scenarios, those about size at many budgets, those with labels, then the attacks."""
        plain = [
            Round(one, seed, systems, self.limit, self.conditions, confinement=self.confinement)
            for one in self.templates
            for seed in range(self.seeds)
            if (systems := self._names(seed))
        ]
        attacked = [
            AttackedRound(one, seed, self._names(), self.limit, self.conditions, attacks, confinement=self.confinement)
            for one in self.templates
            for seed in range(self.seeds)
            for attacks in applicable_attacks(one, seed, self.attacks)
        ]
        return [*plain, *self._sized(), *self._labelled(), *attacked]

    def _sized(self) -> Iterator[Round]:
        systems = self._names(FEW_SEEDS)
        for one in self.templates if systems else ():
            if one.family == SIZED_FAMILY:
                for seed in range(min(self.seeds, FEW_SEEDS)):
                    yield SizedRound(one, seed, systems, self.limit, self.conditions, confinement=self.confinement)

    def _labelled(self) -> Iterator[Round]:
        """Yield the samples that have labels which this run withholds."""
        systems = self._names(FEW_SEEDS)
        for one in self.templates if systems and self.conditions == WITHOUT_LABELS else ():
            if has_labels(one.sample(0)):
                for seed in range(min(self.seeds, FEW_SEEDS)):
                    yield LabelledRound(one, seed, systems, self.limit, confinement=self.confinement)

    def _names(self, seed: int = 0) -> tuple[str, ...]:
        """Return the systems that run at a seed."""
        return tuple(one.name for one in self.systems if seed < FEW_SEEDS or one.group in COMPARED)

    def cells(self) -> int:
        """Return the number of cells: one system on one sample of one scenario."""
        return sum(len(one.systems) for one in self.rounds)

    def options(self) -> dict[str, list[str]]:
        """Return the options that decide the results, as the command line names them. Raises UnknownSystem."""
        return {
            **run_options([one.name for one in self.systems], self.limit, self.confinement),
            "--scenarios": [f"{one.file.id} ({one.digest})" for one in self.templates],
            "--seeds": [str(self.seeds)],
            "--attacks": ["+".join(one) for one in self.attacks],
            "--labels": [self.conditions.labels],
            "--tell": [self.conditions.tell],
        }

    def play(
        self, path: Path, engine: Engine | None = None, *, resume: bool = False
    ) -> Generator[list[Result], None, None]:
        """Run every round, and yield the results of each cell when they are in the file at `path`: see play_to_file.

        Without an engine, the rounds run in `jobs` processes.
        """
        return play_to_file(self.rounds, engine or self.jobs, path, self.options(), resume=resume)
