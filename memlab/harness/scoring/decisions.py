"""What a build is told: for each thing that was demanded, if it holds, does not, or cannot be said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Literal

from memlab.harness.scoring.intervals import Interval
from memlab.harness.scoring.paired_tests import LEVEL, format_p, holm, sign_flip
from memlab.harness.scoring.thresholds import Threshold
from memlab.systems.entry import did_you_mean

NO_WORSE = "no worse than the baseline"
Outcome = Literal["met", "missed", "undecided"]
Values = Mapping[str, float]
"""Scenario -> its score."""


@dataclass(frozen=True)
class Decision:
    """One demand on one system: `name` says it, `words` what was found, `details` more of it, a line each."""

    system: str
    name: str
    outcome: Outcome
    words: str
    details: tuple[str, ...] = ()


def exit_code(decisions: Iterable[Decision]) -> int:
    """Give 0 where all hold, 1 where one was missed, 2 where none was, and one could not be decided."""
    found = {one.outcome for one in decisions}
    return 1 if "missed" in found else 2 if "undecided" in found else 0


def unknown_system(system: str, played: Collection[str]) -> Decision:
    """Say of a system of which something is demanded that it was not played, and which were."""
    words = f"this system was not played.{did_you_mean(system, played)} Played: {', '.join(played)}"
    mend = "name one of these in [tool.memlab] systems, or play it with --systems"
    return Decision(system, "the demands on it", "undecided", f"{words}; {mend}")


def threshold_decision(threshold: Threshold, system: str, found: Interval | None) -> Decision:
    """Hold a mean against its threshold; where nothing was played that it is the mean of, nothing is decided."""
    name = f"{threshold.family} {threshold.column} >= {threshold.least:g}"
    if found is None or not found.n:
        return Decision(system, name, "undecided", "no scenario was played that this is about; play some, or drop it")
    words = f"{found.mean:.3f} (95 %: {found.low:.3f} to {found.high:.3f}, n={found.n})"
    held = found.mean >= threshold.least - 1e-9  # ten tenths may add up to a hair less than one
    return Decision(system, name, "met" if held else "missed", words)


def baseline_decision(
    system: str, now: Mapping[str, Values], before: Mapping[str, Values], rewritten: int = 0
) -> list[Decision]:
    """Ask of each column, as `stale scenarios_passed`, if its scenarios got worse; both runs give column -> Values.

    The test is the sign-flip test, one-sided at 5 %, over the scenarios that both have. The first column is asked by
    itself, the others together with Holm's correction: one family may lose what all together do not show. `rewritten`
    counts the scenarios that are other ones now, and are left out.
    """
    changes = {column: _changes(now[column], before.get(column, {})) for column in now}
    asked = {column: each for column, each in changes.items() if each}
    if not asked:
        return [Decision(system, NO_WORSE, "undecided", "the baseline has none of the scenarios as they were played")]
    first, *others = asked
    ps = {first: sign_flip(asked[first].values(), "less")}
    ps |= holm({column: sign_flip(asked[column].values(), "less") for column in others})
    left_out = f"; {rewritten} were rewritten since, and are left out" if rewritten else ""
    return [_worse(system, column, asked[column], ps[column], left_out) for column in asked]


def _changes(now: Values, before: Values) -> Values:
    both = {scenario: now[scenario] - before[scenario] for scenario in now if scenario in before}
    return {scenario: change for scenario, change in both.items() if not isnan(change)}


def _worse(system: str, column: str, changes: Values, p: float, left_out: str) -> Decision:
    worse = sorted((change, scenario) for scenario, change in changes.items() if change < 0)
    better = sum(change > 0 for change in changes.values())
    words = f"{len(worse)} worse and {better} better of {len(changes)} scenarios, {format_p(p)}{left_out}"
    details = tuple(f"{scenario} {100 * change:+.0f}" for change, scenario in worse)
    return Decision(system, f"{column}: {NO_WORSE}", "missed" if p <= LEVEL else "met", words, details)
