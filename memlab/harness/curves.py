"""Budget x history: what a context of each size contains after a history of each length.

A scenario in `scenarios/curves` has ten episodes between its important events. Here its repeats are stretched to the
wanted number of episodes, and every probe becomes an `assemble` at each budget. Each length is a run of its own, so
that no answer depends on one after a shorter history. In one run the budgets come in ascending order: a system that
repeats its first answer, as `first-answer` does, gets the same answer at each.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from memlab.harness.running.runner import Cell, scenario_environment
from memlab.harness.running.workers import Cell as Results
from memlab.harness.running.workers import Round, run
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import AS_WRITTEN, Conditions
from memlab.harness.scenarios.loading import CURVES, Template, library
from memlab.harness.scenarios.schema import ScenarioFile, StepPart
from memlab.harness.scenarios.timeline import build_timeline
from memlab.harness.scenarios.validation import validate
from memlab.harness.scenarios.yaml_lines import read_yaml
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import BEST
from memlab.systems.entry import Entry
from memlab.systems.registry import entry
from memlab.terms import Probe, Result, Scenario, Step

BUDGETS = (100, 200, 500, 1_000, 2_000, 4_000, 8_000)
"""Tokens."""
HISTORIES = (10, 100, 1_000, 10_000, 100_000)
"""Episodes."""
LONGEST = 1_000_000
"""Upper limit of the options: episodes of a history, and tokens of a budget."""
LIMIT = 60.0
"""Seconds."""
OVERLAY, PREVIOUS = "history=", "previous.csv"
OVER = "over {:g} s"


class Point(NamedTuple):
    """One probe at one budget, after one history."""

    system: str
    history: int
    budget: int
    scenario: str
    seed: int
    probe: str
    survives: float
    recall: float
    error: str


class StretchedTemplate(Template):
    """A scenario whose history can have any length."""

    def sample_with_history(self, seed: int, history: int, budgets: Sequence[int]) -> Scenario:
        """Return a sample with `history` episodes in its repeats, and every probe at every budget.

        `survives` then measures the rules, the goal and the next to-do, `recall` the expected claims. Only claims with
        a name are matched, not the many episodes in between.
        """
        file = validate(self._fill(seed), self.path, ScenarioFile)
        steps = tuple(_stretched(file.timeline, history))
        timeline = build_timeline(
            file.model_copy(update={"timeline": steps}), f"{file.id}:{seed}", LONGEST + len(steps)
        )
        self._raise_problems(timeline.problems)
        return replace(
            self._scenario(file, seed, timeline),
            timeline=tuple(chain.from_iterable(_at_budgets(step, budgets) for step in timeline.steps)),
            claims={name: claim for name, claim in timeline.claims().items() if not name.startswith("~")},
            overlay=f"{OVERLAY}{history}",
        )


def load_curves() -> list[StretchedTemplate]:
    """Read the scenarios for the curves. Raises BadScenario for an invalid file."""
    read = ((path, read_yaml(path)) for path in sorted((library() / CURVES).glob("*.yaml")))
    return [StretchedTemplate(path, data, validate(data, path, ScenarioFile)) for path, data in read]


def _stretched(steps: Sequence[StepPart], history: int) -> Iterator[StepPart]:
    """Distribute the episodes over the repeats in proportion to their `times`; empty repeats are left out."""
    total = sum(step.repeat.times for step in steps if step.repeat)
    before = yielded = 0
    for step in steps:
        if step.repeat is None:
            yield step
            continue
        before += step.repeat.times
        times = before * history // total - yielded
        yielded += times
        if times:
            yield step.model_copy(update={"repeat": step.repeat.model_copy(update={"times": times})})


def _at_budgets(step: Step, budgets: Sequence[int]) -> list[Step]:
    if not isinstance(step, Probe):
        return [step]
    return [replace(step, id=f"{step.id}@{budget}", verb="assemble", budget=budget) for budget in budgets]


@dataclass
class TimedCell(Cell):
    """A cell with a timeout of `limit` seconds for the whole run; later probes are errors.

    It measures CPU time, which other load on the machine hardly changes; for a system in a child process, wall time.
    A call in this process is not interrupted; the timeout is checked after it.
    """

    limit: float = LIMIT
    _end: float = field(default=0.0, init=False)

    def play(self, scenario: Scenario) -> Results:
        """Run the timeline and return a result for every probe in it."""
        self._end = self._now() + self.limit
        return super().play(scenario)

    def _attempt(self, doing: str, act: Callable[[], None]) -> None:
        super()._attempt(doing, act)
        if not self.error and self._now() > self._end:
            self.error = OVER.format(self.limit)

    def _now(self) -> float:
        return time.perf_counter() if self.entry.child else time.process_time()


@dataclass(frozen=True)
class CurveRound(Round):
    """All systems on one scenario with one history; `limit` is the timeout of a run, in seconds."""

    history: int = 0
    budgets: tuple[int, ...] = BUDGETS
    conditions: Conditions = AS_WRITTEN

    def play(self, first: int = 0) -> Iterator[Results]:
        """Run each system from number `first` on."""
        scenario = self._scenario()
        keys = answer_keys(scenario)
        for name in self.systems[first:]:
            with scenario_environment(scenario) as environment:
                yield TimedCell(entry(name, self.limit, self.confinement), environment, keys, limit=self.limit).play(
                    scenario
                )

    def _sample(self) -> Scenario:
        assert isinstance(self.template, StretchedTemplate)  # noqa: S101 - Curves makes its rounds of nothing else
        return self.template.sample_with_history(self.seed, self.history, self.budgets)


@dataclass(frozen=True)
class Curves:
    """A run of every system on every scenario, at seeds 0 to `seeds` - 1 and every history length."""

    systems: Sequence[Entry]
    histories: Sequence[int] = HISTORIES
    budgets: Sequence[int] = BUDGETS
    seeds: int = 1
    jobs: int = 1
    limit: float = LIMIT
    confinement: Confinement = BEST

    def rounds(self) -> list[CurveRound]:
        """Return the rounds, short histories first."""
        names, budgets = tuple(one.name for one in self.systems), tuple(sorted(self.budgets))
        return [
            CurveRound(one, seed, names, self.limit, history=history, budgets=budgets, confinement=self.confinement)
            for history in sorted(self.histories)
            for one in load_curves()
            for seed in range(self.seeds)
        ]

    def cells(self) -> int:
        """Return the number of cells: one system on one scenario, seed and history."""
        return len(self.systems) * len(self.rounds())

    def play(self, path: Path) -> Generator[list[Point], None, None]:
        """Run every round, and yield the points of each cell when they are in the CSV file at `path`.

        The contexts are not stored: they would take hundreds of megabytes. The file of an earlier run is renamed to
        `previous.csv`.
        """
        if path.exists():
            path.replace(path.with_name(PREVIOUS))
        points: list[list[Point]] = []
        with path.open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(Point._fields)

            def keep(cell: Results) -> None:
                points.append([_point(result) for result in cell])
                table.writerows(points[-1])
                stream.flush()

            with closing(run(self.rounds(), self.jobs, keep)) as cells:
                for _ in cells:
                    yield points[-1]


def _point(result: Result) -> Point:
    key = result.key
    survives, recall = METRICS["survives"](result), METRICS["recall"](result)
    history, probe = int(key.overlay.removeprefix(OVERLAY)), key.probe.rpartition("@")[0]
    return Point(result.system, history, key.budget, key.scenario, key.seed, probe, survives, recall, result.error)
