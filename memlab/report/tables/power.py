"""The smallest difference that a set of scenarios can detect, computed before a run."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan

from rich.table import Table

from memlab.harness.running.runner import error_results
from memlab.harness.scenarios.loading import Template
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.power import independent_difference, nested_difference
from memlab.report.tables.scores import families, score_all
from memlab.report.tables.tidy import COSTS, FAMILY_OF, by_system, tidy

CAPTION = (
    "The smallest true difference between two memories, in points of 100, that the sign-flip test detects with a "
    "power of 80 %, two-sided at 5 %. nested: the weaker fails every scenario that the stronger fails, and more. "
    "independent: they fail different scenarios. Computed for passed and failed scenarios; graded scores detect "
    "smaller differences."
)
NOBODY = "nobody"


def counts(templates: Iterable[Template]) -> dict[str, int]:
    """Return the number of scenarios behind each headline column of quality, and behind each other family."""
    scores = score_all(result for one in templates for result in error_results(one.sample(0), NOBODY, "no run"))
    table = tidy(scores)
    headline = by_system(table).get(NOBODY, {})  # nothing, if only `limits` is selected
    found = {column: one.n for column, one in headline.items() if column not in COSTS}
    for family in families(scores):
        if family not in {*FAMILY_OF.values(), LIMITS}:
            found[f"family {family}: passed"] = by_system(table, family)[NOBODY]["scenarios_passed"].n
    return {column: n for column, n in found.items() if n}


def power_table(templates: Iterable[Template]) -> Table:
    """Return the smallest difference that each column can detect; nothing is run."""
    grid = Table(box=None, padding=(0, 2, 0, 0), caption=CAPTION, caption_justify="left", header_style="bold")
    grid.add_column("column", no_wrap=True)
    for name in ("n", "nested", "independent"):
        grid.add_column(name, justify="right", no_wrap=True)
    for column, n in counts(templates).items():
        least = (nested_difference(n), independent_difference(n))
        grid.add_row(column, str(n), *("none" if isnan(one) else f"{100 * one:.0f}" for one in least))
    return grid
