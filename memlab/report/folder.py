"""One folder that holds everything a comparison has to show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from memlab.harness.scoring.decisions import Decision
from memlab.report.charts.all import draw_all
from memlab.report.html.attacks import with_attacks
from memlab.report.html.page import page
from memlab.report.html.thresholds import Demands, decide
from memlab.report.tables.junit import write_junit
from memlab.report.tables.paired import write_paired
from memlab.report.tables.scores import complete, failed, fell, score_all
from memlab.report.tables.tidy import COSTS, HEADLINE, tidy, wide, write_csv
from memlab.terms import Result

NOTHING = Demands()


@dataclass(frozen=True)
class Written:
    """What stands in the folder, the scores it was made from (one row for each result), and what a build is told."""

    frame: pd.DataFrame
    files: tuple[Path, ...]
    decisions: tuple[Decision, ...]


def write(
    results: Iterable[Result], folder: Path, demands: Demands = NOTHING, scenarios: Iterable[Path] = ()
) -> Written:
    """Write the tables as CSV, charts as PNG and SVG, report.html, junit.xml; the same results give the same bytes.

    `scenarios` are the folders of the scenario files, by default memlab's own: the page tells failed samples again.
    """
    known = complete(results)
    scores = score_all(known)
    wrong = failed(known, scores)
    folder.mkdir(parents=True, exist_ok=True)
    table, pairs, html, junit = (folder / name for name in ("table.csv", "paired.csv", "report.html", "junit.xml"))
    means = tidy(scores)
    write_csv(with_attacks(means, scores), table)
    write_paired(scores, pairs)
    charts = list(draw_all(scores, folder / "charts"))
    decisions = tuple(decide(known, scores, demands))
    html.write_text(
        page([*wrong, *fell(known, scores)], scores, charts, scenarios, decisions), encoding="utf-8", newline="\n"
    )
    write_junit(known, wrong, _quality(means), decisions, junit)
    images = (path for chart in charts for path in (chart.png, chart.svg))
    return Written(scores, (table, pairs, html, junit, *images), decisions)


def _quality(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Give the means of the headline by system and column, but for the costs, and for what applied nowhere."""
    columns = [column for column in HEADLINE if column not in COSTS]
    return {system: {one: row[one].mean for one in columns if row[one].n} for system, row in wide(table).items()}
