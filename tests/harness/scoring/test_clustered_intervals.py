from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from memlab.harness.scoring.clustered_intervals import clustered_interval
from memlab.harness.scoring.intervals import interval

GRADES = [0.0, 0.5, 1.0]


def test_with_one_question_per_cluster_it_is_the_ordinary_interval_with_a_t_quantile() -> None:
    values = [1.0, 0.0, 0.5, 1.0, 1.0, 0.0, 1.0, 0.5] * 40
    own = clustered_interval(values, [str(number) for number in range(len(values))])
    ordinary = interval(values)
    assert own.design_effect == pytest.approx(1)
    assert own.mean == ordinary.mean
    assert own.low == pytest.approx(ordinary.low, abs=2e-4)
    assert own.high == pytest.approx(ordinary.high, abs=2e-4)


def test_its_width_is_that_of_the_cluster_robust_standard_error_where_both_are_valid() -> None:
    chance = np.random.default_rng(1)
    sizes = chance.integers(30, 90, 25)
    values = [list(chance.binomial(1, share, size)) for share, size in zip(chance.beta(8, 8, 25), sizes, strict=True)]
    flat = [float(value) for own in values for value in own]
    clusters = [str(number) for number, own in enumerate(values) for _ in own]
    mean, n, count = np.mean(flat), len(flat), len(values)
    error = sqrt(count / (count - 1) * sum((sum(own) - len(own) * mean) ** 2 for own in values)) / n
    found = clustered_interval(flat, clusters)
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, count - 1) * error, rel=0.03)
    naive = sqrt(np.var(flat, ddof=1) / n)
    assert found.design_effect == pytest.approx((error / naive) ** 2)


def test_questions_that_agree_within_their_cluster_widen_the_interval_as_much_as_fewer_questions() -> None:
    clusters = [str(number // 50) for number in range(500)]
    same = clustered_interval([float(number // 50 % 2) for number in range(500)], clusters)
    mixed = clustered_interval([float(number % 2) for number in range(500)], clusters)
    assert same.design_effect == pytest.approx(50, rel=0.15)
    assert mixed.design_effect == 1
    assert same.high - same.low > 5 * (mixed.high - mixed.low)


def test_one_cluster_has_no_interval_and_no_values_have_no_mean() -> None:
    one = clustered_interval([1.0, 0.0], ["a", "a"])
    assert (one.mean, one.n, one.clusters) == (0.5, 2, 1)
    assert isnan(one.low)
    assert isnan(one.design_effect)
    assert isnan(clustered_interval([], []).mean)
    assert clustered_interval([float("nan"), 1.0, 1.0], ["a", "b", "c"])[3:] == (2, 2, 1.0)


def test_equal_values_have_an_interval_that_is_not_a_point() -> None:
    found = clustered_interval([0.0] * 100, [str(number % 10) for number in range(100)])
    assert found.low == 0
    assert 0.02 < found.high < 0.1


@pytest.mark.parametrize("clusters", [5, 10, 30])
@pytest.mark.parametrize("mean", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("correlation", [0.02, 0.1])
def test_simulated_coverage_is_near_95_percent_where_the_plain_interval_is_far_too_narrow(
    clusters: int, mean: float, correlation: float
) -> None:
    chance = np.random.default_rng(20_241_101)
    hits = plain = 0
    draws = 250
    spread = (1 - correlation) / correlation
    for _ in range(draws):
        shares = chance.beta(mean * spread, (1 - mean) * spread, clusters)
        sizes = chance.integers(30, 90, clusters)
        graded = [
            chance.choice(GRADES, size, p=[0.9 * (1 - p), 0.1, 0.9 * p]) for p, size in zip(shares, sizes, strict=True)
        ]
        values = [float(value) for own in graded for value in own]
        names = [str(number) for number, own in enumerate(graded) for _ in own]
        truth = 0.05 + 0.9 * mean
        found = clustered_interval(values, names)
        hits += found.low <= truth <= found.high
        plain += (ordinary := interval(values)).low <= truth <= ordinary.high
    assert 0.9 <= hits / draws <= 0.99
    if correlation == 0.1:
        assert plain / draws < 0.75
