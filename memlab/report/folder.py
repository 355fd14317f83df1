"""Write the report of a comparison into one folder."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from memlab.harness.scoring.decisions import Decision
from memlab.report.charts.all import draw_all
from memlab.report.html.attacks import with_attacks
from memlab.report.html.page import page
from memlab.report.html.thresholds import Requirements, decide
from memlab.report.tables.fixes import own_results
from memlab.report.tables.junit import write_junit
from memlab.report.tables.paired import write_paired
from memlab.report.tables.scores import complete, failed, failed_attacks, score_all
from memlab.report.tables.tidy import COSTS, HEADLINE, by_system, tidy, write_csv
from memlab.report.text import escape_invisible
from memlab.terms import Result

NOTHING = Requirements()


@dataclass(frozen=True)
class Report:
    """The scores (one row for each result), the files of the report, and the decisions on the requirements."""

    frame: pd.DataFrame
    files: tuple[Path, ...]
    decisions: tuple[Decision, ...]


def write(
    results: Iterable[Result], folder: Path, requirements: Requirements = NOTHING, scenarios: Iterable[Path] = ()
) -> Report:
    """Write tables, charts, report.html and junit.xml; equal results give equal bytes.

    `scenarios` are the folders of the scenario files, by default memlab's own; the page needs them for timelines.
    """
    known = complete(results)
    gc.freeze()  # they stay to the end, and the garbage collector would look through all of them again and again
    scores = score_all(known)
    wrong = failed(known, scores)
    folder.mkdir(parents=True, exist_ok=True)
    table, pairs, html, junit = (folder / name for name in ("table.csv", "paired.csv", "report.html", "junit.xml"))
    means = tidy(scores)
    write_csv(with_attacks(means, scores), table)
    write_paired(scores, pairs)
    charts = list(draw_all(scores, folder / "charts"))
    decisions = tuple(decide(known, scores, requirements))
    failures = [*wrong, *failed_attacks(known, scores)]
    content = page(failures, scores, charts, scenarios, decisions, own_results(known))
    html.write_text(content, encoding="utf-8", newline="\n")
    write_junit(known, wrong, _quality(means), decisions, junit)
    printed = write_printed(known, folder / "printed.txt")
    images = (path for chart in charts for path in (chart.png, chart.svg))
    return Report(scores, (table, pairs, html, junit, *printed, *images), decisions)


def write_printed(results: Iterable[Result], path: Path) -> list[Path]:
    """Write what the user's systems printed before each answer; without any, there is no file. Return the file."""
    parts = [
        f"{one.system}, {one.key.scenario}, seed {one.key.seed}, before probe {one.key.probe}:\n{one.printed.strip()}\n"
        for one in results
        if one.printed.strip() and not one.key.overlay
    ]
    path.unlink(missing_ok=True)
    if parts:
        path.write_text(escape_invisible("\n".join(parts)), encoding="utf-8", newline="\n")
    return [path] if parts else []


def _quality(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Map system and quality column to the mean; columns without data are left out."""
    columns = [column for column in HEADLINE if column not in COSTS]
    return {system: {one: row[one].mean for one in columns if row[one].n} for system, row in by_system(table).items()}
