"""Task survival and evidence recall by budget and length of history: as curves, and as a grid of every system."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation
from matplotlib.ticker import NullLocator

from memlab.report.charts.headline import Rows, name_rows, rows_by_section
from memlab.report.charts.style import (
    INK,
    SHADES,
    SOFT,
    Frame,
    Look,
    draw_curve,
    figure,
    looks,
    panels,
    percent_axis,
    spread,
)
from memlab.report.tables.budget_means import MEASURES, Means
from memlab.report.tables.systems import MAIN, display_name, groups, short

CURVES_TITLE = "Task survival and evidence recall by length of history"
CURVES_READING = (
    "Task survival: share of contexts that contain rules, goal and next to-do, complete. Evidence recall: share of the "
    "relevant claims in the context,\nfrom early and late events. Bands: 95 % intervals. Grey: other systems (named in "
    "charts/grids)."
)
GRIDS_TITLE = "Task survival and evidence recall by history and budget"
GRIDS_READING = (
    "One block for each length of history, with one cell for each budget, from {:,} tokens (left) to {:,} (right).\n"
    "Task survival: share of contexts that contain rules, goal and next to-do. Evidence recall: share of the relevant "
    "claims in the context."
)
MOST, THOUSAND = 4, 1_000
"""Most budgets with a panel of their own; the unit of shortened numbers."""
LONGEST = 18
APART = 0.1
"""Smallest distance between two names, as a share of a panel's height."""
ROW = 0.2
GAP = 0.8
"""Space between two blocks of the grid, in cells."""


def curves_chart(means: Means) -> Figure:
    """Draw both metrics over history, one column of panels for each of a few budgets."""
    budgets = _few(means.budgets)
    chart = figure(13.2, 7.4, CURVES_TITLE, CURVES_READING, means.footer())
    frame = Frame(left=0.75, right=1.75, top=1.75, bottom=0.95, between=0.3, below=0.95)
    styles = looks(means.systems)
    axes = iter(panels(chart, len(MEASURES), len(budgets), frame))
    for measure, title in MEASURES.items():
        for budget in budgets:
            panel = next(axes)
            _curves(panel, means, measure, budget, styles)
            panel.set_title(f"in {budget:,} tokens", loc="left", size=9, color=SOFT, pad=6)
            if budget == budgets[0]:
                place = ((0, 1), (0, 24), "axes fraction", "offset points")
                panel.annotate(title, *place, size=11, weight="bold", color=INK)
            _scales(panel, means.histories, named=budget == budgets[0], last=measure == list(MEASURES)[-1])
        _names(panel, means, measure, styles)
    return chart


def _few(budgets: Sequence[int]) -> list[int]:
    """Choose at most MOST budgets, evenly, both ends among them."""
    step = max(1, (len(budgets) - 1) / (MOST - 1))
    return [budgets[round(number * step)] for number in range(min(MOST, len(budgets)))]


def _curves(panel: Axes, means: Means, measure: str, budget: int, styles: dict[str, Look]) -> None:
    for system in sorted(means.systems, key=lambda one: styles[one].loud):
        look = styles[system]
        found = {history: means.at(measure, system, history, budget) for history in means.histories}
        curve = {history: one for history, one in found.items() if one}
        size, width, alpha = (5, 2.2, 1) if look.loud else (0, 0.9, 0.7)
        draw_curve(panel, curve, look, 0.1, markersize=size, linewidth=width, alpha=alpha)


def _scales(panel: Axes, histories: Sequence[int], *, named: bool, last: bool) -> None:
    panel.set_xscale("log")
    panel.set_xlim(histories[0] / 1.2, histories[-1] * 1.2)
    panel.set_xticks(histories, [_compact(history) for history in histories])
    panel.xaxis.set_minor_locator(NullLocator())
    percent_axis(panel)
    panel.set_yticks([0, 0.5, 1], ["0", "50", "100 %"] if named else ["", "", ""])
    if last:
        panel.set_xlabel("episodes", labelpad=4)


def _compact(number: int) -> str:
    return f"{number // THOUSAND}k" if number and number % THOUSAND == 0 else str(number)


def _names(panel: Axes, means: Means, measure: str, styles: dict[str, Look]) -> None:
    """Write the names of the main systems at the ends of their lines."""
    kinds = groups(means.systems)
    last, budget = means.histories[-1], means.budgets[-1]
    named = sorted((one for one in means.systems if kinds[one] in MAIN), key=lambda one: styles[one].loud)
    ends = {system: one.mean for system in named if (one := means.at(measure, system, last, budget))}
    for system, place in spread(ends, APART).items():
        name = panel.text(
            1.05, place, short(display_name(system, ends), LONGEST), transform=panel.get_yaxis_transform()
        )
        name.set(va="center", size=9, weight=styles[system].weight, color=styles[system].ink)


def grids_chart(means: Means) -> Figure:
    """Draw every system as one row of cells for each metric."""
    rows, heads = rows_by_section(list(means.overall))
    bottom = max(rows.values()) + 0.6
    reading = GRIDS_READING.format(means.budgets[0], means.budgets[-1])
    chart = figure(13.2, 2.6 + ROW * bottom, GRIDS_TITLE, reading, means.footer())
    frame = Frame(left=1.75, right=0.3, top=1.85, bottom=0.75, between=0.45)
    _key(chart)
    styles = looks(means.systems)
    for number, (measure, panel) in enumerate(zip(MEASURES, panels(chart, 1, len(MEASURES), frame), strict=True)):
        _fields(panel, means, measure, rows)
        _over(panel, 0, 32, MEASURES[measure]).set(size=10.5, color=INK, weight="bold", ha="left")
        if number == 0:
            name_rows(panel, rows, heads, styles, LONGEST)
    return chart


def _fields(panel: Axes, means: Means, measure: str, rows: Rows) -> None:
    width = len(means.budgets)
    for number, history in enumerate(means.histories):
        left = number * (width + GAP)
        for system, row in rows.items():
            for field, budget in enumerate(means.budgets):
                found = means.at(measure, system, history, budget)
                colour = SHADES(found.mean) if found else "white"
                place = (left + field, row - 0.42)
                panel.add_patch(Rectangle(place, 1, 0.84, facecolor=colour, edgecolor="white", linewidth=0.4))
            if error := means.error(system, history):
                panel.text(left + width / 2, row, error, ha="center", va="center", size=7, color=SOFT, style="italic")
        title = f"{history:,}" if number else f"after {history:,} episodes"
        _over(panel, left + width / 2, 16, title).set(size=8, color=INK)
        _over(panel, left, 3, _compact(means.budgets[0])).set(ha="left")
        _over(panel, left + width, 3, _compact(means.budgets[-1])).set(ha="right")
    panel.set_xlim(0, len(means.histories) * (width + GAP) - GAP)
    panel.set_ylim(max(rows.values()) + 0.6, 0.2)
    panel.set_xticks([])
    panel.set_yticks([])
    panel.spines["bottom"].set_visible(False)


def _key(chart: Figure) -> None:
    """Draw the colour key in the corner."""
    width, height = chart.get_size_inches()
    (panel,) = panels(chart, 1, 1, Frame(left=width - 2.6, right=0.6, top=0.3, bottom=height - 0.45))
    panel.imshow([[share / 20 for share in range(21)]], cmap=SHADES, aspect="auto", vmin=0, vmax=1)
    panel.set_axis_off()
    for place, ha, text in ((0, "right", "0 % "), (1, "left", " 100 %")):
        panel.text(place, 0.5, text, ha=ha, va="center", size=8, color=SOFT, transform=panel.transAxes)


def _over(panel: Axes, place: float, points: float, text: str) -> Annotation:
    """Write a text above the rows, at a distance in points."""
    note = panel.annotate(text, (place, 1), (0, points), panel.get_xaxis_transform(), "offset points")
    note.set(ha="center", va="bottom", size=7, color=SOFT)
    return note
