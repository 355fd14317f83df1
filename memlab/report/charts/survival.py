"""Task survival by the budget of the context."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from memlab.harness.scenarios.budgets import OVERLAY
from memlab.harness.scoring.intervals import Interval, interval
from memlab.report.charts.style import Frame, Look, draw_curve, figure, looks, panels, percent_axis, spread
from memlab.report.tables.systems import display_name, short

TITLE = "Task survival by budget"
READING = (
    "Share of contexts that contain rules, goal, next to-do and every fact to keep, complete. Bands: 95 % intervals."
)
LONGEST = 16
LEADER = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 6, "relpos": (0, 0.5)}
"""The line from a name to the end of its curve."""
Curve = dict[int, Interval]


def curves(scores: pd.DataFrame) -> dict[str, Curve]:
    """Return system -> budget in tokens -> task_survival over scenarios, its seeds averaged first.

    A system that cannot assemble a context has no curve.
    """
    rows = scores[(scores["overlay"] == OVERLAY) & scores["task_survival"].notna()]
    found: dict[str, Curve] = {}
    for system, own in rows.groupby("system", sort=False):
        for budget in sorted(set(own["budget"])):
            at = own[own["budget"] == budget]
            samples = at.groupby(["scenario", "seed"])["task_survival"].mean()
            found.setdefault(str(system), {})[budget] = interval(samples.groupby(level="scenario").mean().tolist())
    return found


def describe(scores: pd.DataFrame) -> str:
    """Describe the chart in text: task survival at each budget."""
    parts = [
        f"{system} {', '.join(f'{point.mean:.0%} at {budget:,}' for budget, point in curve.items())}"
        for system, curve in curves(scores).items()
    ]
    return f"task_survival by budget in tokens: {'; '.join(parts)}."


def survival_chart(scores: pd.DataFrame, footer: str) -> Figure | None:
    """Draw one line for each system with results at several budgets; None if there is none."""
    found = curves(scores)
    if not found:
        return None
    chart = figure(10.2, 5.6, TITLE, READING, footer)
    (panel,) = panels(chart, 1, 1, Frame(left=0.75, right=1.85, top=1.05, bottom=1.0))
    styles = looks(found)
    for system in sorted(found, key=lambda system: styles[system].loud):
        look = styles[system]
        draw_curve(panel, found[system], look, 0.12, markersize=look.size, linewidth=2.2 if look.loud else 1.2)
    _axes(panel, sorted({budget for curve in found.values() for budget in curve}))
    _names(panel, found, styles)
    return chart


def _axes(panel: Axes, budgets: list[int]) -> None:
    panel.set_xscale("log")
    panel.set_xlim(budgets[0], budgets[-1])
    panel.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_xlabel("budget of one context, in tokens", labelpad=6)
    percent_axis(panel)


def _names(panel: Axes, found: dict[str, Curve], styles: dict[str, Look]) -> None:
    height = {system: sum(point.mean for point in curve.values()) for system, curve in found.items()}
    ends = {system: found[system][max(found[system])].mean for system in sorted(found, key=lambda one: height[one])}
    where = panel.get_yaxis_transform()
    for system, place in spread(ends).items():
        look, end = styles[system], (1, ends[system])
        leader = LEADER | {"color": look.colour}
        name = panel.annotate(
            short(display_name(system, ends), LONGEST), end, (1.035, place), where, where, arrowprops=leader
        )
        name.set(va="center", size=9.5, weight=look.weight, color=look.ink)
