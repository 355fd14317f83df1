"""The cases of a check: each listed value is asked, equal seeds give equal cases, and a failing one is found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from memlab.labs.checks.check import EXAMPLES, CheckFailed, Each
from memlab.labs.checks.properties import run_property

VALUES = list("abcdefghij")
STRATEGIES = {"value": Each(VALUES), "other": st.integers(0, 9), "more": st.booleans()}


def drawn(seed: int, cases: int) -> list[object]:
    found: list[object] = []
    run_property(lambda value, **_: found.append(value), STRATEGIES, seed, cases)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_every_value_is_drawn_by_a_check_and_by_the_first_round_of_the_grader(seed: int) -> None:
    assert sorted(set(map(str, drawn(seed, EXAMPLES)))) == VALUES
    assert sorted(set(map(str, drawn(seed, 12)))) == VALUES


def test_equal_seeds_draw_equal_cases_and_others_another_order() -> None:
    assert drawn(1, EXAMPLES) == drawn(1, EXAMPLES) != drawn(2, EXAMPLES)


@pytest.fixture
def of_ci() -> Iterator[None]:
    """Load the settings that Hypothesis chooses where the environment says CI."""
    before = settings.get_current_profile_name()
    settings.load_profile("ci")
    yield
    settings.load_profile(before)


@pytest.mark.usefixtures("of_ci")
@pytest.mark.parametrize("wrong", VALUES)
def test_the_one_value_that_fails_is_found_with_the_smallest_other_arguments(wrong: str) -> None:
    def check(value: str, other: int, *, more: bool) -> None:
        if value == wrong:
            raise CheckFailed(f"{value} {other} {more}")

    with pytest.raises(CheckFailed, match=f"^{wrong} 0 False$"):
        run_property(check, STRATEGIES, 6, EXAMPLES)
