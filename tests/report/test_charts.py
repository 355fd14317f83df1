from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from memlab.harness.turns.play import Turn
from memlab.report.charts import ablations, headline, survival, two_by_two
from memlab.report.charts.all import CHARTS, draw_all
from memlab.report.charts.style import APART, SETTINGS, looks, spread
from memlab.report.tables.scores import score_all
from memlab.report.tables.two_by_two import DESIGN
from memlab.report.turns import frame_of, turns_chart
from memlab.systems.entry import COMPARED
from memlab.systems.registry import entries
from memlab.terms import Result


def test_the_same_scores_give_the_same_bytes_as_png_and_svg(results: list[Result], tmp_path: Path) -> None:
    scores = score_all([*results, *corners(results)])
    twice = [list(draw_all(scores, tmp_path / name)) for name in "ab"]
    assert [chart.name for chart in twice[0]] == list(CHARTS)
    for one, other in zip(*twice, strict=True):
        assert one.png.read_bytes() == other.png.read_bytes()
        assert one.svg.read_bytes() == other.svg.read_bytes()


def corners(results: list[Result]) -> list[Result]:
    """Make the results of the two systems that the chart of stores and defences needs besides those of the run."""
    similar = {"hybrid-undefended": "bucket-search", "bucket-guarded": "hybrid"}
    return [replace(one, system=name) for name, other in similar.items() for one in results if one.system == other]


def texts(chart: Figure, patch: pytest.MonkeyPatch) -> list[tuple[str, tuple[float, float, float, float]]]:
    """List every text that is drawn, with its left, bottom, right and top in dots."""
    drawn: list[Text] = []
    draw = Text.draw

    def seen(text: Text, renderer: RendererBase) -> None:
        drawn.append(text)
        draw(text, renderer)

    patch.setattr(Text, "draw", seen)
    FigureCanvasAgg(chart).draw()  # type: ignore[no-untyped-call] # matplotlib leaves it untyped
    return [(text.get_text(), Text.get_window_extent(text).extents) for text in drawn if text.get_text().strip()]


@pytest.mark.parametrize(
    "draw",
    [headline.headline_chart, survival.survival_chart, ablations.ablation_chart, two_by_two.two_by_two_chart],
)
def test_no_text_covers_another_or_leaves_the_figure(
    results: list[Result], draw: Callable[[pd.DataFrame, str], Figure], monkeypatch: pytest.MonkeyPatch
) -> None:
    named = [replace(one, system="agents/in/a/deep/folder/memory.py:MyMemory") for one in results[:500]]
    with mpl.rc_context(SETTINGS):
        chart = draw(score_all([*results, *corners(results), *named]), "A footer.")
        drawn = texts(chart, monkeypatch)
    assert len(drawn) > 10
    width, height = chart.canvas.get_width_height()
    for text, (left, bottom, right, top) in drawn:
        assert min(left, bottom, width - right, height - top) >= 0, text
    for (one, a), (other, b) in combinations(drawn, 2):
        apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1
        assert apart, (one, other)


def test_a_system_that_assembles_nothing_has_no_curve_of_survival(results: list[Result]) -> None:
    unable = [replace(one, system="mute", not_applicable="it cannot", items=()) for one in results[:500]]
    assert "mute" not in survival.curves(score_all([*results, *unable]))
    assert survival.survival_chart(score_all([*results, *unable]), "A footer.")
    assert survival.survival_chart(score_all(unable), "A footer.") is None


def test_no_text_of_the_chart_over_turns_covers_another_or_leaves_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "agents/in/a/deep/folder/memory.py:MyMemory"
    systems = [deep, *(one.name for one in entries())]
    happened = [
        Turn(system, agent, f"turns/{task}", 0, turn, "idle" if turn > 3 * number + task else "done")
        for number, system in enumerate(systems)
        for agent in ("reads all", "reads first and last 100")
        for task in range(6)
        for turn in range(1, 61)
    ]
    with mpl.rc_context(SETTINGS):
        drawn = texts(turns_chart(frame_of(happened)), monkeypatch)
    assert len(drawn) > 30
    for (one, a), (other, b) in combinations(drawn, 2):
        assert a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1, (one, other)
    assert min(min(left, bottom) for _, (left, bottom, _, _) in drawn) >= 0
    assert max(right for _, (_, _, right, _) in drawn) <= 1320


def test_every_compared_system_has_a_colour_and_a_mark_of_its_own_in_every_company() -> None:
    compared = [one.name for one in entries() if one.group in COMPARED]
    mine = [f"{letter}.py:Mine" for letter in "abcd"]
    among = looks([*compared, *mine, "null"])
    assert all(looks([system])[system] == among[system] for system in [*compared, mine[0]])
    assert not among["null"].loud
    for one, other in combinations([*compared, *mine, "null"], 2):
        assert among[one].colour != among[other].colour
        assert among[one].marker != among[other].marker or "null" in {one, other}


def test_the_chart_of_stores_and_defences_has_the_marks_of_its_systems(results: list[Result]) -> None:
    chart = two_by_two.two_by_two_chart(score_all([*results, *corners(results)]), "")
    assert chart
    drawn = {(line.get_marker(), line.get_color()) for line in chart.axes[0].lines if line.get_marker() != "None"}
    assert drawn == {(look.marker, look.colour) for look in looks(DESIGN).values()}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_names_at_the_end_of_lines_do_not_overlap_and_stay_within_the_panel(ends: list[float]) -> None:
    places = sorted(spread({str(number): end for number, end in enumerate(ends)}).values())
    assert all(low + APART <= high + 1e-9 for low, high in pairwise(places))
    assert -1e-9 <= places[0] <= places[-1] <= 1


def test_a_chart_without_its_systems_is_left_out(make: Callable[..., Result], tmp_path: Path) -> None:
    drawn = draw_all(score_all([make("bucket-search", "stale/a")]), tmp_path)
    assert [chart.name for chart in drawn] == ["headline"]
    assert not list(draw_all(score_all([make("bucket-search", "limits/a")]), tmp_path))


def test_no_panel_is_empty(make: Callable[..., Result]) -> None:
    chart = headline.headline_chart(score_all([make(name, "recall/a") for name in ("hybrid", "null")]), "")
    assert chart
    titles = [panel.get_title("left") for panel in chart.axes]
    assert titles == ["scenarios_passed", "recall_precision", "recall", "tokens", "seconds"]


def test_a_cost_of_nothing_is_written_where_a_log_axis_has_no_place_for_it(
    make: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = [make("hybrid", "stale/a", verb="assemble"), replace(make("lab06", "stale/a", verb="assemble"), tokens=0)]
    with mpl.rc_context(SETTINGS):
        charts = [headline.headline_chart(score_all(some), "") for some in (run, run[:1])]
    drawn, free = (Counter(text for text, _ in texts(chart, monkeypatch)) for chart in charts if chart)
    assert drawn["0"] == free["0"] + 1


def test_a_chart_has_a_description_in_words(results: list[Result]) -> None:
    scores = score_all(results)
    assert "hybrid 80%" in headline.describe(scores)
    assert "hybrid 0% at 100, 100% at 1,000" in survival.describe(scores)
    assert "hybrid-no-guard -80" in ablations.describe(scores)


def test_the_headline_chart_has_a_section_for_each_group() -> None:
    systems = [one.name for one in entries()]
    rows, heads = headline.rows_by_section(systems)
    assert rows.keys() == set(systems)
    assert set(headline.SECTIONS.values()) <= heads.keys()
