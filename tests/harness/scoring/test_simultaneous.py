"""Simultaneous intervals and adjusted p-values of paired differences."""

from collections.abc import Iterator
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from memlab.harness.scoring.intervals import Interval, difference
from memlab.harness.scoring.paired_tests import LEVEL, sign_flip
from memlab.harness.scoring.simultaneous import Difference, simultaneous

SIZES = (34, 24, 25, 70, 11, 11, 11)
"""The scenarios of the seven questions about one rival."""
RUNS = 400
BY_CHANCE = 0.001
"""The chance that a correct method fails a simulated law."""
GRADES = st.sampled_from([step / 5 for step in range(-5, 6)])
FAMILY = st.dictionaries(
    st.integers(0, 9), st.lists(st.one_of(GRADES, st.floats(-1, 1), st.just(nan)), max_size=40), max_size=8
)
ONE_SIDED = st.dictionaries(
    st.integers(0, 9), st.lists(st.sampled_from([1.0, 0.0, 0.2]), min_size=1, max_size=40), min_size=1, max_size=8
)


def alone_95(values: list[float]) -> Interval:
    """Return the interval of 95 % of one mean difference, without regard to others."""
    return difference(
        dict(zip(map(str, range(len(values))), values, strict=True)), dict.fromkeys(map(str, range(99)), 0.0)
    )


@given(st.one_of(FAMILY, ONE_SIDED))
def test_a_difference_is_ahead_or_behind_exactly_if_its_interval_excludes_0_and_its_p_is_at_most_the_level(
    family: dict[int, list[float]],
) -> None:
    for found in simultaneous(family).values():
        mean, low, high, n = found.interval
        if n == 0:
            assert (isnan(found.p), found.verdict) == (True, "open")
            continue
        if n == 1:
            assert (isnan(low), isnan(high), found.p, found.verdict) == (True, True, 1, "open")
            continue
        assert low - 1e-6 <= mean <= high + 1e-6
        assert (low > 0 or high < 0) == (found.p <= LEVEL) == (found.verdict != "open")
        assert {"ahead": mean > 0, "behind": mean < 0, "open": low <= 0 <= high}[found.verdict]


@given(FAMILY)
def test_who_is_compared_first_only_changes_the_sign(family: dict[int, list[float]]) -> None:
    turned = simultaneous({label: [-value for value in values] for label, values in family.items()})
    for label, found in simultaneous(family).items():
        mean, low, high, n = turned[label].interval
        assert [-mean, -high, -low, n] == pytest.approx(list(found.interval), nan_ok=True)
        assert turned[label].p == pytest.approx(found.p, nan_ok=True)


def test_p_is_the_exact_one_times_the_questions_that_have_data() -> None:
    won = [1.0] * 9 + [0.0] * 3
    found = simultaneous({"a": won, "b": [0.0], "c": [], "d": [nan]})
    assert found["a"].p == pytest.approx(2 * sign_flip(won))
    assert simultaneous({"a": won})["a"].p == pytest.approx(sign_flip(won))
    assert simultaneous({"a": [1.0, 0.0]})["a"].p == 1


def test_more_questions_never_narrow_an_interval() -> None:
    won = [1.0] * 12 + [0.0] * 8 + [-1.0]
    widths = []
    for others in range(8):
        found = simultaneous({"a": won, **{str(other): [0.0] for other in range(others)}})["a"].interval
        widths.append(found.high - found.low)
    assert widths == sorted(widths)


def test_a_row_that_used_to_contradict_itself_is_open_with_an_interval_that_says_so() -> None:
    won = [1.0] * 5 + [0.0] * 29
    assert alone_95(won).low > 0.02
    assert sign_flip(won) == 0.0625
    found = simultaneous({"a": won})["a"]
    assert (found.verdict, found.interval.low) == ("open", 0)


def test_differences_of_a_wider_range_have_wider_intervals_and_the_same_p() -> None:
    values = [1.0, 2.0, 1.0, 0.0, 2.0, 1.0, 1.0, 2.0]
    wide = simultaneous({"a": values}, most=2)["a"]
    half = simultaneous({"a": [value / 2 for value in values]})["a"]
    assert wide.p == half.p
    assert [2 * one for one in half.interval[:3]] == pytest.approx(list(wide.interval[:3]), abs=1e-5)


def equal_memories(apart: float, *, graded: bool) -> Iterator[dict[str, Difference]]:
    """Compare memories that differ in a share of the scenarios, in either direction with equal chance."""
    chance = np.random.default_rng(29)
    for _ in range(RUNS):
        family = {}
        for number, n in enumerate(SIZES):
            steps = (chance.random(n) < apart) * chance.choice([-1.0, 1.0], n)
            family[str(number)] = (steps * chance.integers(1, 6, n) / 5 if graded else steps).tolist()
        yield simultaneous(family)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("apart", [0.1, 0.5, 1.0])
def test_equal_memories_are_called_different_in_at_most_5_percent_of_the_runs(apart: float, *, graded: bool) -> None:
    wrong = sum(any(one.verdict != "open" for one in found.values()) for found in equal_memories(apart, graded=graded))
    assert binomtest(wrong, RUNS, LEVEL, "greater").pvalue > BY_CHANCE


def test_seven_intervals_of_95_percent_each_would_call_equal_memories_different_far_more_often() -> None:
    chance = np.random.default_rng(29)
    wrong = 0
    for _ in range(RUNS):
        samples = [chance.choice([-1.0, 0.0, 1.0], n).tolist() for n in SIZES]
        alone = [alone_95(sample) for sample in samples]
        wrong += any(one.low > 0 or one.high < 0 for one in alone)
    assert wrong / RUNS > 0.25


@pytest.mark.parametrize(("ours", "theirs"), [(0.95, 0.05), (0.9, 0.7), (0.95, 0.95), (0.98, 0.7), (0.97, 0.0)])
def test_all_intervals_of_a_family_hold_the_true_differences_together(ours: float, theirs: float) -> None:
    chance = np.random.default_rng(31)
    held = 0
    for _ in range(RUNS):
        family = {n: ((chance.random(n) < ours) * 1.0 - (chance.random(n) < theirs)).tolist() for n in SIZES}
        truth = ours - theirs
        limits = [one.interval for one in simultaneous(family).values()]
        held += all(low - 1e-9 <= truth <= high + 1e-9 for _, low, high, _ in limits)
    assert held / RUNS > 0.88
