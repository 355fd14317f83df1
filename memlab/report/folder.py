"""One folder that holds everything a comparison has to show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from memlab.report.charts import draw_all
from memlab.report.html import page
from memlab.report.junit import write_junit
from memlab.report.scores import complete, failed, score_all
from memlab.report.table import tidy, write_csv
from memlab.terms import Result


@dataclass(frozen=True)
class Written:
    """What stands in the folder, and the scores it was made from: one row for each result."""

    frame: pd.DataFrame
    files: tuple[Path, ...]


def write(results: Iterable[Result], folder: Path) -> Written:
    """Write table.csv, charts/*.png and *.svg, report.html and junit.xml; the same results give the same bytes."""
    known = complete(results)
    scores = score_all(known)
    wrong = failed(known, scores)
    folder.mkdir(parents=True, exist_ok=True)
    table, html, junit = (folder / name for name in ("table.csv", "report.html", "junit.xml"))
    write_csv(tidy(scores), table)
    charts = list(draw_all(scores, folder / "charts"))
    html.write_text(page(wrong, scores, charts), encoding="utf-8", newline="\n")
    write_junit(known, wrong, junit)
    return Written(scores, (table, html, junit, *(path for chart in charts for path in (chart.png, chart.svg))))
