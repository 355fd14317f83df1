"""Tables of a comparison on a data set: what was retrieved, with intervals clustered by conversation."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from rich.text import Text

from memlab.harness.datasets.judging import COLUMNS, COSTS, judge
from memlab.harness.scoring.clustered_intervals import ClusteredInterval, clustered_interval
from memlab.harness.scoring.intervals import Interval, median
from memlab.report.tables.folding import Column, Folded
from memlab.report.tables.systems import display_name, short
from memlab.report.tables.terminal import LONGEST, NONE, cost, percent, share, style_of
from memlab.terms import Result

ALL = "all"
READING = (
    "Means over n questions in %, then the 95 % interval, clustered: the questions of one conversation are not "
    "independent. recall@5, @10: share of the cited events in the top items; @500t, @2000t: in the first 500 and 2,000 "
    "tokens. newest@5, @10: the newest value is in the top items; newest_first: and no older one before it. gold@5, "
    "poison@5: questions with the answer, and with planted text, in the top 5; poison_share@5: planted items of the "
    "top 5 (lower is better; a system that serves nothing also has 0). abstains: nothing served where there is no "
    "answer. Medians: tokens of the top 10, seconds of a question, observe_seconds of an event. Design effect, lowest "
    "to highest of all systems: variance of the mean divided by the variance if all questions were independent. "
    f"{NONE} does not apply, because the system returns one context and no ranked list."
)


def judged_frame(results: Iterable[Result]) -> pd.DataFrame:
    """Return one row for each result: system, kind, cluster, error, and every column."""
    rows = [
        {
            "system": one.system,
            "kind": one.key.family.partition("/")[2],
            "cluster": one.key.scenario,
            "error": bool(one.error),
        }
        | judge(one)
        for one in results
    ]
    return pd.DataFrame(rows)


def tidy_dataset(frame: pd.DataFrame) -> pd.DataFrame:
    """Return every mean: system, kind (`all` first), metric, mean, low, high, n, clusters, design_effect.

    Costs are medians, which have no design effect.
    """
    rows = []
    for system, own in frame.groupby("system", sort=False):
        for kind, some in [(ALL, own), *own.groupby("kind", sort=True)]:
            for metric in COLUMNS:
                found = clustered_interval(some[metric].tolist(), some["cluster"].tolist())
                if found.n or kind == ALL:
                    rows.append((system, kind, metric, *found))
            for metric in COSTS:
                middle = median(some[metric].tolist())
                rows.append((system, kind, metric, *middle, some["cluster"].nunique(), float("nan")))
    return pd.DataFrame(rows, columns=["system", "kind", "metric", *ClusteredInterval._fields])


def dataset_table(name: str, frame: pd.DataFrame, table: pd.DataFrame) -> Folded:
    """Return the table for a terminal: one row for each system, and the range of design effects."""
    headline = table[table["kind"] == ALL]
    systems = list(dict.fromkeys(headline["system"]))
    failed = set(frame.loc[frame["error"], "system"])
    names = [
        Text(short(display_name(one, systems), LONGEST) + ("!" if one in failed else ""), style_of(one))
        for one in systems
    ]
    columns = []
    for metric, own in headline.groupby("metric", sort=False):
        if own["n"].max() > 0:
            columns.append(_column(str(metric), own))
    legend = ["! raised an error on at least one question, which counts as nothing served"] if failed else []
    rows = Column(name, [*names, Text("design effect", "dim")], "left")
    return Folded([rows], columns, "\n".join([READING, *legend]))


def _column(metric: str, own: pd.DataFrame) -> Column:
    found = [ClusteredInterval(*row) for row in own[list(ClusteredInterval._fields)].itertuples(index=False)]
    most = max(found, key=lambda one: one.n)
    if metric in COSTS:
        return Column(f"{metric}\nn={most.n}", [*(Text(cost(metric, Interval(*one[:4]))) for one in found), Text()])
    effects = [one.design_effect for one in found if one.design_effect == one.design_effect]
    spread = f"{min(effects):.1f}-{max(effects):.1f}" if effects else NONE
    head = f"{metric}\nn={most.n:,}\nin {most.clusters:,}"
    return Column(head, [*map(_cell, found), Text(spread, "dim")])


def _cell(found: ClusteredInterval) -> Text:
    if found.n and found.clusters == 1:
        return Text(percent(found.mean))
    return share(Interval(*found[:4]))


def write_dataset_csv(table: pd.DataFrame, path: Path) -> None:
    """Write the tidy table; equal results give equal bytes."""
    table.to_csv(path, index=False, float_format="%.6f", lineterminator="\n", encoding="utf-8")
