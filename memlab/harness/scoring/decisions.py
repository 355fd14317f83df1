"""Decides whether a build passes: each threshold and each comparison with a baseline is met, missed or undecided."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Literal

from memlab.harness.plural import plural
from memlab.harness.scoring.intervals import Interval
from memlab.harness.scoring.paired_tests import LEVEL, format_p, holm, sign_flip
from memlab.harness.scoring.thresholds import Threshold
from memlab.systems.entry import did_you_mean

NO_WORSE = "no worse than the baseline"
Outcome = Literal["met", "missed", "undecided"]
Values = Mapping[str, float]
"""Scenario -> score."""


@dataclass(frozen=True)
class Decision:
    """The outcome of one demand on one system: `name` is the demand, `words` the finding, `details` its lines."""

    system: str
    name: str
    outcome: Outcome
    words: str
    details: tuple[str, ...] = ()


def exit_code(decisions: Iterable[Decision]) -> int:
    """Return 0 if all are met, 1 if any is missed, else 2 (some are undecided)."""
    outcomes = {decision.outcome for decision in decisions}
    return 1 if "missed" in outcomes else 2 if "undecided" in outcomes else 0


def unknown_system(system: str, present: Collection[str]) -> Decision:
    """Return an undecided decision: thresholds name a system that is not in the results."""
    words = f"this system is not in the results.{did_you_mean(system, present)} In the results: {', '.join(present)}"
    fix = "name one of these in [tool.memlab] systems, or run it with --systems"
    return Decision(system, "its thresholds", "undecided", f"{words}; {fix}")


def threshold_decision(threshold: Threshold, system: str, found: Interval | None) -> Decision:
    """Compare a mean with its threshold; undecided if there is no scenario to average."""
    name = f"{threshold.family} {threshold.column} >= {threshold.least:g}"
    if found is None or not found.n:
        words = "no scenario with this column was run; run some, or remove the threshold"
        return Decision(system, name, "undecided", words)
    limits = "" if found.n == 1 else f"95 %: {found.low:.3f} to {found.high:.3f}, "
    words = f"{found.mean:.3f} ({limits}n={found.n})"
    met = found.mean >= threshold.least - 1e-9  # the mean has rounding errors
    return Decision(system, name, "met" if met else "missed", words)


def baseline_decision(
    system: str, now: Mapping[str, Values], before: Mapping[str, Values], rewritten: int = 0
) -> list[Decision]:
    """Decide for each column, such as `stale scenarios_passed`, whether its scenarios got worse since `before`.

    The test is the one-sided sign-flip test at 5 %, over the scenarios that both runs have. The first column is tested
    by itself, the others together with Holm's correction: a loss in one family may be invisible in the total.
    `rewritten` counts the scenarios that changed since the baseline; they are left out.
    """
    changes = {column: _changes(now[column], before.get(column, {})) for column in now}
    tested = {column: each for column, each in changes.items() if each}
    if not tested:
        return [Decision(system, NO_WORSE, "undecided", "the baseline has none of these scenarios in the same version")]
    first, *others = tested
    ps = {first: sign_flip(tested[first].values(), "less")}
    ps |= holm({column: sign_flip(tested[column].values(), "less") for column in others})
    left_out = f"; {rewritten} left out because they were rewritten since" if rewritten else ""
    return [_worse(system, column, tested[column], ps[column], left_out) for column in tested]


def _changes(now: Values, before: Values) -> Values:
    both = {scenario: now[scenario] - before[scenario] for scenario in now if scenario in before}
    return {scenario: change for scenario, change in both.items() if not isnan(change)}


def _worse(system: str, column: str, changes: Values, p: float, left_out: str) -> Decision:
    worse = sorted((change, scenario) for scenario, change in changes.items() if change < 0)
    better = sum(change > 0 for change in changes.values())
    words = f"{len(worse)} worse and {better} better of {plural(len(changes), 'scenario')}, {format_p(p)}{left_out}"
    details = tuple(f"{scenario} {100 * change:+.0f}" for change, scenario in worse)
    return Decision(system, f"{column}: {NO_WORSE}", "missed" if p <= LEVEL else "met", words, details)
