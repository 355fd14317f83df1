from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from memlab.harness.curves import Point
from memlab.report.charts.budget_curves import curves_chart, grids_chart
from memlab.report.curves import curves_table, describe, frame_of, write
from memlab.report.tables.budget_means import Means
from memlab.report.tables.systems import display_name

HISTORIES, BUDGETS = (10, 1_000), (100, 1_000, 8_000)
QUALITY = {"hybrid": (1, 1), "bucket-recent": (1, 0), "mine.py:Mine": (0, 1), "oracle": (1, 1), "null": (0, 0)}


def points(late: str = "", scenarios: int = 4, seeds: int = 1) -> list[Point]:
    return [
        Point(system, history, budget, f"curves/{number}", seed, probe, *scores, error="")
        if system != late or history == HISTORIES[0]
        else Point(system, history, budget, f"curves/{number}", seed, probe, 0, 0, "over 60 s")
        for system, scores in QUALITY.items()
        for history in HISTORIES
        for budget in BUDGETS
        for number in range(scenarios)
        for seed in range(seeds)
        for probe in ("first", "late")
    ]


def printed(found: list[Point]) -> str:
    console = Console(width=120, record=True)
    console.print(curves_table(frame_of(found)), soft_wrap=True)
    return console.export_text()


def test_the_unit_is_the_scenario_its_questions_and_seeds_are_averaged_first() -> None:
    half = [one._replace(recall=float(one.probe == "late")) for one in points(seeds=3)]
    found = Means(frame_of(half)).at("recall", "hybrid", 10, 100)
    assert found is not None
    assert (found.mean, found.n) == (0.5, 4)


def test_an_unfinished_point_has_no_mean_and_every_output_says_why() -> None:
    found = Means(frame_of(points(late="bucket-recent")))
    assert found.at("survives", "bucket-recent", 1_000, 100) is None
    assert found.at("survives", "bucket-recent", 10, 100) is not None
    assert (found.error("bucket-recent", 1_000), found.error("bucket-recent", 10)) == ("over 60 s", "")
    assert printed(points(late="bucket-recent")).count("over 60 s") == 2
    assert "bucket-recent over 60 s" in describe(frame_of(points(late="bucket-recent")))
    texts = [text.get_text() for text in grids_chart(found).axes[1].texts]
    assert texts.count("over 60 s") == 1


def test_one_life_that_failed_is_enough_for_no_mean() -> None:
    first, *rest = points()
    failed = Means(frame_of([first._replace(error="assemble() of 'hybrid' raised KeyError"), *rest]))
    assert failed.error("hybrid", 10) == "error"
    assert failed.at("survives", "hybrid", 10, 8_000) is None


def test_the_table_and_the_words_show_the_budget_that_is_nearest_to_a_thousand_tokens() -> None:
    output = printed(points())
    assert output.index("hybrid") < output.index("bucket-recent") < output.index("oracle") < output.index("null")
    assert "share of contexts of 1,000 tokens" in output
    assert describe(frame_of(points())).startswith("In 1,000 tokens after 1,000 episodes: hybrid survives 100%")


def test_the_grid_names_every_system_and_fills_a_field_for_each_of_its_means() -> None:
    chart = grids_chart(Means(frame_of(points())))
    _, *panels = chart.axes
    assert {text.get_text() for text in panels[0].texts} >= {display_name(one, QUALITY) for one in QUALITY}
    assert [len(panel.patches) for panel in panels] == [len(QUALITY) * len(HISTORIES) * len(BUDGETS)] * 2


def test_the_curves_draw_every_system_in_each_panel_and_name_those_that_a_reader_compares() -> None:
    chart = curves_chart(Means(frame_of(points())))
    assert len(chart.axes) == 2 * len(BUDGETS)
    assert all(len(panel.lines) == len(QUALITY) for panel in chart.axes)
    named = {text.get_text() for text in chart.axes[len(BUDGETS) - 1].texts}
    assert named == {"hybrid", "bucket-recent", "Mine"}


@pytest.mark.parametrize("histories", [1, 2])
def test_the_same_points_give_the_same_bytes(tmp_path: Path, histories: int) -> None:
    found = frame_of([one for one in points() if one.history in HISTORIES[:histories]])
    for name in "ab":
        write(found, tmp_path / name)
    files = {path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*")}
    assert {path.name for path in files} == {"curves.png", "curves.svg", "grids.png", "grids.svg"}
    assert all((tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes() for path in files)
    ET.parse(tmp_path / "a" / "charts" / "grids.svg")  # noqa: S314 - it was written a moment ago
