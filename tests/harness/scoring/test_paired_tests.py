from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from memlab.harness.scoring.paired_tests import GRID, Alternative, holm, sign_flip

graded = st.lists(st.integers(-5, 5), min_size=2, max_size=12)


@given(graded, st.sampled_from(["two-sided", "less"]))
def test_the_p_value_is_that_of_every_flip_counted_one_by_one(steps: list[int], alternative: Alternative) -> None:
    # in whole steps, for scipy takes 0.2 + 0.4 and 0.6 for different sums
    counted = stats.permutation_test(
        (steps,), np.sum, permutation_type="samples", n_resamples=2**12, alternative=alternative
    )
    assert sign_flip([step / 5 for step in steps], alternative) == pytest.approx(counted.pvalue)


@pytest.mark.parametrize(("ahead", "behind"), [(5, 0), (8, 0), (17, 4), (180, 120)])
def test_on_passes_and_fails_it_is_the_sign_test_at_any_size(ahead: int, behind: int) -> None:
    differences = [1.0] * ahead + [-1.0] * behind + [0.0] * 50
    assert sign_flip(differences) == pytest.approx(stats.binomtest(ahead, ahead + behind).pvalue)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_swapping_the_systems_does_not_change_a_two_sided_p_value(differences: list[float]) -> None:
    p = sign_flip(differences)
    assert 0 < p <= 1
    assert sign_flip([-value for value in differences]) == pytest.approx(p)


def test_thirds_and_fifths_that_tie_on_paper_tie_in_the_test() -> None:
    thirds = [1 / 3, 1 / 3, -2 / 3, 0.2, 0.4, -0.6]
    exact = [round(value * 15) for value in thirds]
    assert sum(exact) == 0
    assert sign_flip(thirds) == 1
    assert all(GRID % denominator == 0 for denominator in (*range(1, 9), 3 * 5))


def test_no_values_have_no_p_value_and_no_difference_has_p_value_1() -> None:
    assert isnan(sign_flip([]))
    assert isnan(sign_flip([nan]))
    assert sign_flip([0.0, nan, 0.0]) == 1
    assert sign_flip([1.0] * 8 + [nan]) == 2 / 2**8


def test_holm_multiplies_by_the_hypotheses_that_are_left_and_never_falls() -> None:
    assert holm({"c": 0.04, "a": 0.01, "d": 0.005, "b": 0.03, "x": 0.9}) == pytest.approx(
        {"d": 0.025, "a": 0.04, "b": 0.09, "c": 0.09, "x": 0.9}
    )
    assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}


def test_holm_does_not_count_comparisons_without_a_p_value() -> None:
    adjusted = holm({"a": 0.02, "b": nan, "c": 0.5})
    assert adjusted["a"] == 0.04
    assert isnan(adjusted["b"])
