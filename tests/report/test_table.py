import re
from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memlab.harness.scoring.intervals import Interval
from memlab.report.tables.folding import WIDTH
from memlab.report.tables.paired import differences
from memlab.report.tables.scores import score_all
from memlab.report.tables.systems import display_name, short
from memlab.report.tables.terminal import LONGEST, headline, paired, percent
from memlab.report.tables.tidy import COSTS, HEADLINE, by_system, ranked, shown_columns, tidy, write_csv
from memlab.systems.registry import entries
from memlab.terms import Result


def cell(results: list[Result], system: str, metric: str, family: str = "all") -> Interval:
    return by_system(tidy(score_all(results)), family)[system][metric]


def printed(renderable: object) -> str:
    console = Console(width=WIDTH, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def test_the_oracle_has_1_and_null_has_0_in_every_quality_column(results: list[Result]) -> None:
    table = by_system(tidy(score_all(results)))
    for column in [one for one in HEADLINE if one not in COSTS]:
        assert (table["oracle"][column].mean, table["null"][column].mean) == (1, 0), column


def test_silence_is_safe_but_of_no_use_and_passes_nothing(results: list[Result]) -> None:
    halves = [cell(results, "null", f"poison_resistance{half}").mean for half in ("", "_safe", "_useful")]
    assert halves == [0, 1, 0]


def test_a_scenario_scores_the_share_of_its_seeds_in_which_all_probes_pass(make: Callable[..., Result]) -> None:
    passed = [(True, True), (True, False), (False, True), (True, True)]
    run = [
        make("hybrid", "stale/a", seed, probe=probe, good=good)
        for seed, pair in enumerate(passed)
        for probe, good in zip("xy", pair, strict=True)
    ]
    assert cell(run, "hybrid", "staleness_safety")[0::3] == (0.5, 1)


def test_probes_are_averaged_within_their_scenario_first(make: Callable[..., Result]) -> None:
    many = [make("hybrid", "recall/a", probe=f"p{number}", good=False) for number in range(9)]
    assert cell([*many, make("hybrid", "recall/b")], "hybrid", "recall").mean == 0.5


def test_the_uncounted_family_is_shown_apart(make: Callable[..., Result]) -> None:
    run = [make("hybrid", "stale/a"), make("hybrid", "limits/b", good=False)]
    assert cell(run, "hybrid", "scenarios_passed").mean == 1
    assert cell(run, "hybrid", "scenarios_passed", "limits").mean == 0


def test_results_of_an_overlay_do_not_count_in_the_table(results: list[Result]) -> None:
    without = [result for result in results if not result.key.overlay]
    pd.testing.assert_frame_equal(tidy(score_all(results)), tidy(score_all(without)))


def test_an_error_counts_0_and_costs_nothing(make: Callable[..., Result]) -> None:
    failed = replace(make("hybrid", "stale/a"), items=(), error="raised KeyError", seconds=9.0)
    assert cell([failed, make("hybrid", "stale/b")], "hybrid", "scenarios_passed").mean == 0.5
    assert cell([failed, make("hybrid", "stale/b")], "hybrid", "seconds").mean == 0.001


def test_a_probe_that_only_others_answered_counts_0(make: Callable[..., Result]) -> None:
    run = [make("oracle", "stale/a"), make("oracle", "stale/b"), make("hybrid", "stale/a")]
    assert cell(run, "hybrid", "scenarios_passed")[0::3] == (0.5, 2)


def test_a_metric_that_does_not_apply_is_nan_with_n_0_and_has_no_column(make: Callable[..., Result]) -> None:
    found = cell([make("hybrid", "recall/a")], "hybrid", "recited")
    assert isnan(found.mean)
    assert found.n == 0
    text = printed(headline(score_all([make("hybrid", "recall/a")])))
    assert "recall" in text
    assert not {"recited", "poison_", "\N{EN DASH}"}.intersection(text.split())


def test_a_metric_of_some_systems_has_a_column_with_a_dash_for_the_others(make: Callable[..., Result]) -> None:
    unable = replace(make("null", "recall/a", verb="assemble"), not_applicable="it cannot", items=())
    text = printed(headline(score_all([make("hybrid", "recall/a", verb="assemble"), unable])))
    assert "\N{EN DASH}" in text


def test_what_a_system_says_that_it_cannot_do_raises_no_score(make: Callable[..., Result]) -> None:
    """A scenario with a probe that a system cannot answer is not passed; alone, such a system has no score."""
    both = [make("hybrid", "recall/a"), make("hybrid", "recall/b")]
    unable = replace(make("hybrid", "recall/b", verb="assemble", probe="context"), not_applicable="it cannot", items=())
    assert cell(both, "hybrid", "scenarios_passed").mean == 1
    assert cell([*both, unable], "hybrid", "scenarios_passed")[0::3] == (0.5, 2)
    assert isnan(cell([unable], "hybrid", "scenarios_passed").mean)


def test_one_scenario_has_no_interval(make: Callable[..., Result]) -> None:
    one, two = ([make("hybrid", f"recall/{name}") for name in names] for names in ("a", "ab"))
    assert re.search(r"^hybrid +100 +100", printed(headline(score_all(one))), re.MULTILINE)
    assert re.search(r"^hybrid +100 ≥\d+ ", printed(headline(score_all(two))), re.MULTILINE)
    rival = [replace(result, system="bucket-search", items=()) for result in one]
    assert "open +100" in (text := printed(paired(score_all([*one, *rival]))))
    assert "p=" not in text.split(" minus ")[0]


def test_the_halves_of_the_score_have_columns(results: list[Result]) -> None:
    assert " passed safe useful " in " ".join(printed(headline(score_all(results))).split())


def test_the_same_results_give_the_same_bytes(results: list[Result], tmp_path: Path) -> None:
    for name in "ab":
        write_csv(tidy(score_all(results)), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_text().startswith("system,family,metric,mean,low,high,n\n")


def test_systems_are_ranked_by_scenarios_passed(results: list[Result]) -> None:
    assert ranked(tidy(score_all(results))) == ["oracle", "hybrid", "bucket-search", "hybrid-no-guard", "null"]


def test_the_headline_fits_120_columns_and_says_n_and_every_mark(results: list[Result]) -> None:
    marked = [replace(results[0], error="raised"), replace(results[1], broke=("k",), fallback="recall"), *results[2:]]
    named = [replace(one, system="agents/in/a/deep/folder/memory.py:MyMemory") for one in results]
    text = printed(headline(score_all([*marked, *named])))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "n=30" in text
    assert "oracle!†‡" in text
    assert all(sign in text.split("Quality in %")[1] for sign in ("! raised", "† exceeded", "‡ has only"))
    assert "\nMyMemory " in text
    assert "scenarios_passed in one family: poison_resistance (poison), staleness_safety (stale), " in text


def test_a_heading_of_the_table_is_broken_between_words_only(results: list[Result]) -> None:
    heads = [str(column.head).split("\nn=")[0] for column in headline(score_all(results)).columns]  # type: ignore[union-attr] # there is one
    assert [head.replace("\n", "") for head in heads] == shown_columns(tidy(score_all(results)))
    assert all(part.endswith("_") for head in heads for part in head.split("\n")[:-1])


def test_a_class_is_shown_by_its_name_alone_unless_two_systems_have_it() -> None:
    mine, other = "agents/memory.py:MyMemory", "old.py:MyMemory"
    assert display_name(mine, [mine, "hybrid"]) == "MyMemory"
    assert display_name(mine, [mine, other]) == mine
    assert display_name(mine, [mine, "MyMemory"]) == mine
    assert display_name("hybrid", [mine, "hybrid"]) == "hybrid"


def test_the_paired_table_names_a_class_as_the_headline_does(results: list[Result]) -> None:
    mine = [replace(one, system="deep/memory.py:MyMemory") for one in results if one.system == "null"]
    text = printed(paired(score_all([*results, *mine])))
    assert " MyMemory" in text
    assert ".py" not in text


def test_no_two_systems_have_one_name_in_a_table() -> None:
    names = [short(one.name, LONGEST) for one in entries()]
    assert len(set(names)) == len(names)


def test_a_narrow_console_cuts_no_figure_short(results: list[Result]) -> None:
    console = Console(width=60, color_system=None)
    for table in (headline(score_all(results)), paired(score_all(results))):
        with console.capture() as capture:
            console.print(table, soft_wrap=True)
        assert "…" not in capture.get()
        assert "n=30" in capture.get() or "] p=.219" in capture.get()


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_a_terminal_gets_every_column_below_the_others_where_they_do_not_fit(results: list[Result], width: int) -> None:
    scores = score_all(results)
    console = Console(width=width, force_terminal=True, color_system=None)
    with console.capture() as capture:
        for table in (headline(scores), paired(scores)):
            console.print(table, soft_wrap=True)
    lines = capture.get().splitlines()
    assert max(map(len, lines)) <= width
    parts = [number for number, line in enumerate(lines) if line.startswith("system ")]
    assert len(parts) == {60: 4, 80: 3, 100: 2, 120: 2}[width]
    assert [sum(line.startswith("bucket-search") for line in lines)] == [len(parts)]
    assert sum(len(re.findall(r"n=\d+", lines[number])) for number in parts) == len(shown_columns(tidy(scores)))
    assert sum("Quality in %" in line for line in lines) == 1


def test_without_a_terminal_the_table_has_120_columns_whatever_the_console_says(results: list[Result]) -> None:
    console = Console(width=60, color_system=None)
    with console.capture() as capture:
        console.print(headline(score_all(results)), soft_wrap=True)
    assert sum(line.startswith("system ") for line in capture.get().splitlines()) == 2


def test_the_paired_table_is_honest_where_a_bucket_wins(results: list[Result]) -> None:
    frame = differences(score_all(results), ["bucket-search"]).set_index("question")
    assert frame["mean"].to_dict()["family recall: recall"] < 0
    assert frame["mean"].to_dict()["poison_resistance"] > 0
    assert "open -100" in printed(paired(score_all(results)))


def test_without_a_rival_there_is_no_paired_table(make: Callable[..., Result]) -> None:
    assert paired(score_all([make("hybrid", "stale/a")])) is None
    assert paired(score_all([make("bucket-search", "stale/a")])) is None


@given(st.floats(0, 1))
def test_only_certainty_reads_0_or_100(share: float) -> None:
    assert (percent(share) in {"0", "100"}) == (share in {0, 1})


@pytest.mark.parametrize("system", ["hybrid", "null"])
def test_every_row_has_a_mean_within_its_interval(results: list[Result], system: str) -> None:
    for metric, found in by_system(tidy(score_all(results)))[system].items():
        assert found.low <= found.mean <= found.high, metric
