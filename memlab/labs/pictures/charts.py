"""The charts of a lab: scenarios passed after a step, and the learner's memory compared at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import blended_transform_factory

from memlab.harness.plural import plural
from memlab.harness.scoring.thresholds import ALL
from memlab.report.charts.style import FAINT, GREEN, SETTINGS, SOFT, Frame, figure, looks, panels
from memlab.report.tables.terminal import percent

YOURS = "yours"
WIDTH = 8.0  # inches: the width of a notebook's cell
ROW = 0.46  # inches for one family
HALVES = {
    "safe": "Safe: nothing forbidden was served",
    "useful": "Useful: everything expected was served",
}
Shares = dict[str, float]  # the share of scenarios passed, by family and for ALL


Counts = Mapping[str, Mapping[str, Mapping[str, tuple[int, int]]]]
"""For "safe" and "useful", by system and family: the scenarios that are so at every seed, and how many are tested."""


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
        _legend(axes, [YOURS, *step.rivals])
    return made


def draw_closing_chart(counts: Counts, title: str, reading: str, footer: str) -> Figure:
    """Draw a panel for safe and one for useful: a row for each family, in it a bar for each system, with "3 of 3"."""
    names = list(counts["safe"])
    rows = list(counts["safe"][names[0]])
    with mpl.rc_context(SETTINGS):
        height = 2.1 + 0.6 * len(rows)
        made = figure(WIDTH, height, title, reading, footer)
        both = panels(made, 1, 2, Frame(left=1.25, right=0.7, top=1.45, bottom=0.65, between=0.85))
        for axes, (half, heading) in zip(both, HALVES.items(), strict=True):
            axes.set_title(heading, loc="left", size=9, weight="bold", pad=8)
            _scale(axes, len(rows))
            for row, family in enumerate(rows):
                if not any(counts[half][name][family][1] for name in names):
                    _write(axes, 0.02, row, "not tested").set(size=7.5, color=SOFT)
                    continue
                _counted(axes, row, {name: counts[half][name][family] for name in names})
        for row, family in enumerate(rows):
            label, weight = ("all families", "bold") if family == ALL else (family, "normal")
            _write(both[0], -0.04, row, label).set(ha="right", size=9.5, weight=weight)
        place = {"bbox_to_anchor": (1.15 / WIDTH, 1 - 1.12 / height), "bbox_transform": made.transFigure}
        _legend(both[0], names, **place)
    return made


def _counted(axes: Axes, row: int, found: Mapping[str, tuple[int, int]]) -> None:
    """Draw a bar for each system in one row."""
    for (name, (kept, of)), below in zip(found.items(), (-0.25, 0, 0.25), strict=True):
        look = looks([name])[name]
        axes.barh(row + below, kept / of, 0.14, color=look.colour, linewidth=0)
        axes.plot([kept / of], [row + below], look.marker, color=look.colour, markersize=4, clip_on=False)
        text = _write(axes, 1.04, row + below, f"{kept} of {of}")
        text.set(size=7.5, color=look.ink, weight="bold" if name == YOURS else "normal")


def _scale(axes: Axes, rows: int) -> None:
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100 %"], size=8)
    axes.set_yticks([])
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    axes.spines["bottom"].set_color(FAINT)


def _families(axes: Axes, families: list[str], sizes: Mapping[str, int]) -> None:
    _scale(axes, len(families))
    for row, family in enumerate(families):
        name, weight = ("all families", "bold") if family == ALL else (family, "normal")
        _write(axes, -0.02, row - 0.1, name).set(ha="right", size=9.5, weight=weight)
        many = plural(sizes[family], "scenario")
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


def _legend(axes: Axes, names: Iterable[str], **place: Any) -> None:  # noqa: ANN401 - options of matplotlib
    found = {name: looks([name])[name] for name in names}
    lines = [axes.plot([], [], one.marker, color=one.colour, label=name)[0] for name, one in found.items()]
    place = {"bbox_to_anchor": (-0.02, 1.0)} | place
    axes.legend(handles=lines, loc="lower left", ncols=len(lines), frameon=False, **place)
