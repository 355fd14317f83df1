"""Means over scenarios by system, length of history and budget."""

from __future__ import annotations

from functools import cached_property
from itertools import product

import pandas as pd

from memlab.harness.plural import plural
from memlab.harness.scoring.intervals import METHOD, Interval, interval
from memlab.report.tables.systems import MAIN, groups

MEASURES = {"survives": "Task survival", "recall": "Evidence recall"}
"""The metrics, and their titles in a chart."""
PLACE = ["system", "history", "budget"]


class Means:
    """A mean for each metric, system, history and budget; the questions and seeds of a scenario are averaged first."""

    def __init__(self, points: pd.DataFrame) -> None:
        self.systems: list[str] = points["system"].unique().tolist()
        self.histories: list[int] = sorted(points["history"].unique().tolist())
        self.budgets: list[int] = sorted(points["budget"].unique().tolist())
        self._points = points
        samples = points.groupby([*PLACE, "scenario", "seed"], sort=False)[list(MEASURES)].mean()
        scenarios = samples.groupby(level=[*PLACE, "scenario"], sort=False).mean()
        self._found: dict[tuple[str, object], Interval] = {
            (measure, where): interval(values.tolist())
            for measure in MEASURES
            for where, values in scenarios[measure].groupby(level=PLACE, sort=False)
        }

    def at(self, measure: str, system: str, history: int, budget: int) -> Interval | None:
        """Return a mean; None if the system failed in a run, or has no answer."""
        return None if self.error(system, history) else self._found.get((measure, (system, history, budget)))

    def error(self, system: str, history: int) -> str:
        """Return why a system has no mean: `over 60 s` or `error`; "" if it has one."""
        return self._errors.get((system, history), "")

    @cached_property
    def _errors(self) -> dict[tuple[str, int], str]:
        wrong = self._points[self._points["error"] != ""]
        return {
            (system, history): error if error.startswith("over ") else "error"
            for system, history, error in zip(wrong["system"], wrong["history"], wrong["error"], strict=True)
        }

    @cached_property
    def overall(self) -> dict[str, float]:
        """Map each system to the mean of its means, failures counting 0; the groups in MAIN first, best first."""
        places = list(product(self.histories, self.budgets))
        found = {
            system: [self.at(measure, system, *where) for measure in MEASURES for where in places]
            for system in self.systems
        }
        means = {system: sum(one.mean for one in own if one) / len(own) for system, own in found.items()}
        kinds = groups(self.systems)
        return dict(sorted(means.items(), key=lambda one: (kinds[one[0]] not in MAIN, -one[1], one[0])))

    def nearest(self, tokens: int) -> int:
        """Return the budget nearest to a number of tokens."""
        return min(self.budgets, key=lambda budget: abs(budget - tokens))

    def footer(self) -> str:
        """Return the sample sizes and the method of the intervals."""
        scenarios, seeds = self._points["scenario"].nunique(), self._points["seed"].nunique()
        size = f"{plural(scenarios, 'scenario')}, samples of each: {seeds}, averaged first with their questions"
        return f"{size}. 95 % intervals: {METHOD}."
