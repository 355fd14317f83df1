"""The tidy table: system, family, metric, mean, low, high, n."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pandas as pd

from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import Interval, interval, median
from memlab.harness.scoring.judged_result import cached_by_identity
from memlab.harness.scoring.thresholds import ALL
from memlab.report.tables.scores import QUALITY, by_scenario, families, labelled, plain

FAMILY_OF = {"poison_resistance": "poison", "staleness_safety": "stale", "contradiction_currency": "contradiction"}
"""The columns that are the scenario score of one family."""
HALVES = ("safe", "useful")
COSTS = ("tokens", "seconds", "observe_seconds")
HEADLINE = {
    "scenarios_passed": "scenarios in which every answer holds what is expected and nothing forbidden",
    "recall_precision": "share of the served text that is relevant; no answer counts 0",
    "recall": "share of the relevant claims that were served",
    "poison_resistance": "scenarios passed in which an untrusted source lies or gives instructions",
    "staleness_safety": "scenarios passed in which a stored fact is no longer true",
    "contradiction_currency": "scenarios passed in which one of two statements is current",
    "task_survival": "contexts that contain rules, goal, next to-do and the facts to keep, complete",
    "recited": "contexts that end with the open to-dos, the next one first",
    "tokens": "median size of an answer before it is cut, characters divided by four",
    "seconds": "median time of an answer on this machine",
    "observe_seconds": "median time to store one event on this machine",
}
"""The headline columns and their definitions."""
DRAWN = tuple(name for name in HEADLINE if name != "observe_seconds")
"""The columns that the chart of all systems has a panel for."""
LABELLED = "with_labels"
SHOWN = {
    "scenarios_passed": HEADLINE["scenarios_passed"],
    LABELLED: "scenarios_passed, if every statement carries the author's label of its subject",
    "safe": "scenarios in which nothing forbidden was served",
    "useful": "scenarios in which everything expected was served",
    **HEADLINE,
}
"""The columns of the results table: those of the headline, the one with subject labels, and the halves of a score."""
COLUMNS = ["system", "family", "metric", *Interval._fields]
Row = tuple[str, str, str, Interval]


@cached_by_identity(limit=1)  # every part of a report needs it
def tidy(scores: pd.DataFrame) -> pd.DataFrame:
    """Return every mean with its 95 % interval and n; family `all` holds the headline, without `limits`.

    Quality is in [0, 1], and its n is the number of scenarios. Tokens (per context), seconds (per probe) and
    observe_seconds (per event) are medians over n probes; each probe counts with the median over its seeds. Metrics
    without data have n 0 in the headline and no row elsewhere.
    """
    rows = [*_quality(by_scenario(plain(scores))), *_with_labels(scores), *_costs(plain(scores))]
    frame = pd.DataFrame([(*place, *found) for *place, found in rows], columns=COLUMNS)
    order = [list(dict.fromkeys(scores["system"])), [ALL, *families(scores)], _names()]
    for column, names in zip(COLUMNS, order, strict=False):
        frame[column] = pd.Categorical(frame[column], names)
    frame = frame.sort_values(COLUMNS[:3], ignore_index=True)
    return frame.astype(dict.fromkeys(COLUMNS[:3], object))


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write the tidy table; equal results give equal bytes."""
    table.to_csv(path, index=False, float_format="%.6f", lineterminator="\n", encoding="utf-8")


def by_system(table: pd.DataFrame, family: str = ALL) -> dict[str, dict[str, Interval]]:
    """Return the rows of one family as system -> metric -> interval, in the table's order."""
    found: dict[str, dict[str, Interval]] = {}
    for system, _, metric, mean, low, high, n in table[table["family"] == family].itertuples(index=False):
        found.setdefault(system, {})[metric] = Interval(mean, low, high, n)
    return found


def shown_columns(table: pd.DataFrame) -> list[str]:
    """Return the columns of the results table that have a figure for any system."""
    known = set(table.loc[(table["family"] == ALL) & (table["n"] > 0), "metric"])
    return [column for column in SHOWN if column in known]


def ranked(table: pd.DataFrame) -> list[str]:
    """Return the systems, most scenarios passed first, then by name."""
    passed = {system: found["scenarios_passed"].mean for system, found in by_system(table).items()}
    return sorted(passed, key=lambda system: (isnan(passed[system]), -passed[system], system))


def _names() -> list[str]:
    halves = [name for column in FAMILY_OF for name in (column, *(f"{column}_{half}" for half in HALVES))]
    quality = dict.fromkeys(["scenarios_passed", LABELLED, *list(HEADLINE)[1:3], *halves, *HEADLINE, *QUALITY])
    return [name for name in quality if name not in COSTS] + list(COSTS)


def _quality(scenarios: pd.DataFrame) -> Iterator[Row]:
    for system, family, values in _sections(scenarios):
        for metric, column in _columns(values):
            found = interval(column)
            if found.n or (family == ALL and metric in HEADLINE):
                yield system, family, metric, found
        if family == ALL:
            yield from ((system, family, metric, found) for metric, found in _attacks(values))


def _with_labels(scores: pd.DataFrame) -> Iterator[Row]:
    for system, family, values in _sections(by_scenario(labelled(scores))):
        yield system, family, LABELLED, interval(values["scenarios_passed"].tolist())


def _attacks(scenarios: pd.DataFrame) -> Iterator[tuple[str, Interval]]:
    families = scenarios.index.get_level_values("family")
    for column, family in FAMILY_OF.items():
        own = scenarios[families == family]
        yield column, interval(own["scenarios_passed"].tolist())
        for half in HALVES:
            yield f"{column}_{half}", interval(own[half].tolist())


def _costs(scores: pd.DataFrame) -> Iterator[Row]:
    probes = scores.groupby(["system", "family", "scenario", "probe"], sort=False)[list(COSTS)].median()
    for system, family, values in _sections(probes):
        for metric, column in _columns(values):
            found = median(column)
            if found.n or family == ALL:
                yield system, family, metric, found


def _columns(values: pd.DataFrame) -> Iterator[tuple[str, list[float]]]:
    return zip(values.columns, values.to_numpy().T.tolist(), strict=True)


def _sections(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Cut a frame into the rows of each system, in all families that count and in each."""
    counted = frame[frame.index.get_level_values("family") != LIMITS]
    for system, values in counted.groupby(level="system", sort=False):
        yield str(system), ALL, values
    for (name, family), own in frame.groupby(level=["system", "family"], sort=False):
        yield str(name), str(family), own
