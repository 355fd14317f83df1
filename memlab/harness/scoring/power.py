"""What difference so many scenarios can show: the power of the paired test, computed and not simulated."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from memlab.harness.scoring.paired_tests import LEVEL

POWER = 0.8
"""The chance of seeing a difference that is asked for."""


def power(n: int, ahead: float, behind: float) -> float:
    """Give the chance that the two-sided sign-flip test at 5 % sees a difference over n scenarios, passed or failed.

    `ahead` and `behind` are the chances that one system alone, or the other alone, passes a scenario. On passes and
    fails the sign-flip test is McNemar's exact test (1947, Psychometrika 12:153), so this is a sum of binomials.
    """
    apart = ahead + behind
    if not apart:
        return 0.0
    decided = np.arange(n + 1)
    most = binom.ppf(LEVEL / 2, decided, 0.5)
    most = np.where(2 * binom.cdf(most, decided, 0.5) <= LEVEL, most, most - 1)
    share = ahead / apart
    seen = binom.cdf(most, decided, share) + binom.sf(decided - most - 1, decided, share)
    return float(np.sum(binom.pmf(decided, n, apart) * seen))


def nested_difference(n: int) -> float:
    """Give the smallest difference seen with 80 % power where the weaker fails what the stronger fails, and more.

    NaN where n scenarios show no difference at all: below six, not even every scenario suffices.
    """
    return _smallest(n, lambda difference: (difference, 0.0))


def independent_difference(n: int) -> float:
    """Give the same where each fails scenarios of its own, half of them on average: the widest spread there is."""
    return _smallest(n, lambda difference: (((1 + difference) / 2) ** 2, ((1 - difference) / 2) ** 2))


def _smallest(n: int, chances: Callable[[float], tuple[float, float]]) -> float:
    """Find the difference at which the power is 80 %."""

    def lacking(difference: float) -> float:
        return power(n, *chances(difference)) - POWER

    return float(brentq(lacking, 0.0, 1.0)) if lacking(1.0) > 0 else nan
