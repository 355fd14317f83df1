"""The reference against each rival, scenario by scenario: who wins where."""

from __future__ import annotations

import pandas as pd

from memlab.harness.scenario_file import LIMITS
from memlab.harness.statistics import Interval, difference
from memlab.report.roster import OURS
from memlab.report.scores import by_scenario, plain
from memlab.report.table import ALL, FAMILY_OF

QUESTIONS = {
    **{column: (family, "scenarios_passed") for column, family in FAMILY_OF.items()},
    "task_survival": (ALL, "task_survival"),
    **{f"recall/{metric}": ("recall", metric) for metric in ("scenarios_passed", "recall_precision", "recall")},
}
"""What is asked, as family and metric: the four attack columns, and the family in which nobody attacks."""
CAPTION = (
    f"{OURS} minus the other, in points of 100, paired over n scenarios, with its 95 % interval. ahead, behind: {OURS} "
    "is, and the interval leaves out 0; open: it does not."
)
COLUMNS = ["question", "rival", *Interval._fields, "verdict"]


def differences(scores: pd.DataFrame, rivals: list[str]) -> pd.DataFrame:
    """Give the reference minus each rival for each of QUESTIONS that was played, over what both have, in [-1, 1].

    `verdict` is `ahead` or `behind` where the 95 % interval leaves out 0, and `open` where it does not.
    """
    scenarios = by_scenario(plain(scores))
    rows = []
    for question, (family, metric) in QUESTIONS.items():
        ours = values(scenarios, OURS, family, metric)
        found = {rival: difference(ours, values(scenarios, rival, family, metric)) for rival in rivals}
        if any(one.n for one in found.values()):
            rows += [(question, rival, *one, verdict(one)) for rival, one in found.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def values(scenarios: pd.DataFrame, system: str, family: str, metric: str) -> dict[str, float]:
    """Give scenario -> value of one system, in one family or in all that count."""
    index = scenarios.index
    of_family = index.get_level_values("family")
    inside = of_family != LIMITS if family == ALL else of_family == family
    rows = scenarios[inside & (index.get_level_values("system") == system)]
    return dict(zip(rows.index.get_level_values("scenario"), rows[metric].tolist(), strict=True))


def verdict(found: Interval) -> str:
    """Say if a difference is decided, and which way."""
    if found.low > 0:
        return "ahead"
    return "behind" if found.high < 0 else "open"
