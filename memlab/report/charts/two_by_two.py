"""Stores x defences, two by two: one bucket or four stores, without and with all defences."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memlab.harness.plural import plural
from memlab.harness.scoring.simultaneous import Difference
from memlab.harness.scoring.thresholds import ALL
from memlab.report.charts.style import FAINT, GREY, INK, SOFT, Frame, figure, looks, panels, percent_axis
from memlab.report.tables.two_by_two import (
    BARE,
    BUCKET,
    DESIGN,
    EFFECTS,
    GUARDED,
    HYBRID,
    TwoByTwo,
    finding,
    interaction,
    two_by_two,
)

READING = (
    "Above: share of scenarios passed, with 95 % intervals. Below: effects in points of 100, paired by scenario, with "
    "simultaneous 95 % intervals;\ninteraction: what four stores add with defences, minus what they add without. "
    "Filled dots: the interval excludes 0.\n"
)
LINES = {"four stores": (BARE, HYBRID, "-"), "one bucket": (BUCKET, GUARDED, "--")}
"""Name -> the system without and the one with defences, dashes."""
APART = 0.04
"""Distance of the two lines, so that equal means do not cover each other."""


def title(scores: pd.DataFrame) -> str:
    """Return the finding over all families. Needs all four systems."""
    return finding(two_by_two(scores)[0])


def describe(scores: pd.DataFrame) -> str:
    """Describe the chart in text: the effects over all families. Needs all four systems."""
    design = two_by_two(scores)[0]
    parts = [
        f"{name} {100 * one.interval.mean:+.0f} [{100 * one.interval.low:+.0f} {100 * one.interval.high:+.0f}]"
        for name, one in design.effects.items()
    ]
    return f"scenarios_passed, effects in points: {', '.join(parts)}. {interaction(design)}"


def two_by_two_chart(scores: pd.DataFrame, footer: str) -> Figure | None:
    """Draw the means and the effects for all families and each attack family; None unless all four were run."""
    designs = two_by_two(scores)
    if not designs:
        return None
    chart = figure(12, 6.0, finding(designs[0]), READING + interaction(designs[0]), footer)
    frame = Frame(left=1.05, right=0.35, top=1.6, bottom=0.7, between=0.4, below=0.6)
    axes = panels(chart, 2, len(designs), frame)
    for number, design in enumerate(designs):
        _means(axes[number], design, first=number == 0)
        _effects(axes[len(designs) + number], design, first=number == 0)
    return chart


def _means(panel: Axes, design: TwoByTwo, *, first: bool) -> None:
    name = "all families" if design.family == ALL else design.family
    panel.set_title(name, loc="left", size=9.5, weight="bold", pad=6)
    panel.set_title(plural(design.n, "scenario"), loc="right", size=7.5, color=SOFT, pad=6)
    percent_axis(panel)
    panel.set_xlim(-0.35, 1.35)
    panel.set_xticks([0, 1], ["no defence", "defences"], size=8.5)
    if not first:
        panel.set_yticks([0, 0.25, 0.5, 0.75, 1], [""] * 5)
    styles = looks(DESIGN)
    for (label, (without, with_all, dashes)), shift in zip(LINES.items(), (-APART, APART), strict=True):
        found = [design.means[without], design.means[with_all]]
        places = [shift, 1 + shift]
        panel.plot(places, [one.mean for one in found], dashes, color=SOFT, linewidth=1.4)
        for place, one, look in zip(places, found, (styles[without], styles[with_all]), strict=True):
            panel.plot([place, place], [one.low, one.high], color=look.colour, linewidth=1.8, alpha=0.75)
            panel.plot([place], [one.mean], look.marker, color=look.colour, markersize=6, mec="white", mew=0.6)
        if first:
            middle = sum(one.mean for one in found) / 2
            side, ha = (-8, "right") if shift < 0 else (8, "left")
            panel.annotate(label, (0.5, middle), (side, 0), "data", "offset points", ha=ha, va="center")


def _effects(panel: Axes, design: TwoByTwo, *, first: bool) -> None:
    panel.set_xlim(-1.05, 1.05)
    panel.set_xticks([-1, -0.5, 0, 0.5, 1], ["\N{MINUS SIGN}100", "", "0", "", "+100"], size=8)
    panel.set_ylim(len(EFFECTS) - 0.5, -0.6)
    panel.set_yticks(range(len(EFFECTS)), list(EFFECTS) if first else [""] * len(EFFECTS), size=8.5)
    panel.spines["bottom"].set_color(FAINT)
    panel.grid(axis="x", color=FAINT, linewidth=0.6)
    panel.axvline(0, color=INK, linewidth=0.8)
    for row, effect in enumerate(design.effects.values()):
        panel.axhline(row, color=FAINT, linewidth=0.5, zorder=0)
        _dot(panel, effect, row)


def _dot(panel: Axes, effect: Difference, row: int) -> None:
    mean, low, high, _ = effect.interval
    full = effect.verdict != "open"
    colour = INK if full else GREY
    panel.plot([max(low, -1), min(high, 1)], [row, row], color=colour, linewidth=1.8 if full else 1.2, alpha=0.75)
    panel.plot([mean], [row], "o", color=colour if full else "white", mec=colour, markersize=6 if full else 5)
    points = f"{100 * mean:+.0f}".replace("-", "\N{MINUS SIGN}")
    panel.annotate(
        points, (mean, row), (0, 5), "data", "offset points", ha="center", size=8, color=colour if full else INK
    )
