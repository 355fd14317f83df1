from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from memlab.report.charts.two_by_two import describe, title
from memlab.report.html.tables import two_by_two_section
from memlab.report.tables.scores import score_all
from memlab.report.tables.two_by_two import DESIGN, finding, interaction, two_by_two, two_by_two_table
from memlab.terms import Result

Make = Callable[..., Result]
Passed = dict[str, int]
"""System -> how many of the twenty scenarios it passes, the first ones."""


@pytest.fixture
def design(make: Make) -> Callable[[Passed], pd.DataFrame]:
    def scores(passed: Passed) -> pd.DataFrame:
        return score_all(
            make(system, f"stale/case-{number}", good=number < count)
            for system, count in passed.items()
            for number in range(20)
        )

    return scores


def passed(search: int, guarded: int, bare: int, hybrid: int) -> Passed:
    return dict(zip(DESIGN, (search, guarded, bare, hybrid), strict=True))


@pytest.mark.parametrize("counts", [(0, 20, 0, 20), (2, 11, 5, 17), (3, 3, 3, 3), (20, 0, 7, 1)])
def test_effects_are_those_of_the_means(counts: tuple[int, ...], design: Callable[[Passed], pd.DataFrame]) -> None:
    search, guarded, bare, hybrid = (count / 20 for count in counts)
    found = two_by_two(design(passed(*counts)))[0].effects
    assert {name: one.interval.mean for name, one in found.items()} == pytest.approx(
        {
            "defences": ((guarded - search) + (hybrid - bare)) / 2,
            "stores": ((bare - search) + (hybrid - guarded)) / 2,
            "interaction": (hybrid - bare) - (guarded - search),
        }
    )
    for one in found.values():
        assert one.interval.low <= one.interval.mean <= one.interval.high
        assert (one.verdict == "open") == (one.p > 0.05)


@pytest.mark.parametrize(
    ("counts", "words", "together"),
    [
        ((0, 20, 0, 20), "Defences add 100 points, four stores make no clear difference", "no clear interaction."),
        ((0, 0, 20, 20), "Defences make no clear difference, four stores add 100 points", "no clear interaction."),
        ((20, 0, 20, 0), "Defences cost 100 points, four stores make no clear difference", "no clear interaction."),
        ((0, 0, 0, 20), "Defences add 50 points, four stores add 50 points", "with them: the two interact."),
    ],
)
def test_the_title_is_what_the_numbers_show(
    counts: tuple[int, ...], words: str, together: str, design: Callable[[Passed], pd.DataFrame]
) -> None:
    scores = design(passed(*counts))
    first = two_by_two(scores)[0]
    assert title(scores) == finding(first) == words
    assert interaction(first).endswith(together)
    assert interaction(first) in describe(scores)
    assert words in two_by_two_section("Stores", scores)


def test_a_scenario_that_one_of_the_four_lacks_is_left_out(design: Callable[[Passed], pd.DataFrame]) -> None:
    scores = design(passed(0, 20, 0, 20))
    scores = scores[(scores["system"] != "hybrid-undefended") | (scores["scenario"] != "stale/case-3")]
    assert [one.n for one in two_by_two(scores)] == [19, 19]


def test_without_one_of_the_four_there_is_no_table(design: Callable[[Passed], pd.DataFrame]) -> None:
    scores = design(passed(0, 20, 0, 20))
    for system in DESIGN:
        rest = scores[scores["system"] != system]
        assert two_by_two(rest) == []
        assert two_by_two_table(rest) is None
        assert "needs a run with" in two_by_two_section("Stores", rest)


def test_families_without_an_attack_are_only_in_the_mean_of_all(make: Make) -> None:
    results = [make(system, f"{family}/a") for system in DESIGN for family in ("stale", "recall", "limits")]
    assert [(one.family, one.n) for one in two_by_two(score_all(results))] == [("all", 2), ("stale", 1)]
    repeated = [replace(one, key=replace(one.key, seed=1)) for one in results]
    assert [one.n for one in two_by_two(score_all([*results, *repeated]))] == [2, 1]
