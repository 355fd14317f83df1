"""The points of budget x history as means over scenarios."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from memlab.harness.scoring.intervals import METHOD, Interval, interval
from memlab.report.tables.systems import MAIN, groups

MEASURES = {"survives": "The task survives", "recall": "The evidence is found"}
"""The metrics, and what a chart calls them."""
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
        """Give a mean; None where the system failed in one of the lives, or was not asked."""
        return None if self.error(system, history) else self._found.get((measure, (system, history, budget)))

    def error(self, system: str, history: int) -> str:
        """Say why a system has no mean after a history: `over 60 s`, `error`; else nothing."""
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
        """Give the mean of all means of each system, where what failed counts 0; those compared first, best first."""
        found = {
            system: [
                self.at(measure, system, history, budget)
                for measure in MEASURES
                for history in self.histories
                for budget in self.budgets
            ]
            for system in self.systems
        }
        means = {system: sum(one.mean for one in own if one) / len(own) for system, own in found.items()}
        kinds = groups(self.systems)
        return dict(sorted(means.items(), key=lambda one: (kinds[one[0]] not in MAIN, -one[1], one[0])))

    def nearest(self, tokens: int) -> int:
        """Give the budget that is nearest to so many tokens."""
        return min(self.budgets, key=lambda budget: abs(budget - tokens))

    def footer(self) -> str:
        """Say what the numbers rest on."""
        scenarios, seeds = self._points["scenario"].nunique(), self._points["seed"].nunique()
        return (
            f"{scenarios} scenarios, samples of each: {seeds}, averaged first with their questions. "
            f"95 % intervals: {METHOD}."
        )
