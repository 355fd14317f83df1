"""An exact paired test of a difference, and Holm's correction for several tests."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from math import gcd, isnan, nan
from typing import Literal, TypeVar

import numpy as np

LEVEL = 0.05
GRID = 840
"""Steps from 0 to 1; shares of up to eight, of fifteen and the like are multiples of 1 / GRID."""
LEAST = 0.001
"""The smallest p-value that is written as a number."""
Alternative = Literal["two-sided", "less"]
Label = TypeVar("Label", bound=Hashable)


def sign_flip(differences: Iterable[float], alternative: Alternative = "two-sided") -> float:
    """Return the p-value of the sum of paired differences in [-1, 1], one per scenario, under random signs.

    `less` is the one-sided test that they are negative. NaN is left out; only NaN gives NaN, all zero gives 1.
    The test is Fisher's (1935, The Design of Experiments, section 21). It is exact at every n, without Monte Carlo: the
    distribution is built by convolution over a grid (Pagano and Tritchler 1983, JASA 78:435). Each difference is
    rounded to 1 / GRID. The test stays exact, because d and -d are rounded to opposite values. On passes and fails
    it is the sign test.
    """
    known = [value for value in differences if not isnan(value)]
    if not known:
        return nan
    steps = [round(value * GRID) for value in known]
    unit = gcd(*steps) or 1
    sizes = [abs(step) // unit for step in steps if step]
    shares = _subset_sums(sizes)
    positive = sum(step // unit for step in steps if step > 0)
    below, above = float(shares[: positive + 1].sum()), float(shares[positive:].sum())
    return min(1.0, below if alternative == "less" else 2 * min(below, above))


def holm(ps: Mapping[Label, float]) -> dict[Label, float]:
    """Return Holm-adjusted p-values: the chance of any false rejection at 5 % is at most 5 %.

    Holm 1979, Scand. J. Statist. 6:65. NaN stays NaN and is not counted as a test.
    """
    known = sorted((label for label in ps if not isnan(ps[label])), key=lambda label: ps[label])
    adjusted, least = dict(ps), 0.0
    for rank, label in enumerate(known):
        least = max(least, min(1.0, (len(known) - rank) * ps[label]))
        adjusted[label] = least
    return adjusted


def format_p(p: float) -> str:
    """Format a p-value: p=.042, or p<.001 below LEAST."""
    return "p<.001" if p < LEAST else "p=" + f"{p:.3f}".removeprefix("0")


def _subset_sums(sizes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return, for each sum, the share of all subsets of `sizes` that have it."""
    shares = np.zeros(sum(sizes) + 1)
    shares[0] = 1.0
    reached = 0
    for size in sizes:
        reached += size
        without = shares[: reached + 1 - size] / 2
        shares[: reached + 1] /= 2
        shares[size : reached + 1] += without
    return shares
