"""One panel for each headline column: all systems, sorted, with intervals."""

from __future__ import annotations

from itertools import groupby
from math import inf

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import EngFormatter, LogLocator, NullLocator

from memlab.harness.plural import plural
from memlab.harness.scoring.intervals import Interval
from memlab.report.charts.style import FAINT, INK, SOFT, Frame, Look, figure, looks, panels
from memlab.report.tables.systems import MAIN, display_name, groups, short
from memlab.report.tables.tidy import COSTS, DRAWN, by_system, ranked, shown_columns, tidy

TITLE = "Scores by memory"
LINES = ("null", "oracle")
"""The ends of every scale, drawn as vertical lines instead of rows."""
SECTIONS = {
    "compared": "memories",
    "documents": "systems of the documents",
    "forgetting": "orders of forgetting",
    "ablation": "hybrid without one part",
    "degenerate": "degenerate baselines",
}
ENDS = "ends of the scale"
ROW = 0.17
COLUMNS = 5
"""Panels beside each other."""
LONGEST = 20
Rows = dict[str, float]


def describe(scores: pd.DataFrame) -> str:
    """Describe the chart in text: the first column of the main systems."""
    table = tidy(scores)
    found, kinds = by_system(table), groups(ranked(table))
    shares = [f"{name} {found[name]['scenarios_passed'].mean:.0%}" for name, kind in kinds.items() if kind in MAIN]
    return f"scenarios_passed: {', '.join(shares)}. The results table has every figure."


def headline_chart(scores: pd.DataFrame, footer: str) -> Figure | None:
    """Draw one panel for each of DRAWN that has data, best system on top within its group; None if none has."""
    table = tidy(scores)
    found, drawn = by_system(table), [column for column in DRAWN if column in shown_columns(table)]
    if not drawn:
        return None
    rows, heads = rows_by_section([system for system in ranked(table) if system not in LINES])
    lines = -(-len(drawn) // COLUMNS)
    height = 1.75 + lines * (ROW * (max(rows.values(), default=0) + 1.2) + 0.375)
    chart = figure(13.2, height, TITLE, _reading(found), footer)
    axes = panels(chart, lines, COLUMNS, Frame(left=1.95, right=0.3, top=1.35, bottom=0.75, between=0.28, below=0.75))
    for panel in axes[len(drawn) :]:
        panel.remove()
    styles = looks(rows)
    for number, (column, panel) in enumerate(zip(drawn, axes, strict=False)):
        _ground(panel, rows, styles)
        for system, row in rows.items():
            _dot(panel, found[system][column], row, styles[system], costs=column in COSTS)
        _scale(panel, column, found)
        if number % COLUMNS == 0:
            name_rows(panel, rows, {head: row + 0.1 for head, row in heads.items()}, styles)
    return chart


def _reading(found: dict[str, dict[str, Interval]]) -> str:
    lines = " and ".join(name for name in LINES if name in found)
    ends = f" Thin vertical lines: {lines}, the ends of the scale." if len(lines.split()) > 1 else ""
    return f"Marks are means, horizontal lines 95 % intervals.{ends} Higher is better, except for tokens and seconds."


def rows_by_section(systems: list[str]) -> tuple[Rows, Rows]:
    """Map each system, and each section heading, to its row from the top."""
    kinds = groups(systems)
    section = {
        system: ENDS if system in LINES else SECTIONS["compared" if kinds[system] in MAIN else kinds[system]]
        for system in systems
    }
    order = sorted(systems, key=lambda system: [*SECTIONS.values(), ENDS].index(section[system]))
    rows: Rows = {}
    heads: Rows = {}
    row = 0.0
    for name, members in groupby(order, key=section.__getitem__):
        heads[name] = row
        for system in members:
            row += 1
            rows[system] = row
        row += 1.3
    return rows, heads


def _ground(panel: Axes, rows: Rows, styles: dict[str, Look]) -> None:
    bottom = max(rows.values(), default=0)
    panel.set_ylim(bottom + 0.7, 0.2)
    panel.set_yticks([])
    panel.spines["bottom"].set_color(FAINT)
    for system, row in rows.items():
        look = styles[system]
        if look.loud:
            panel.axhspan(row - 0.46, row + 0.46, color=look.colour, alpha=0.09, linewidth=0)
        else:
            panel.axhline(row, color=FAINT, linewidth=0.5, zorder=0)


def _dot(panel: Axes, found: Interval, row: float, look: Look, *, costs: bool) -> None:
    if not found.n:
        return
    if costs and found.mean <= 0:  # a log axis cannot show 0
        where = panel.get_yaxis_transform()
        panel.annotate("0", (0, row), (2, 0), where, "offset points", va="center", size=7.5, color=look.ink)
        return
    width = 2.0 if look.loud else 1.1
    panel.plot([found.low, found.high], [row, row], color=look.colour, linewidth=width, alpha=0.75, zorder=2)
    panel.plot(
        [found.mean],
        [row],
        look.marker,
        color=look.colour,
        markersize=look.size,
        mec="white",
        mew=0.6 if look.loud else 0.3,
        zorder=3,
    )


def _scale(panel: Axes, column: str, found: dict[str, dict[str, Interval]]) -> None:
    if column in COSTS:
        _cost_scale(panel, column)
    else:
        _share_scale(panel, column, found)
    n = max((row[column].n for row in found.values()), default=0)
    size = plural(n, "probe" if column in COSTS else "scenario")
    panel.annotate(size, (0.5, 1), (0, 2), "axes fraction", "offset points", ha="center", size=7.5, color=SOFT)
    panel.set_title(column, loc="left", size=9.5, weight="bold", pad=18)
    panel.grid(axis="x", color=FAINT, linewidth=0.6)
    panel.tick_params(axis="x", labelsize=8)


def _share_scale(panel: Axes, column: str, found: dict[str, dict[str, Interval]]) -> None:
    panel.set_xlim(-0.04, 1.04)
    panel.set_xticks([0, 0.5, 1], ["0", "50", "100 %"])
    for name in LINES:
        if name in found and found[name][column].n:
            mean = found[name][column].mean
            panel.axvline(mean, color=INK, linewidth=0.8, zorder=1)
            where = panel.get_xaxis_transform()
            panel.annotate(name, (mean, 1), (0, 2), where, "offset points", ha="center", size=7.5, color=SOFT)


def _cost_scale(panel: Axes, column: str) -> None:
    if panel.dataLim.minposx == inf:
        panel.set_xticks([])  # a log axis cannot show 0
        return
    panel.set_xscale("log")
    least, most = panel.get_xlim()
    panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if most < 30 * least else (1,), numticks=5))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.xaxis.set_major_formatter(EngFormatter("s" if column.endswith("seconds") else ""))


def name_rows(panel: Axes, rows: Rows, heads: Rows, styles: dict[str, Look], longest: int = LONGEST) -> None:
    """Write the names of systems and sections beside their rows."""
    for system, row in rows.items():
        _beside(panel, short(display_name(system, rows), longest), row).set(
            color=styles[system].ink, weight=styles[system].weight, size=8.5
        )
    for head, row in heads.items():
        _beside(panel, head, row).set(color=SOFT, style="italic", size=7.5)


def _beside(panel: Axes, text: str, row: float) -> Annotation:
    where = panel.get_yaxis_transform()
    return panel.annotate(text, (0, row), (-8, 0), where, "offset points", ha="right", va="center")
