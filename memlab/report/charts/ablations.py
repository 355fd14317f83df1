"""Ablations: the change of each score when one part of the reference is removed."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memlab.harness.plural import plural
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import Interval, difference
from memlab.harness.scoring.thresholds import ALL
from memlab.report.charts.style import FAINT, GREY, INK, SOFT, Frame, figure, panels
from memlab.report.tables.paired import values
from memlab.report.tables.scores import by_scenario, families, plain
from memlab.report.tables.systems import OURS, groups

TITLE = "Score change when one part of the hybrid is removed"
READING = (
    "Difference in points of 100, paired by scenario, with 95 % intervals; to the left, the score falls.\n"
    "Filled dots: the interval excludes 0; the difference is written above."
)
BESIDE = ("task_survival", "recited")
"""Metrics with a panel after the families: not every part changes the share of passed scenarios."""
ROW = 0.27
COLUMNS = 5


def describe(scores: pd.DataFrame) -> str:
    """Describe the chart in text: the differences over all families."""
    parts = [
        f"{system} {100 * found.mean:+.0f} [{100 * found.low:+.0f} {100 * found.high:+.0f}]"
        for system, found in _costs(by_scenario(plain(scores)), _without(scores), ALL, "scenarios_passed").items()
    ]
    return f"scenarios_passed compared with the complete {OURS}, in points: {', '.join(parts)}."


def ablation_chart(scores: pd.DataFrame, footer: str) -> Figure | None:
    """Draw one panel for each family and each of BESIDE; None without ablations or without the hybrid."""
    without = _without(scores)
    if OURS not in set(scores["system"]) or not without:
        return None
    scenarios = by_scenario(plain(scores))
    counted = [family for family in families(scores) if family != LIMITS]
    shown = [(family, "scenarios_passed") for family in (ALL, *counted)]
    shown += [(ALL, metric) for metric in BESIDE if scenarios[metric].notna().any()]
    lines = -(-len(shown) // COLUMNS)
    chart = figure(12, 1.75 + lines * (len(without) * ROW + 0.85), TITLE, READING, footer)
    frame = Frame(left=1.75, right=0.3, top=1.55, bottom=0.7, between=0.25, below=0.85)
    for number, (panel, (family, metric)) in enumerate(zip(panels(chart, lines, COLUMNS, frame), shown, strict=False)):
        name = metric if metric in BESIDE else "all families" if family == ALL else family
        _panel(panel, name, _costs(scenarios, without, family, metric))
        if number % COLUMNS == 0:
            panel.set_yticks(range(len(without)), without, size=8.5)
    for panel in chart.axes[len(shown) :]:
        panel.remove()
    return chart


def _without(scores: pd.DataFrame) -> list[str]:
    return [system for system, kind in groups(scores["system"].unique()).items() if kind == "ablation"]


def _costs(scenarios: pd.DataFrame, without: list[str], family: str, metric: str) -> dict[str, Interval]:
    ours = values(scenarios, OURS, family, metric)
    return {system: difference(values(scenarios, system, family, metric), ours) for system in without}


def _panel(panel: Axes, name: str, found: dict[str, Interval]) -> None:
    panel.set_title(name, loc="left", size=9.5, weight="bold", pad=6)
    n = max((each.n for each in found.values()), default=0)
    panel.set_title(plural(n, "scenario"), loc="right", size=7.5, color=SOFT, pad=6)
    panel.set_xlim(-1.15, 0.62)
    panel.set_xticks([-1, -0.5, 0, 0.5], ["\N{MINUS SIGN}100", "\N{MINUS SIGN}50", "0", "+50"], size=8)
    panel.set_ylim(len(found) - 0.4, -0.6)
    panel.set_yticks([])
    panel.spines["bottom"].set_color(FAINT)
    panel.grid(axis="x", color=FAINT, linewidth=0.6)
    panel.axvline(0, color=INK, linewidth=0.8, zorder=1)
    for row, each in enumerate(found.values()):
        panel.axhline(row, color=FAINT, linewidth=0.5, zorder=0)
        if each.n:
            _dot(panel, each, row)


def _dot(panel: Axes, found: Interval, row: int) -> None:
    full = not found.low <= 0 <= found.high
    colour = INK if full else GREY
    panel.plot([found.low, found.high], [row, row], color=colour, linewidth=1.8 if full else 1, alpha=0.75)
    panel.plot([found.mean], [row], "o", color=colour if full else "white", mec=colour, markersize=5.5 if full else 4)
    if full:
        points = f"{100 * found.mean:+.0f}".replace("-", "\N{MINUS SIGN}")
        words = panel.annotate(points, (found.mean, row), (0, 4), "data", "offset points", ha="center", size=7.5)
        words.set(color=colour, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3}, zorder=1.5)
