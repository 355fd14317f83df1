"""Results by budget and length of history: a table, a sentence, and the charts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from rich.table import Table
from rich.text import Text

from memlab.harness.curves import Point
from memlab.report.charts.budget_curves import curves_chart, grids_chart
from memlab.report.charts.style import SETTINGS, save
from memlab.report.tables.budget_means import MEASURES, Means
from memlab.report.tables.folding import fit_to_content
from memlab.report.tables.systems import display_name, main_systems, short
from memlab.report.tables.terminal import NONE, percent, share, style_of

MIDDLE = 1_000
"""The table shows the budget nearest to it, in tokens."""
LONGEST = 18
CAPTION = """\
survives: share of contexts of {budget:,} tokens that contain rules, goal and next to-do, complete, in %
recall: share of the relevant claims in the context, in %
by number of episodes; the longest history with its 95 % interval"""


def frame_of(points: Iterable[Point]) -> pd.DataFrame:
    """Return the tidy table, with the columns of Point."""
    return pd.DataFrame(list(points), columns=list(Point._fields))


def write(points: pd.DataFrame, folder: Path) -> None:
    """Draw the charts as PNG and SVG; equal points give equal bytes."""
    charts = folder / "charts"
    charts.mkdir(parents=True, exist_ok=True)
    means = Means(points)
    with mpl.rc_context(SETTINGS):
        save(curves_chart(means), charts, "curves")
        save(grids_chart(means), charts, "grids")


def describe(points: pd.DataFrame) -> str:
    """Describe the charts in text: the main systems at one budget."""
    means = Means(points)
    budget, last = means.nearest(MIDDLE), means.histories[-1]
    parts = []
    for system in main_systems(means.overall):
        ends = [means.at(measure, system, last, budget) for measure in MEASURES]
        shares = [f"{measure} {end.mean:.0%}" for measure, end in zip(MEASURES, ends, strict=True) if end]
        parts.append(f"{system} {', '.join(shares) or means.error(system, last)}")
    return f"In {budget:,} tokens after {last:,} episodes: {'; '.join(parts)}."


def curves_table(points: pd.DataFrame) -> Table:
    """Return a table of both metrics by length of history, at one budget; print it with `soft_wrap`."""
    means = Means(points)
    budget = means.nearest(MIDDLE)
    caption = Text(CAPTION.format(budget=budget))
    grid = Table(box=None, padding=(0, 1, 0, 0), caption=caption, caption_justify="left", header_style="bold")
    grid.add_column("system", no_wrap=True, vertical="bottom")
    for measure in MEASURES:
        for number, history in enumerate(means.histories):
            grid.add_column(f"{'' if number else measure}\n{history:,}", justify="right", no_wrap=True)
    for system in means.overall:
        grid.add_row(
            Text(short(display_name(system, means.overall), LONGEST), style_of(system)), *_cells(means, system, budget)
        )
    return fit_to_content(grid)


def _cells(means: Means, system: str, budget: int) -> Iterator[Text]:
    for measure in MEASURES:
        for history in means.histories:
            found = means.at(measure, system, history, budget)
            if found is None:
                yield Text(means.error(system, history) or NONE, "dim")
            else:
                yield share(found) if history == means.histories[-1] else Text(percent(found.mean))
