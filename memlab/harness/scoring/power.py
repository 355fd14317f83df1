"""The power of the paired test: the smallest difference that n scenarios can show (computed, not simulated)."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from memlab.harness.scoring.paired_tests import LEVEL

POWER = 0.8
"""The wanted power: the chance that the test detects the difference."""


def power(n: int, ahead: float, behind: float) -> float:
    """Return the power of the two-sided sign-flip test at 5 % over n scenarios that are passed or failed.

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
    """Return the smallest difference with 80 % power if the weaker system fails all that the stronger one fails.

    NaN if n scenarios cannot show any difference (n < 6).
    """
    return _smallest(n, lambda difference: (difference, 0.0))


def independent_difference(n: int) -> float:
    """Return the smallest difference with 80 % power if failures are independent, half of them on average."""
    return _smallest(n, lambda difference: (((1 + difference) / 2) ** 2, ((1 - difference) / 2) ** 2))


def _smallest(n: int, chances: Callable[[float], tuple[float, float]]) -> float:
    """Return the difference at which the power is 80 %."""

    def shortfall(difference: float) -> float:
        return power(n, *chances(difference)) - POWER

    return float(brentq(shortfall, 0.0, 1.0)) if shortfall(1.0) > 0 else nan
