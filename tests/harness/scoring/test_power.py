"""Simulated systems whose true difference is known: how often the tests see one that is not there, and one that is."""

from collections.abc import Callable
from itertools import product
from math import isnan, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.scoring.paired_tests import holm, sign_flip
from memlab.harness.scoring.power import POWER, independent_difference, nested_difference, power
from memlab.report.tables.power import counts

Array = NDArray[np.float64]
DRAWS = 1500
SEEDS = 5
LEVEL = 0.05
ROOM = 3 * sqrt(LEVEL * (1 - LEVEL) / DRAWS)
"""Three standard errors of a share that is 5 %."""
SIZES = (8, 13, 24, 60)


def passes(chance: np.random.Generator, n: int, *rates: float) -> list[Array]:
    """Draw systems that each pass or fail every scenario by themselves, a row a draw, alike at every seed."""
    return [(chance.random((DRAWS, n)) < rate).astype(np.float64) for rate in rates]


def grades(chance: np.random.Generator, n: int, *rates: float) -> list[Array]:
    """Draw systems that pass some of five seeds; a scenario that is hard for one is hard for all."""
    hard = chance.normal(0, 1.5, (DRAWS, n))
    odds = (np.log(rate / (1 - rate)) for rate in rates)
    return [chance.binomial(SEEDS, 1 / (1 + np.exp(-(one + hard)))) / SEEDS for one in odds]


def found(differences: Array) -> float:
    """Give the share of draws in which the test says that there is a difference."""
    return float(np.mean([sign_flip(row) <= LEVEL for row in differences.tolist()]))


@pytest.mark.parametrize("draw", [passes, grades])
def test_two_equal_systems_differ_significantly_at_most_one_time_in_twenty(draw: Callable[..., list[Array]]) -> None:
    chance = np.random.default_rng(11)
    for n, rate in product(SIZES, (0.5, 0.9)):
        one, other = draw(chance, n, rate, rate)
        share = found(one - other)
        assert share <= LEVEL + ROOM, (n, rate)
        assert share > 0.01 or n < 24 or rate > 0.5, "a test that never says anything is exact too"


def test_seven_comparisons_have_a_false_positive_at_most_one_time_in_twenty() -> None:
    chance = np.random.default_rng(12)
    samples = [np.subtract(*grades(chance, n, 0.6, 0.6)) for n in (27, 24, 25, 63, 11, 11, 11)]
    ps = [[sign_flip(row) for row in each.tolist()] for each in samples]
    least = [min(holm(dict(enumerate(draw))).values()) for draw in zip(*ps, strict=True)]
    unadjusted = float(np.mean([min(draw) <= LEVEL for draw in zip(*ps, strict=True)]))
    assert float(np.mean([p <= LEVEL for p in least])) <= LEVEL + ROOM
    assert unadjusted > 2 * LEVEL, "without Holm it would be more"


@pytest.mark.parametrize("n", [10, 24, 63, 134])
def test_the_stated_difference_is_detected_four_times_in_five(n: int) -> None:
    chance = np.random.default_rng(13)
    apart = independent_difference(n)
    one, other = passes(chance, n, (1 + apart) / 2, (1 - apart) / 2)
    assert found(one - other) == pytest.approx(POWER, abs=0.04)
    more = (chance.random((DRAWS, n)) < nested_difference(n)).astype(np.float64)
    assert found(more) == pytest.approx(POWER, abs=0.04)


def test_graded_scenarios_detect_the_stated_difference_more_often() -> None:
    chance = np.random.default_rng(14)
    for n in (10, 24, 63):
        better, worse = grades(chance, n, 0.75, 0.25)
        apart = float((better - worse).mean())
        assert found(better - worse) > power(n, ((1 + apart) / 2) ** 2, ((1 - apart) / 2) ** 2)


def test_more_scenarios_show_smaller_differences_and_five_show_none() -> None:
    for smallest in (nested_difference, independent_difference):
        shown = [smallest(n) for n in (6, 8, 13, 24, 60, 134, 300)]
        assert shown == sorted(shown, reverse=True)
        assert isnan(smallest(5))
        assert power(24, 0.0, 0.0) == 0


def test_the_scenarios_of_a_column_are_counted_without_running_any() -> None:
    templates = [one for one in load_all([library()]) if one.family in {"stale", "recall", "limits"}]
    shown = counts(templates)
    assert shown["staleness_safety"] == sum(one.family == "stale" for one in templates)
    assert shown["family recall: passed"] == sum(one.family == "recall" for one in templates)
    assert shown["scenarios_passed"] == shown["staleness_safety"] + shown["family recall: passed"]
    assert not shown.keys() & {"poison_resistance", "family limits: passed"}
