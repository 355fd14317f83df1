from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import memlab
from memlab.harness.running.results import BadResults

MOVED = "stale/deploy-script-moved"
PNG = b"\x89PNG\r\n"


@pytest.fixture(scope="module")
def results() -> memlab.Results:
    return memlab.play(MOVED, "bucket-search, hybrid")


def test_a_table_has_the_best_system_first_and_no_empty_column(results: memlab.Results) -> None:
    table = results.table()
    assert list(table.index) == ["hybrid", "bucket-search"]
    assert table["scenarios_passed"].tolist() == [1, 0]
    assert table.notna().all().all()


def test_tables_by_family_scenario_and_probe_have_a_column_for_each_system(results: memlab.Results) -> None:
    assert results.table("family").loc["stale"].to_dict() == {"bucket-search": 0, "hybrid": 1}
    assert results.table("scenario").loc[MOVED].to_dict() == {"bucket-search": 0, "hybrid": 1}
    assert list(results.table("probe").index) == [(MOVED, "where"), (MOVED, "ship")]
    with pytest.raises(ValueError, match="expected system, family, scenario or probe"):
        results.table("seed")  # type: ignore[arg-type] # the value is wrong on purpose


def test_failures_say_what_was_wrong(results: memlab.Results) -> None:
    wrong = results.failures()
    assert set(wrong["system"]) == {"bucket-search"}
    assert "served although the environment refutes it" in wrong["wrong"].iloc[0]
    assert results.failures("hybrid").empty


def test_an_explanation_prints_as_text_and_displays_in_colour(results: memlab.Results) -> None:
    text = results.explain(system="bucket-search")
    assert f"{MOVED}, seed 0, system bucket-search: 2 of 2 probes failed." in str(text)
    assert max(map(len, str(text).splitlines())) <= 120
    assert "color:" in text._repr_mimebundle_()["text/html"]
    with pytest.raises(BadResults, match="Did you mean 'hybrid'"):
        results.explain(system="hybrit")


def test_charts_are_figures_that_display_without_pyplot(results: memlab.Results) -> None:
    charts = results.plot()
    assert not isinstance(charts, type(results.plot("headline")))
    assert repr(charts) == "charts: headline"
    assert results.plot("headline")._repr_png_().startswith(PNG)  # type: ignore[union-attr]
    with pytest.raises(ValueError, match=r"no chart 'headlines' of these results\. Did you mean 'headline'"):
        results.plot("headlines")


def test_results_are_saved_and_read_again(results: memlab.Results, tmp_path: Path) -> None:
    page = results.save(tmp_path / "run")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = memlab.read(tmp_path / "run")
    assert list(again) == list(results)
    pd.testing.assert_frame_equal(again.tidy(), results.tidy())
    with pytest.raises(BadResults, match="cannot be read"):
        memlab.read(tmp_path / "nowhere")
