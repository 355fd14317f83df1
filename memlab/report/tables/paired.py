"""Paired differences between the reference and each rival, scenario by scenario."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import Interval, difference
from memlab.harness.scoring.paired_tests import LEVEL, holm, sign_flip
from memlab.harness.scoring.thresholds import ALL
from memlab.report.tables.scores import by_scenario, plain
from memlab.report.tables.systems import OURS, rivals
from memlab.report.tables.tidy import FAMILY_OF

QUESTIONS = {
    **{column: (family, "scenarios_passed") for column, family in FAMILY_OF.items()},
    "task_survival": (ALL, "task_survival"),
    **{f"recall/{metric}": ("recall", metric) for metric in ("scenarios_passed", "recall_precision", "recall")},
}
"""Family and metric of each question: the attack columns, and the family without attacks."""
CAPTION = (
    f"{OURS} minus the other, in points of 100, paired over n scenarios, with its 95 % interval. ahead, behind: {OURS} "
    "is, with p at most .05; open: neither is. p: exact sign-flip test, adjusted (Holm) over the questions about one "
    "rival."
)
COLUMNS = ["question", "rival", *Interval._fields, "p", "verdict"]


def differences(scores: pd.DataFrame, others: list[str]) -> pd.DataFrame:
    """Return the reference minus each rival for each of QUESTIONS, over the scenarios of both, in [-1, 1].

    `p` is that of the two-sided sign-flip test, adjusted by Holm over the questions, for each rival by itself: other
    systems of the run do not change it. `verdict` is `ahead` or `behind` if p is at most LEVEL, else `open`: of
    seven intervals for equal memories too many exclude 0.
    """
    scenarios = by_scenario(plain(scores))
    rows = []
    for question, (family, metric) in QUESTIONS.items():
        ours = values(scenarios, OURS, family, metric)
        theirs = {rival: values(scenarios, rival, family, metric) for rival in others}
        found = {rival: difference(ours, theirs[rival]) for rival in others}
        if any(one.n for one in found.values()):
            for rival, one in found.items():
                other = theirs[rival]
                p = sign_flip(ours[scenario] - other[scenario] for scenario in ours if scenario in other)
                rows.append((question, rival, *one, p))
    frame = pd.DataFrame(rows, columns=COLUMNS[:-1])
    for rival in others:
        own = frame["rival"] == rival
        frame.loc[own, "p"] = pd.Series(holm(frame.loc[own, "p"].to_dict()), dtype=float)
    verdicts = [verdict(mean, p) for mean, p in zip(frame["mean"], frame["p"], strict=True)]
    return frame.assign(verdict=pd.Series(verdicts, dtype=object))


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


def verdict(mean: float, p: float) -> str:
    """Return `ahead`, `behind` or `open`; NaN is open."""
    return ("ahead" if mean > 0 else "behind") if p <= LEVEL else "open"
