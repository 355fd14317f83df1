"""Budget x history: what stands in a context of any size, after a life of any length.

A scenario in `scenarios/curves` is written with ten episodes between what matters, and asks for what was said. Here its
repeats are stretched until they tell as many episodes as a history is long, and every question is asked by `assemble`,
once at each budget. Each length is a life of its own, so that no answer leans on one that was given in a shorter one.
The budgets of one life are asked one after the other, from the smallest up: a system that keeps its first answer, as
`first-answer` does, gives that again.
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
from memlab.harness.scenarios.loading import CURVES, Template, library
from memlab.harness.scenarios.schema import ScenarioFile, StepPart
from memlab.harness.scenarios.timeline import build_timeline
from memlab.harness.scenarios.validation import validate
from memlab.harness.scenarios.yaml_lines import read_yaml
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.entry import Entry
from memlab.systems.registry import entry
from memlab.terms import Probe, Result, Scenario, Step

BUDGETS = (100, 200, 500, 1_000, 2_000, 4_000, 8_000)
"""Tokens."""
HISTORIES = (10, 100, 1_000, 10_000, 100_000)
"""Episodes."""
LONGEST = 1_000_000
"""Episodes of the longest history, and tokens of the largest budget, that can be asked for."""
LIMIT = 60.0
"""Seconds."""
OVERLAY, PREVIOUS = "history=", "previous.csv"
OVER = "over {:g} s"
"""The error of what was not finished in time."""


class Point(NamedTuple):
    """One question at one budget, after one history: is the task whole, is the evidence there."""

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
    """A scenario whose history can be of any length."""

    def sample_with_history(self, seed: int, history: int, budgets: Sequence[int]) -> Scenario:
        """Sample it with so many episodes in its repeats, every question asked at every budget.

        `survives` then judges the rules, the goal and the next to-do, `recall` what is expected. Only claims with a
        name are judged; the episodes in between are not, for they are many.
        """
        file = validate(self._fill(seed), self.path, ScenarioFile)
        steps = tuple(_stretched(file.timeline, history))
        timeline = build_timeline(
            file.model_copy(update={"timeline": steps}), f"{file.id}:{seed}", LONGEST + len(steps)
        )
        self._raise_problems(timeline.problems)
        return replace(
            self._scenario(file, seed, timeline),
            timeline=tuple(chain.from_iterable(_asked(step, budgets) for step in timeline.steps)),
            claims={name: claim for name, claim in timeline.claims().items() if not name.startswith("~")},
            overlay=f"{OVERLAY}{history}",
        )


def load_curves() -> list[StretchedTemplate]:
    """Read the scenarios that can be stretched. Raises BadScenario where one does not fit."""
    paths = sorted((library() / CURVES).glob("*.yaml"))
    read = ((path, read_yaml(path)) for path in paths)
    return [StretchedTemplate(path, data, validate(data, path, ScenarioFile)) for path, data in read]


def _stretched(steps: Sequence[StepPart], history: int) -> Iterator[StepPart]:
    """Share a history out over the repeats as they share out theirs; a repeat of nothing is left out."""
    written = sum(step.repeat.times for step in steps if step.repeat)
    before = told = 0
    for step in steps:
        if step.repeat is None:
            yield step
            continue
        before += step.repeat.times
        times = before * history // written - told
        told += times
        if times:
            yield step.model_copy(update={"repeat": step.repeat.model_copy(update={"times": times})})


def _asked(step: Step, budgets: Sequence[int]) -> list[Step]:
    if not isinstance(step, Probe):
        return [step]
    return [replace(step, id=f"{step.id}@{budget}", verb="assemble", budget=budget) for budget in budgets]


@dataclass
class TimedCell(Cell):
    """A cell that has `limit` seconds for its whole life; what it has not answered by then is an error.

    The seconds are those of the processor, so that a busy machine changes little; those of the clock for what lives in
    a process of its own. A call in this process is not cut off: it is late when it comes back.
    """

    limit: float = LIMIT
    _end: float = field(default=0.0, init=False)

    def play(self, scenario: Scenario) -> Results:
        """Go through the timeline and give a result for every probe in it."""
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
    """All systems on one life; `limit` bounds a whole life, in seconds."""

    history: int = 0
    budgets: tuple[int, ...] = BUDGETS

    def play(self, first: int = 0) -> Iterator[Results]:
        """Play the life to each system from the `first` on."""
        scenario = self._scenario()
        keys = answer_keys(scenario)
        for name in self.systems[first:]:
            with scenario_environment(scenario) as environment:
                yield TimedCell(entry(name, self.limit), environment, keys, limit=self.limit).play(scenario)

    def _scenario(self) -> Scenario:
        assert isinstance(self.template, StretchedTemplate)  # noqa: S101 - Curves makes its rounds of nothing else
        return self.template.sample_with_history(self.seed, self.history, self.budgets)


@dataclass(frozen=True)
class Curves:
    """What is played: every scenario, at seeds 0 to `seeds` - 1 and every length, to every system."""

    systems: Sequence[Entry]
    histories: Sequence[int] = HISTORIES
    budgets: Sequence[int] = BUDGETS
    seeds: int = 1
    jobs: int = 1
    limit: float = LIMIT

    def rounds(self) -> list[CurveRound]:
        """List the rounds, the short lives first."""
        names, budgets = tuple(one.name for one in self.systems), tuple(sorted(self.budgets))
        return [
            CurveRound(one, seed, names, self.limit, history, budgets)
            for history in sorted(self.histories)
            for one in load_curves()
            for seed in range(self.seeds)
        ]

    def cells(self) -> int:
        """Count the cells: one system in one life."""
        return len(self.systems) * len(self.rounds())

    def play(self, path: Path) -> Generator[list[Point], None, None]:
        """Play every round, and give the points of each cell once they stand in the CSV file at `path`.

        The contexts themselves are not kept: they would be hundreds of megabytes. An earlier run is not lost: its file
        is renamed to `previous.csv`.
        """
        if path.exists():
            path.replace(path.with_name(PREVIOUS))
        kept: list[list[Point]] = []
        with path.open("w", encoding="utf-8", newline="") as stream:
            table = csv.writer(stream, lineterminator="\n")
            table.writerow(Point._fields)

            def keep(cell: Results) -> None:
                kept.append([_point(result) for result in cell])
                table.writerows(kept[-1])
                stream.flush()

            with closing(run(self.rounds(), self.jobs, keep)) as cells:
                for _ in cells:
                    yield kept[-1]


def _point(result: Result) -> Point:
    key = result.key
    survives, recall = METRICS["survives"](result), METRICS["recall"](result)
    history, probe = int(key.overlay.removeprefix(OVERLAY)), key.probe.rpartition("@")[0]
    return Point(result.system, history, key.budget, key.scenario, key.seed, probe, survives, recall, result.error)
