from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from memlab.harness.scoring.intervals import Interval, difference, interval, median


def test_equal_results_for_all_seeds_give_the_wilson_interval() -> None:
    for n, passed in [(8, 8), (8, 0), (13, 7), (30, 29)]:
        expected = stats.binomtest(passed, n).proportion_ci(method="wilson")
        found = interval([1.0] * passed + [0.0] * (n - passed))
        assert found[1:3] == pytest.approx((expected.low, expected.high))


def test_an_all_pass_sample_is_not_certain() -> None:
    found = interval([1.0] * 8)
    assert (found.low, found.high, found.n) == pytest.approx((0.6756, 1.0, 8), abs=1e-4)


def test_two_systems_that_agree_everywhere_may_still_differ() -> None:
    same = dict.fromkeys("abcdefgh", 1.0)
    found = difference(same, same)
    assert found.mean == 0
    assert found.low < -0.1
    assert found.high > 0.1


def test_graded_scenarios_give_narrower_intervals_than_pass_or_fail_ones() -> None:
    graded, binary = interval([0.6, 0.8] * 5), interval([1.0] * 7 + [0.0] * 3)
    assert graded.mean == pytest.approx(binary.mean)
    assert graded.high - graded.low < binary.high - binary.low


def test_nan_is_left_out_and_no_values_give_nan() -> None:
    assert interval([1.0, nan, 0.0, nan]) == interval([1.0, 0.0])
    for empty in (interval([nan]), difference({"a": 1.0}, {"b": 1.0}), median([])):
        assert empty.n == 0
        assert all(isnan(value) for value in empty[:3])


def test_a_difference_counts_only_scenarios_that_both_have() -> None:
    found = difference({"a": 1.0, "b": 1.0, "c": nan}, {"a": 0.0, "c": 1.0, "d": 1.0})
    assert (found.mean, found.n) == (1.0, 1)


def test_one_value_has_no_interval() -> None:
    for found in (interval([0.5]), difference({"a": 1.0}, {"a": 0.5})):
        assert (found.mean, found.n) == (0.5, 1)
        assert isnan(found.low)
        assert isnan(found.high)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_the_mean_is_in_its_interval_and_the_interval_is_in_0_to_1(values: list[float]) -> None:
    found = interval(values)
    assert 0 <= found.low <= found.mean <= found.high <= 1


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40))
def test_swapping_the_systems_of_a_difference_changes_its_sign(pairs: list[tuple[float, float]]) -> None:
    ours = {str(scenario): pair[0] for scenario, pair in enumerate(pairs)}
    theirs = {str(scenario): pair[1] for scenario, pair in enumerate(pairs)}
    there, back = difference(ours, theirs), difference(theirs, ours)
    assert (back.mean, -back.high, -back.low) == pytest.approx((-there.mean, there.low, there.high))


@pytest.mark.parametrize("n", [6, 7, 9, 13, 40, 100])
def test_a_median_has_the_narrowest_order_statistics_that_reach_95_percent(n: int) -> None:
    found = median([float(rank) for rank in range(n)])
    below = int(found.low)
    assert found.high == n - 1 - below
    assert 2 * stats.binom.cdf(below, n, 0.5) <= 0.05 < 2 * stats.binom.cdf(below + 1, n, 0.5)


def test_a_median_of_few_values_reaches_from_the_smallest_to_the_largest() -> None:
    assert median([3.0, 1.0, nan, 2.0]) == Interval(2.0, 1.0, 3.0, 3)
