"""Stores and defences, two by two: what each is worth, and whether one depends on the other."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from rich.text import Text

from memlab.harness.scenarios.schema import ATTACKS
from memlab.harness.scoring.intervals import Interval, interval
from memlab.harness.scoring.simultaneous import Difference, simultaneous
from memlab.harness.scoring.thresholds import ALL
from memlab.report.tables.folding import Column, Folded
from memlab.report.tables.paired import values
from memlab.report.tables.scores import by_scenario, families, plain
from memlab.report.tables.terminal import gap, share

BUCKET, GUARDED, BARE, HYBRID = "bucket-search", "bucket-guarded", "hybrid-undefended", "hybrid"
DESIGN = {BUCKET: "one bucket, no defence", GUARDED: "one bucket, defences", BARE: "four stores, no defence"}
DESIGN |= {HYBRID: "four stores, defences"}
"""The four systems, and what each has. `hybrid-bare` has no log, so it lacks the episodic store, not only defences."""
METRIC = "scenarios_passed"
EFFECTS = {
    "defences": {GUARDED: 0.5, HYBRID: 0.5, BUCKET: -0.5, BARE: -0.5},
    "stores": {BARE: 0.5, HYBRID: 0.5, BUCKET: -0.5, GUARDED: -0.5},
    "interaction": {HYBRID: 1.0, BARE: -1.0, GUARDED: -1.0, BUCKET: 1.0},
}
"""Each effect as a sum of scores with these weights; their largest absolute value is 2."""
CAPTION = (
    "scenarios_passed in % with its 95 % interval; then effects in points of 100, paired by scenario. defences, "
    "stores: the mean change by them, without and with the other. interaction: the change by four stores with "
    "defences, minus that without. Intervals and p are adjusted for the three effects of a column."
)


@dataclass(frozen=True)
class TwoByTwo:
    """The four systems in one family (or `all`): means with 95 % intervals, and EFFECTS, over `n` scenarios."""

    family: str
    means: dict[str, Interval]
    effects: dict[str, Difference]

    @property
    def n(self) -> int:
        """The scenarios that all four have."""
        return self.means[HYBRID].n


def two_by_two(scores: pd.DataFrame) -> list[TwoByTwo]:
    """Return the design over all families, then in each attack family; empty unless all four systems were run.

    With y the score of a scenario: defences = (y_guarded - y_search + y_hybrid - y_bare) / 2, stores = (y_bare -
    y_search + y_hybrid - y_guarded) / 2, interaction = (y_hybrid - y_bare) - (y_guarded - y_search). Source: the 2 x 2
    factorial (Fisher 1935, The Design of Experiments, chapter VI; Box, Hunter and Hunter 2005, Statistics for
    Experimenters, chapter 5), each effect computed within a scenario first, so that it is paired.
    """
    if not set(DESIGN) <= set(scores["system"]):
        return []
    scenarios = by_scenario(plain(scores))
    shown = [ALL, *(family for family in families(scores) if family in ATTACKS)]
    found = [_design(scenarios, family) for family in shown]
    return [one for one in found if one.n]


def finding(design: TwoByTwo) -> str:
    """Return the main effects in a few words: "Defences add 88 points, four stores make no clear difference"."""
    defences, stores = (_words(design.effects[one]) for one in ("defences", "stores"))
    return f"Defences {defences}, four stores {stores}"


def interaction(design: TwoByTwo) -> str:
    """Return the interaction as a sentence."""
    effect = design.effects["interaction"]
    without, with_all = (
        f"{100 * (design.means[stores].mean - design.means[bucket].mean):+.0f}"
        for stores, bucket in ((BARE, BUCKET), (HYBRID, GUARDED))
    )
    seen = "no clear interaction" if effect.verdict == "open" else "the two interact"
    return f"Four stores change the score by {without} points without defences and by {with_all} with them: {seen}."


def two_by_two_table(scores: pd.DataFrame) -> Folded | None:
    """Return the means and effects as a table with a column for each family; None unless all four were run."""
    designs = two_by_two(scores)
    if not designs:
        return None
    names = [Text(f"{system}\n{what}") for system, what in DESIGN.items()] + [Text(f"{one}\n") for one in EFFECTS]
    columns = []
    for one in designs:
        means = [Text.assemble(share(one.means[system]), "\n") for system in DESIGN]
        effects = [gap(each.interval, each.p, each.verdict) for each in one.effects.values()]
        columns.append(Column(f"{one.family}\nn={one.n}", [*means, *effects]))
    return Folded(
        [Column("stores x defences", names, "left")],
        columns,
        f"{finding(designs[0])}. {interaction(designs[0])}\n{CAPTION}",
    )


def _design(scenarios: pd.DataFrame, family: str) -> TwoByTwo:
    scores = {system: values(scenarios, system, family, METRIC) for system in DESIGN}
    common = [one for one in scores[HYBRID] if all(own.get(one, float("nan")) >= 0 for own in scores.values())]
    effects = {
        name: [sum(weight * scores[system][one] for system, weight in weights.items()) for one in common]
        for name, weights in EFFECTS.items()
    }
    means = {system: interval(own[one] for one in common) for system, own in scores.items()}
    main = {name: effects[name] for name in ("defences", "stores")}
    return TwoByTwo(family, means, _adjusted(main, effects["interaction"]))


def _adjusted(main: dict[str, list[float]], interaction: list[float]) -> dict[str, Difference]:
    """Return the three effects as one family of tests; the interaction is in [-2, 2], so half of it is compared."""
    found = simultaneous({**main, "interaction": [one / 2 for one in interaction]})
    (mean, low, high, n), p = found["interaction"]
    return {**found, "interaction": Difference(Interval(2 * mean, 2 * low, 2 * high, n), p)}


def _words(effect: Difference) -> str:
    points = f"{abs(100 * effect.interval.mean):.0f} points"
    known = {"ahead": f"add {points}", "behind": f"cost {points}"}
    return known.get(effect.verdict, "make no clear difference")
