"""Prints what each store of the reference is worth, and draws it: document 003, "what each buys".

    memlab compare --out memlab-results
    python evals/ranking/report_stores.py memlab-results --chart docs/stores.svg

A cell is the loss in points of 100 when a store is taken away and its content goes to another one, paired by scenario
and with a 95 % interval: for all scenarios, for each family, and for those whose timeline has what the store is for.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import pandas as pd

from memlab.harness.running.results import read_results
from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import Interval, difference
from memlab.harness.scoring.thresholds import ALL
from memlab.report.charts.all import figures
from memlab.report.charts.style import SETTINGS, shorten
from memlab.report.tables.paired import values
from memlab.report.tables.scores import by_scenario, families, plain, score_all
from memlab.terms import Event, Kind

REFERENCE = "hybrid"
CONTENT: Mapping[str, frozenset[Kind]] = {
    "facts": frozenset({"fact"}),
    "episodes": frozenset({"episode", "turn", "tool"}),
    "skills": frozenset({"skill"}),
    "working": frozenset({"task"}),
}
"""Each store, and the kinds of events that are its content."""
OWN = "its scenarios"
LARGE = 0.15
_WIDTH = 17


class Loss(NamedTuple):
    """What is lost without a store, in one group of scenarios."""

    store: str
    group: str
    interval: Interval


def losses(scores: pd.DataFrame) -> Iterator[Loss]:
    """Yield the loss in scenarios_passed for each store and group."""
    scenarios = by_scenario(plain(scores))
    having = scenarios_with_content()
    for store in CONTENT:
        for family in (ALL, *(one for one in families(scores) if one != LIMITS)):
            ours, theirs = (
                values(scenarios, name, family, "scenarios_passed") for name in (REFERENCE, f"hybrid-no-{store}")
            )
            yield Loss(store, family, difference(ours, theirs))
            if family == ALL:
                own = {name: value for name, value in ours.items() if name in having[store]}
                yield Loss(store, OWN, difference(own, theirs))


def scenarios_with_content() -> dict[str, set[str]]:
    """Return for each store the ids of the scenarios that have its content."""
    found: dict[str, set[str]] = {store: set() for store in CONTENT}
    for template in load_all([library()]):
        kinds = {step.kind for step in template.sample(0).timeline if isinstance(step, Event)}
        for store, content in CONTENT.items():
            if kinds & content:
                found[store].add(template.file.id)
    return found


def table(found: list[Loss]) -> Iterator[str]:
    """Yield the lines of the report: a row for each group, a column for each store, then the largest loss of each."""
    cells = {(one.store, one.group): one.interval for one in found}
    yield f"{'points lost without':22}" + "".join(f"{store:>{_WIDTH}}" for store in CONTENT)
    for group in dict.fromkeys(one.group for one in found):
        texts = (_text(cells[store, group]) for store in CONTENT)
        yield f"{group:22}" + "".join(f"{text:>{_WIDTH}}" for text in texts)
    for store in CONTENT:
        own = [one for one in found if one.store == store and one.group not in {ALL, OWN}]
        large = [one for one in own if one.interval.mean >= LARGE and one.interval.low > 0]
        most = max(large or own, key=lambda one: one.interval.mean)
        verdict = (
            "at least 15 points, interval above 0" if large else "no family with 15 points and an interval above 0"
        )
        yield f"{store}: {verdict}; most in {most.group}, {_text(most.interval).strip()} of {most.interval.n} scenarios"


def _text(found: Interval) -> str:
    return f"{100 * found.mean:4.0f} [{100 * found.low:.0f}, {100 * found.high:.0f}]"


def draw(scores: pd.DataFrame, path: Path) -> None:
    """Write the chart of the stores taken away as SVG, whose words are text, not outlines: a tenth of the size."""
    as_text = {"svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"]}
    with mpl.rc_context(SETTINGS | as_text):
        chart = next(chart for name, _, _, chart in figures(scores) if name == "ablations")
        picture = StringIO()
        chart.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(shorten(picture.getvalue()).replace("><", ">\n<") + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="the folder of a comparison of all systems")
    parser.add_argument("--chart", type=Path, help="the SVG to write")
    given = parser.parse_args()
    systems = {REFERENCE, *(f"hybrid-no-{store}" for store in CONTENT)}
    results = [one for one in read_results(given.results / "results.jsonl", warn=print) if one.system in systems]
    missing = systems - {one.system for one in results}
    if missing:
        parser.error(f"{given.results} lacks {', '.join(sorted(missing))}: run `memlab compare` with all systems")
    scores = score_all(results)
    print("\n".join(table(list(losses(scores)))))
    if given.chart:
        draw(scores, given.chart)


if __name__ == "__main__":
    main()
