"""The charts of a comparison, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from memlab.harness.plural import plural
from memlab.harness.scenarios.budgets import OVERLAY
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import METHOD
from memlab.report.charts import ablations, headline, survival, two_by_two
from memlab.report.charts.style import SETTINGS, save
from memlab.report.tables.scores import plain

Title = str | Callable[[pd.DataFrame], str]
CHARTS: dict[str, tuple[Title, Callable[[pd.DataFrame, str], Figure | None], Callable[[pd.DataFrame], str]]] = {
    "two_by_two": (two_by_two.title, two_by_two.two_by_two_chart, two_by_two.describe),
    "headline": (headline.TITLE, headline.headline_chart, headline.describe),
    "budgets": (survival.TITLE, survival.survival_chart, survival.describe),
    "ablations": (ablations.TITLE, ablations.ablation_chart, ablations.describe),
}
"""File name -> title (or the function that computes it), function that draws it, function that describes it."""


@dataclass(frozen=True)
class Chart:
    """One chart on disk; `words` describe it."""

    name: str
    title: str
    words: str
    png: Path
    svg: Path


def draw_all(scores: pd.DataFrame, folder: Path) -> Iterator[Chart]:
    """Draw every chart that the scores allow into a folder; equal scores give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, title, words, chart in figures(scores):
        with mpl.rc_context(SETTINGS):
            yield Chart(name, title, words, *save(chart, folder, name))


def figures(scores: pd.DataFrame) -> Iterator[tuple[str, str, str, Figure]]:
    """Draw every chart that the scores allow; yield its name, its title, its description and the figure."""
    rows = {name: plain(scores) for name in CHARTS} | {"budgets": scores[scores["overlay"] == OVERLAY]}
    for name, (title, draw, describe) in CHARTS.items():
        with mpl.rc_context(SETTINGS):
            if chart := draw(rows[name], _footer(rows[name])):
                words = title if isinstance(title, str) else title(rows[name])
                yield name, words, describe(rows[name]), chart


def _footer(rows: pd.DataFrame) -> str:
    counted = rows[rows["family"] != LIMITS]
    scenarios, seeds = counted["scenario"].nunique(), counted["seed"].nunique()
    families = counted["family"].unique()
    where = f"family {families[0]}" if len(families) == 1 else f"{len(families)} families"
    each = f"{plural(seeds, 'seed')} each{', averaged first' * (seeds > 1)}"
    return f"{plural(scenarios, 'scenario')} of {where}, {each}. 95 % intervals: {METHOD}."
