"""The style of charts: colours for colour-blind readers and grey paper, fonts, and reproducible files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from memlab.harness.scoring.intervals import Interval
from memlab.report.tables.systems import OURS, groups

INK, SOFT, FAINT = "#1f2328", "#6b7280", "#e3e5e8"
BLUE, ORANGE, RED, GREEN, PURPLE, SKY = "#0072b2", "#e69f00", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
"""Six colours of Okabe and Ito 2008, Color Universal Design (RED is their vermilion)."""
OLIVE, BROWN, VIOLET, TEAL, GREY = "#8a7500", "#8c510a", "#6a3d9a", "#01665e", "#8b929c"
"""Darker colours for more systems, each with a mark of its own; GREY for all others."""
PALE_BLUE = "#9cc9e3"
"""A part of what BLUE stands for."""
SHADES = LinearSegmentedColormap.from_list("shades", ["#eef0f3", "#9cc4e0", "#00507d"])
"""Shares from 0 to 1, light to dark, as the colours of cells."""
APART = 0.052
"""Smallest distance between two names, as a share of the panel's height."""
SETTINGS: dict[Any, Any] = {
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": SOFT,
    "axes.linewidth": 0.6,
    "axes.unicode_minus": True,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "svg.hashsalt": "memlab",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Look:
    """How one system is drawn in every chart, its name in `ink`; `loud` systems are emphasised."""

    colour: str
    ink: str
    marker: str
    dashes: str
    loud: bool = True

    @property
    def size(self) -> float:
        """Return the size of its mark in points."""
        return 6.2 if self.loud else 3.8 if self.marker == QUIET.marker else 5.5

    @property
    def weight(self) -> str:
        """Return the weight of its name."""
        return "bold" if self.loud else "normal"


QUIET = Look(GREY, INK, "o", ":", loud=False)
LOOKS = {
    OURS: Look(BLUE, "#00609a", "o", "-"),
    "bucket-search": Look(RED, "#b04a00", "s", "--"),
    "bucket-recent": Look(ORANGE, "#8f6200", "D", "-."),
    "bucket-guarded": Look(PURPLE, "#984a76", "v", "--"),
    "bm25": Look(SKY, "#1a6d9c", "P", ":", loud=False),
    "lab06": Look(OLIVE, "#6b5a00", "X", ":", loud=False),
    "lab07": Look(INK, INK, "*", ":", loud=False),
    "hybrid-undefended": Look(PALE_BLUE, "#3b6f8f", "h", ":", loud=False),
}
"""The look of each compared system that memlab ships, and of `hybrid-undefended`, which has a chart of its own."""
YOURS = (
    Look(GREEN, "#00734f", "^", "--"),
    Look(VIOLET, VIOLET, ">", "--"),
    Look(BROWN, BROWN, "<", "--"),
    Look(TEAL, TEAL, "p", "--"),
)
"""The looks of the user's systems, in the order of their names; a fifth has the first again."""


@dataclass(frozen=True)
class Frame:
    """The space around the panels of a figure, in inches."""

    left: float
    right: float
    top: float
    bottom: float
    between: float = 0.0
    below: float = 0.0


def looks(systems: Iterable[str]) -> dict[str, Look]:
    """Return the look of each system, the same in every chart; other ablations and degenerate systems are grey."""
    kinds = groups(systems)
    yours = sorted(system for system, group in kinds.items() if group == "yours")
    known = {**LOOKS, **dict(zip(yours, cycle(YOURS), strict=False))}
    return {system: known.get(system, QUIET) for system in sorted(kinds)}


class DisplayedFigure(Figure):
    """A figure that Jupyter displays, without pyplot."""

    def _repr_png_(self) -> bytes:
        return to_png(self)


def to_png(chart: Figure) -> bytes:
    """Return a figure as PNG (100 dots to the inch)."""
    picture = BytesIO()
    chart.savefig(picture, format="png", dpi=100)
    return picture.getvalue()


def figure(width: float, height: float, title: str, reading: str, footer: str) -> Figure:
    """Create a figure of a size in inches, with its title, a legend in words, and a footer on the data."""
    chart = DisplayedFigure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(chart)
    left = 0.25 / width
    chart.text(left, 1 - 0.22 / height, title, size=15, weight="bold", va="top")
    chart.text(left, 1 - 0.56 / height, reading, size=9.5, color=SOFT, va="top", linespacing=1.4)
    chart.text(left, 0.16 / height, footer, size=7.5, color=SOFT, va="bottom", linespacing=1.4)
    return chart


def panels(chart: Figure, rows: int, columns: int, frame: Frame) -> list[Axes]:
    """Divide the space inside the frame into equal panels, row by row, without boxes."""
    width, height = chart.get_size_inches()
    panel_width = (width - frame.left - frame.right - frame.between * (columns - 1)) / columns
    panel_height = (height - frame.top - frame.bottom - frame.below * (rows - 1)) / rows
    found = []
    for row in range(rows):
        for column in range(columns):
            left = frame.left + column * (panel_width + frame.between)
            bottom = height - frame.top - panel_height - row * (panel_height + frame.below)
            axes = chart.add_axes((left / width, bottom / height, panel_width / width, panel_height / height))
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(length=0, pad=4)
            axes.set_axisbelow(True)
            found.append(axes)
    return found


def percent_axis(panel: Axes) -> None:
    """Scale the vertical axis from 0 to 100 %, with lines at the quarters."""
    panel.set_ylim(-0.02, 1.02)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    panel.tick_params(axis="y", colors=SOFT)
    panel.grid(axis="y", color=FAINT, linewidth=0.7)


def draw_curve(panel: Axes, curve: Mapping[int, Interval], look: Look, band: float, **line: Any) -> None:  # noqa: ANN401 - as in plot
    """Draw the means of a curve; for `loud` systems also a band of its intervals, with the opacity `band`."""
    means, order = [point.mean for point in curve.values()], 3 if look.loud else 2
    (drawn,) = panel.plot(list(curve), means, look.dashes, color=look.colour, clip_on=False, zorder=order, **line)
    drawn.set(marker=look.marker, markeredgecolor="white")
    if look.loud:
        lows, highs = [point.low for point in curve.values()], [point.high for point in curve.values()]
        panel.fill_between(list(curve), lows, highs, color=look.colour, alpha=band, linewidth=0)


def spread(ends: dict[str, float], apart: float = APART) -> dict[str, float]:
    """Return positions in [0, 1] at which names do not overlap; ties keep their order."""
    order = sorted(ends, key=lambda system: ends[system])
    places: dict[str, float] = {}
    floor = 0.0
    for system in order:
        places[system] = floor = max(ends[system], floor)
        floor += apart
    ceiling = 1.0
    for system in reversed(order):
        places[system] = ceiling = min(places[system], ceiling)
        ceiling -= apart
    return places


def shorten(svg: str) -> str:
    """Return an SVG without its head and its indentation, with coordinates of two decimals."""
    short = re.sub(r"([1-9]\d*\.\d\d)\d+", r"\1", svg[svg.index("<svg") :])
    return re.sub(r"\s+", " ", short).replace("> <", "><")


def save(chart: Figure, folder: Path, name: str) -> tuple[Path, Path]:
    """Write a figure as PNG (150 dots to the inch) and SVG; neither holds a date or a version."""
    png, svg = folder / f"{name}.png", folder / f"{name}.svg"
    chart.savefig(png, dpi=150, metadata={"Software": None})
    chart.savefig(svg, metadata={"Date": None, "Creator": None})
    return png, svg
