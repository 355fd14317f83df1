"""Several paired differences at once: simultaneous intervals and adjusted p-values that never contradict each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import isnan, nan
from typing import NamedTuple, TypeVar

from memlab.harness.scoring.intervals import NOTHING, Interval, wide_interval
from memlab.harness.scoring.paired_tests import LEVEL, sign_flip

EDGE = 1e-6
"""The limit next to 0 of an interval that the exact test cuts at 0."""
Label = TypeVar("Label", bound=Hashable)


class Difference(NamedTuple):
    """A mean paired difference with its simultaneous 95 % interval, and the adjusted p-value of no difference."""

    interval: Interval
    p: float

    @property
    def verdict(self) -> str:
        """Return `ahead` or `behind` if the interval excludes 0, else `open`; NaN is open."""
        return "ahead" if self.interval.low > 0 else "behind" if self.interval.high < 0 else "open"


def simultaneous(differences: Mapping[Label, Iterable[float]], most: float = 1.0) -> dict[Label, Difference]:
    """Return each mean of paired differences in [-most, most], one per scenario, with interval and p-value.

    All differences of one call are a family of m tests; NaN is left out, and a difference without data is not counted.
    An interval excludes 0 exactly where p is at most LEVEL, and the chance of any false exclusion is at most 5 %.

    Each interval inverts tests at level .05 / m (Bonferroni; Miller 1981, Simultaneous Statistical Inference, section
    2.2): of no difference the exact sign-flip test, whose p-value is multiplied by m; of any other value the test
    behind `wide_interval`. A confidence set may use another test for each value (Lehmann and Romano 2005, Testing
    Statistical Hypotheses, section 3.5). If the exact test accepts 0, the interval is
    extended to it, to be connected; if it rejects 0, the interval ends at it (EDGE).

    Simulated for seven questions with n = 11 to 70: between equal memories at most 5 % of the runs have a false ahead
    or behind; of seven intervals of 95 % each, 4 to 37 % would. Between unequal memories all seven intervals hold the
    true differences in 89 to 100 % of the runs.
    """
    known = {label: [one for one in values if not isnan(one)] for label, values in differences.items()}
    tests = max(1, sum(bool(values) for values in known.values()))
    return {label: _difference(values, tests, most) for label, values in known.items()}


def _difference(values: list[float], tests: int, most: float) -> Difference:
    if not values:
        return Difference(NOTHING, nan)
    p = min(1.0, tests * sign_flip(values))
    mean, low, high, n = wide_interval(values, -most, most, 1 - LEVEL / tests)
    if p > LEVEL:
        low, high = min(low, 0.0), max(high, 0.0)
    elif mean > 0:
        low = max(low, EDGE)
    else:
        high = min(high, -EDGE)
    return Difference(Interval(mean, low, high, n), p)
