"""The charts of a lab: scenarios passed after a step, and the learner's memory compared at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import blended_transform_factory

from memlab.harness.scoring.intervals import Interval
from memlab.harness.scoring.thresholds import ALL
from memlab.report.charts.style import FAINT, GREEN, SETTINGS, SOFT, Frame, figure, looks, panels
from memlab.report.tables.terminal import percent
from memlab.report.tables.tidy import FAMILY_OF, HALVES

YOURS = "yours"
WIDTH = 8.0  # inches: the width of a notebook's cell
ROW = 0.46  # inches for one family
COLUMNS = (
    "scenarios_passed",
    "recall",
    *(f"{column}_{half}" for column in FAMILY_OF for half in HALVES),
    "task_survival",
    "recited",
)
"""The columns of the closing chart, as the headline table calls them."""
ACROSS = 4  # panels side by side
Shares = dict[str, float]  # the share of scenarios passed, by family and for ALL


@dataclass(frozen=True)
class Step:
    """The scenarios passed after a step (`now`), at the chart of the step `last`, if any (`before`), and by rivals."""

    name: str
    now: Shares
    last: str
    before: Shares
    rivals: Mapping[str, Shares]
    sizes: Mapping[str, int]


def draw_progress(step: Step) -> Figure:
    """Draw one bar for each family, before and now, with the rivals as marks below it."""
    change = " Pale: before. Full: gained. Hatched: lost." if step.last else ""
    with mpl.rc_context(SETTINGS):
        reading = f"Share of this lab's scenarios passed.{change}"
        title = f"Scenarios passed after step {step.name!r}"
        made = figure(WIDTH, 1.6 + ROW * len(step.now), title, reading, "")
        (axes,) = panels(made, 1, 1, Frame(left=1.75, right=1.25, top=1.2, bottom=0.4))
        _families(axes, list(step.now), step.sizes)
        for row, (family, now) in enumerate(step.now.items()):
            _bar(axes, row, now, step.before.get(family, 0.0) if step.last else 0.0, first=not step.last)
            _marks(axes, row, {name: found[family] for name, found in step.rivals.items()})
        _legend(axes, step.rivals)
    return made


def draw_closing_chart(number: str, found: Mapping[str, Mapping[str, Interval]], footer: str) -> Figure:
    """Draw one panel for each column that applies to a lab ("06"): three systems, each with its 95 % interval."""
    columns = [column for column in COLUMNS if any(each[column].n for each in found.values())]
    lines = -(-len(columns) // ACROSS)
    with mpl.rc_context(SETTINGS):
        reading = "A mark is a mean, its line the 95 % interval. Right is better."
        made = figure(WIDTH, 1.55 + 1.5 * lines, f"Lab {number}: your memory beside two others", reading, footer)
        frame = Frame(left=1.15, right=0.3, top=1.4, bottom=0.65, between=0.3, below=0.9)
        all_axes = panels(made, lines, ACROSS, frame)
        for axes, column in zip(all_axes, columns, strict=False):
            _column(axes, column, {name: each[column] for name, each in found.items()})
        for axes in all_axes[: len(columns) : ACROSS]:
            _names(axes, list(found))
        for axes in all_axes[len(columns) :]:
            axes.set_visible(False)
    return made


def _families(axes: Axes, families: list[str], sizes: Mapping[str, int]) -> None:
    axes.set_ylim(len(families) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"], size=8)
    axes.set_yticks([])
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.spines["bottom"].set_color(FAINT)
    for row, family in enumerate(families):
        name, weight = ("all families", "bold") if family == ALL else (family, "normal")
        _write(axes, -0.02, row - 0.1, name).set(ha="right", size=9.5, weight=weight)
        many = f"{sizes[family]} scenario{'s' * (sizes[family] != 1)}"
        _write(axes, -0.02, row + 0.26, many).set(ha="right", size=7.5, color=SOFT)


def _bar(axes: Axes, row: int, now: float, before: float, *, first: bool) -> None:
    middle, high = row - 0.12, 0.36
    axes.barh(middle, min(now, before), high, color=GREEN, alpha=0.4, linewidth=0)
    axes.barh(middle, max(now - before, 0), high, left=before, color=GREEN, linewidth=0)
    if now < before:
        axes.barh(middle, before - now, high, left=now, color="white", edgecolor=GREEN, hatch="////", linewidth=0.8)
    was = "" if first or now == before else f"{percent(before)} \N{RIGHTWARDS ARROW} "
    _write(axes, 1.04, middle, f"{was}{percent(now)} %").set(color=looks([YOURS])[YOURS].ink, size=9, weight="bold")


def _write(axes: Axes, left: float, row: float, text: str) -> Text:
    """Write text beside a row; `left` is a share of the panel's width."""
    beside = blended_transform_factory(axes.transAxes, axes.transData)
    return axes.text(left, row, text, transform=beside, va="center")


def _marks(axes: Axes, row: int, found: Mapping[str, float]) -> None:
    for (name, share), below in zip(found.items(), (0.18, 0.32), strict=True):
        look = looks([name])[name]
        axes.plot([0, share], [row + below] * 2, color=look.colour, linewidth=1.4)
        axes.plot([share], [row + below], look.marker, color=look.colour, markersize=4.5, clip_on=False, zorder=3)


def _legend(axes: Axes, rivals: Mapping[str, Shares]) -> None:
    names = {YOURS: (GREEN, "s"), **{name: (looks([name])[name].colour, looks([name])[name].marker) for name in rivals}}
    lines = [axes.plot([], [], marker, color=colour, label=name)[0] for name, (colour, marker) in names.items()]
    axes.legend(handles=lines, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=len(lines), frameon=False)


def _column(axes: Axes, column: str, found: Mapping[str, Interval]) -> None:
    half = next((f"_{half}" for half in HALVES if column.endswith(f"_{half}")), "")
    title = f"{column.removesuffix(half)}\n{half}" if half else column
    axes.set_title(title, loc="left", size=7.8, weight="bold", pad=14)
    axes.set_xlim(-0.04, 1.04)
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"], size=7.5)
    axes.set_yticks([])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.spines["bottom"].set_color(FAINT)
    n = max(one.n for one in found.values())
    axes.annotate(f"{n} scenario{'s' * (n != 1)}", (0, 1), (0, 3), "axes fraction", "offset points", size=7, color=SOFT)
    for row, (name, one) in enumerate(found.items()):
        look = looks([name])[name]
        axes.axhline(row, color=FAINT, linewidth=0.5, zorder=0)
        if one.n:
            axes.plot([one.low, one.high], [row, row], color=look.colour, linewidth=2, alpha=0.75)
            axes.plot(
                [one.mean], [row], look.marker, color=look.colour, markersize=6, mec="white", mew=0.6, clip_on=False
            )


def _names(axes: Axes, names: list[str]) -> None:
    for row, name in enumerate(names):
        weight = "bold" if name == YOURS else "normal"
        _write(axes, -0.12, row, name).set(ha="right", size=8.5, color=looks([name])[name].ink, weight=weight)
