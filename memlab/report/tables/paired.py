"""Paired differences between the reference and each rival, scenario by scenario."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import Interval
from memlab.harness.scoring.simultaneous import simultaneous
from memlab.harness.scoring.thresholds import ALL
from memlab.report.tables.scores import by_scenario, plain
from memlab.report.tables.systems import OURS, rivals
from memlab.report.tables.tidy import FAMILY_OF

QUESTIONS = {
    **{column: (family, "scenarios_passed") for column, family in FAMILY_OF.items()},
    "task_survival": (ALL, "task_survival"),
    "family recall: passed": ("recall", "scenarios_passed"),
    "family recall: precision": ("recall", "recall_precision"),
    "family recall: recall": ("recall", "recall"),
}
"""Family and metric of each question: the attack columns, and the family without attacks."""
CAPTION = (
    f"{OURS} minus the other, in points of 100, paired over n scenarios. ahead, behind: the interval excludes 0; open: "
    "it does not. Intervals and p are adjusted for all questions about one rival (Bonferroni): the chance of any false "
    "ahead or behind is at most 5 %. p: exact sign-flip test, at most .05 exactly where the interval excludes 0."
)
COLUMNS = ["question", "rival", *Interval._fields, "p", "verdict"]


def differences(scores: pd.DataFrame, others: list[str]) -> pd.DataFrame:
    """Return the reference minus each rival for each of QUESTIONS, over the scenarios of both, in [-1, 1].

    All questions about one rival are one family of tests (see `simultaneous`): other systems of the run do not change
    their results. `verdict` is `ahead` or `behind` if p is at most LEVEL (then the interval excludes 0), else `open`.
    """
    scenarios = by_scenario(plain(scores))
    found = {rival: simultaneous(_questions(scenarios, rival)) for rival in others}
    rows = [
        (question, rival, *found[rival][question].interval, found[rival][question].p, found[rival][question].verdict)
        for question in QUESTIONS
        if any(found[rival][question].interval.n for rival in others)
        for rival in others
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"verdict": object, "p": float})


def _questions(scenarios: pd.DataFrame, rival: str) -> dict[str, list[float]]:
    """Return the differences from one rival for each of QUESTIONS, over the scenarios of both."""
    differences = {}
    for question, (family, metric) in QUESTIONS.items():
        ours, theirs = (values(scenarios, system, family, metric) for system in (OURS, rival))
        differences[question] = [ours[scenario] - theirs[scenario] for scenario in ours if scenario in theirs]
    return differences


def write_paired(scores: pd.DataFrame, path: Path) -> None:
    """Write the differences from every rival of the run; equal results give equal bytes."""
    frame = differences(scores, rivals(scores["system"].unique()) if OURS in set(scores["system"]) else [])
    frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n", encoding="utf-8")


def values(scenarios: pd.DataFrame, system: str, family: str, metric: str) -> dict[str, float]:
    """Return scenario -> value of one system, in one family or in all that count."""
    index = scenarios.index
    of_family = index.get_level_values("family")
    inside = of_family != LIMITS if family == ALL else of_family == family
    rows = scenarios[inside & (index.get_level_values("system") == system)]
    return dict(zip(rows.index.get_level_values("scenario"), rows[metric].tolist(), strict=True))
