from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memlab.harness.scoring.decisions import baseline_decision, exit_code, threshold_decision
from memlab.harness.scoring.intervals import Interval
from memlab.harness.scoring.thresholds import BadThresholds, Threshold, Thresholds, find_pyproject, read_thresholds

COLUMNS = {
    "all": ("poison_resistance", "recall", "scenarios_passed"),
    "stale": ("recall", "scenarios_passed"),
    "recall": ("recall", "scenarios_passed"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pyproject.toml"


def test_thresholds_are_read_for_all_families_and_for_one(path: Path) -> None:
    path.write_text(
        '[tool.memlab]\nsystems = ["hybrid"]\n'
        "[tool.memlab.thresholds]\npoison_resistance = 0.9\n"
        "[tool.memlab.thresholds.stale]\nscenarios_passed = 1\n"
    )
    each = (Threshold("all", "poison_resistance", 0.9), Threshold("stale", "scenarios_passed", 1.0))
    assert read_thresholds(path, COLUMNS) == Thresholds(path, each, ("hybrid",))


def test_a_column_that_is_called_as_a_family_is_can_have_a_threshold_beside_that_family(path: Path) -> None:
    path.write_text(
        "[tool.memlab.thresholds.all]\nrecall = 0.9\n[tool.memlab.thresholds.recall]\nscenarios_passed = 0.8\n"
    )
    found = read_thresholds(path, COLUMNS)
    assert found is not None
    assert found.each == (Threshold("all", "recall", 0.9), Threshold("recall", "scenarios_passed", 0.8))


def test_systems_that_are_named_for_a_baseline_alone_need_no_threshold(path: Path) -> None:
    path.write_text('[tool.memlab]\nsystems = ["hybrid"]\n')
    assert read_thresholds(path, COLUMNS) == Thresholds(path, (), ("hybrid",))


@pytest.mark.parametrize("stated", ["", "[project]\nname = 'x'\n", "[tool.ruff]\n", "[tool.memlab]\n"])
def test_a_file_without_thresholds_gives_none(path: Path, stated: str) -> None:
    path.write_text(stated)
    assert read_thresholds(path, COLUMNS) is None


def test_the_nearest_pyproject_is_found_upwards(path: Path, tmp_path: Path) -> None:
    path.touch()
    below = tmp_path / "agents" / "mine"
    below.mkdir(parents=True)
    assert find_pyproject(below) == path
    (below / "pyproject.toml").touch()
    assert find_pyproject(below) == below / "pyproject.toml"


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        (
            "[tool.memlab]\nthreshold = 1",
            "[tool.memlab] has an unknown key 'threshold'. Did you mean 'thresholds'? Valid:",
        ),
        ("[tool.memlab]\nsystems = 'hybrid'", "systems is 'hybrid'; write a list of names"),
        ("[tool.memlab]\nthresholds = 0.9", "tool.memlab.thresholds is 0.9; write it as a table"),
        (
            "[tool.memlab.thresholds]\npoison_resistence = 0.9",
            "[tool.memlab.thresholds] has an unknown column 'poison_resistence'. Did you mean 'poison_resistance'? ",
        ),
        (
            "[tool.memlab.thresholds.stael]\nrecall = 0.9",
            "[tool.memlab.thresholds.stael] names an unknown family. Did you mean 'stale'? Valid: all, contradiction",
        ),
        (
            "[tool.memlab.thresholds.stale]\npoison_resistance = 0.9",
            "stale] has an unknown column 'poison_resistance'. Valid: recall, scenarios_passed.",
        ),
        ("[tool.memlab.thresholds]\nrecall = 90", "recall is 90; write a share from 0 to 1, as in 0.9 for 90 %."),
        ("[tool.memlab.thresholds]\nrecall = nan", "recall is nan; write a share"),
        ("[tool.memlab.thresholds]\nrecall = true", "recall is True; write a share"),
        ("[tool.memlab.thresholds]\nrecall = '0.9'", "recall is '0.9'; write a share"),
        (
            "[tool.memlab.thresholds]\npoison_resistance = 1\n[tool.memlab.thresholds.all]\npoison_resistance = 0.9",
            "a column is in [tool.memlab.thresholds] and in its `all`. Keep one.",
        ),
        ("[tool.memlab.thresholds]", "[tool.memlab.thresholds] is empty; write a threshold, as in recall = 0.9, or"),
        ("[tool.memlab.thresholds.stale]", "[tool.memlab.thresholds.stale] is empty; write a threshold"),
        ("tool = 3", "tool is 3; write it as a table, [tool]."),
        ("[tool.memlab", "not valid TOML ("),
    ],
)
def test_a_mistake_names_the_file_the_key_and_what_is_valid(path: Path, stated: str, complaint: str) -> None:
    path.write_text(stated)
    with pytest.raises(BadThresholds) as error:
        read_thresholds(path, COLUMNS)
    assert str(error.value).startswith(f"{path}: ")
    assert complaint in str(error.value)


def test_a_mean_is_compared_with_its_threshold_and_is_undecided_if_nothing_was_run() -> None:
    one = Threshold("stale", "scenarios_passed", 0.8)
    means = {0.8: "met", 0.799: "missed", sum([0.1] * 8): "met"}
    for mean, holds in means.items():
        assert threshold_decision(one, "mine", Interval(mean, 0.7, 0.9, 24)).outcome == holds, mean
    for nothing in (None, Interval(float("nan"), float("nan"), float("nan"), 0)):
        assert threshold_decision(one, "mine", nothing).outcome == "undecided"


def scores(family: str, values: list[float]) -> dict[str, float]:
    return {f"{family}/{number}": value for number, value in enumerate(values)}


def run(**families: list[float]) -> dict[str, dict[str, float]]:
    """Give the scores of all, then of each family, as a run has them."""
    each = {family: scores(family, values) for family, values in families.items()}
    return {"all": {name: value for own in each.values() for name, value in own.items()}, **each}


def test_a_build_fails_on_what_got_worse_and_lists_it() -> None:
    before = run(stale=[1.0] * 24, recall=[1.0] * 10)
    now = run(stale=[0.0, 0.6, *[0.0] * 4, *[1.0] * 18], recall=[1.0] * 10)
    total, stale, recall = baseline_decision("mine", now, before)
    assert [one.outcome for one in (total, stale, recall)] == ["missed", "missed", "met"]
    assert (total.name, total.words) == (
        "all: no worse than the baseline",
        "6 worse and 0 better of 34 scenarios, p=.016",
    )
    assert total.details[0] == "stale/0 -100"
    assert total.details[-1] == "stale/1 -40"
    assert exit_code([recall]) == 0
    assert exit_code([total, recall]) == 1


def test_four_scenarios_that_got_worse_may_be_chance_and_five_are_not() -> None:
    for worse, holds in ((4, "met"), (5, "missed")):
        (total,) = baseline_decision(
            "mine", {"all": scores("stale", [0.0] * worse + [1.0] * 19)}, {"all": scores("stale", [1.0] * 24)}
        )
        assert (total.outcome, len(total.details)) == (holds, worse)


def test_a_gain_in_one_family_does_not_hide_a_loss_in_another() -> None:
    before = run(stale=[1.0] * 24, recall=[0.0] * 10)
    now = run(stale=[0.0] * 8 + [1.0] * 16, recall=[1.0] * 10)
    assert [one.outcome for one in baseline_decision("mine", now, before)] == ["met", "missed", "met"]


def test_a_scenario_to_which_a_column_does_not_apply_is_not_compared() -> None:
    now, before = {"all": {"a": float("nan"), "b": 1.0}}, {"all": {"a": 1.0, "b": 1.0}}
    (found,) = baseline_decision("mine", now, before, rewritten=2)
    assert found.words == "0 worse and 0 better of 1 scenario, p=1.000; 2 left out because they were rewritten since"


def test_a_baseline_that_shares_no_scenario_decides_nothing() -> None:
    (found,) = baseline_decision("mine", run(stale=[1.0]), {"stale": {"stale/other": 1.0}})
    assert found.outcome == "undecided"
    assert exit_code([found]) == 2


def test_a_change_that_trades_scenarios_at_random_fails_one_build_in_ten_at_most() -> None:
    chance = np.random.default_rng(21)
    sizes = {"recall": 11, "stale": 24, "poison": 27, "contradiction": 25, "oversize": 25, "promotion": 11}
    failed = 0
    for _ in range(600):
        now, before = (
            run(**{name: (chance.random(n) < 0.7).astype(float).tolist() for name, n in sizes.items()}) for _ in "ab"
        )
        failed += exit_code(baseline_decision("mine", now, before))
    assert 0.02 < failed / 600 < 0.1
