"""Results under an attack are explained like all others: which cell, its timeline, and its place on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.harness.attacks.control import AttackedRound, no_landing_result
from memlab.harness.running.results import BadResults
from memlab.harness.running.runner import play
from memlab.harness.scenarios.conditions import AS_WRITTEN
from memlab.harness.scenarios.loading import library, load
from memlab.report.explain.cell import explanation, select_cell
from memlab.report.explain.timeline import scenario_paths
from memlab.report.html.failures import anchor, failures_of, failures_section
from memlab.report.lines import to_plain
from memlab.report.tables.scores import failed_attacks, score_all
from memlab.systems.registry import entry
from memlab.terms import Result

WEEK = "recall/first-week"
UPDATE, FLOOD = "update.tool.v2", "flood.web.v2"


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Results of one scenario, clean and under two attacks, of a system that believes them and of one that does not."""
    names = ("oracle", "bucket-search")
    template = load(library() / f"{WEEK}.yaml")
    cells = [*play(template.sample(0), [entry(name) for name in names])]
    for attack in (UPDATE, FLOOD):
        cells += AttackedRound(template, 0, names, conditions=AS_WRITTEN, attacks=(attack,)).play()
    return [result for one in cells for result in one]


def explain(results: Sequence[Result], attack: str = "", system: str = "bucket-search") -> list[str]:
    lines = explanation(select_cell(results, system=system, attack=attack), scenario_paths([library()]))
    return [to_plain(line, 1000) for line in lines]


def test_a_cell_under_an_attack_is_shown_with_the_events_of_the_attack_marked(results: list[Result]) -> None:
    lines = explain(results, "update")
    assert f"{WEEK}, seed 0, under {UPDATE}, system bucket-search: 1 of 1 probe failed." in lines
    assert any(
        line.startswith("This scenario is attacked; lines of the attack are marked ATTACK. update.tool.v2: states")
        for line in lines
    )
    first, second = (line for line in lines if line[:3].strip().isdigit() and "ATTACK: " in line)
    assert "ATTACK: tool states night-roster" in second
    assert f"(from line {first[:3].strip()})  [roster.{UPDATE}]" in second
    assert f"lines {first[:3].strip()}, {second[:3].strip()}). Why: a higher-ranked source contradicts" in "\n".join(
        lines
    )


def test_many_events_of_an_attack_are_one_line(results: list[Result]) -> None:
    (line,) = (line for line in explain(results, "flood.web", "oracle") if "ATTACK: " in line)
    assert "ATTACK: 101 more events, from" in line


def test_without_an_attack_option_the_cell_is_one_without_attack(results: list[Result]) -> None:
    assert {result.key.overlay for result in select_cell(results)} == {""}
    assert not any("ATTACK" in line for line in explain(results))


@pytest.mark.parametrize(
    ("attack", "expected"),
    [("all", UPDATE), ("update", UPDATE), (UPDATE, UPDATE), ("flood.web", FLOOD)],
)
def test_a_name_chooses_the_attack(results: list[Result], attack: str, expected: str) -> None:
    assert {result.key.overlay for result in select_cell(results, attack=attack)} == {expected}


def test_the_error_for_an_attack_that_was_not_run_lists_those_that_were(results: list[Result]) -> None:
    with pytest.raises(BadResults, match=rf"this run has no attack 'delete'.* Valid: {UPDATE}, {FLOOD}\."):
        select_cell(results, attack="delete")
    with pytest.raises(BadResults, match=r"This run has no attack. Run `memlab compare --attacks all` first\."):
        select_cell([result for result in results if not result.key.overlay], attack="all")


def test_for_another_version_of_an_attack_only_the_answers_are_shown(results: list[Result]) -> None:
    older = [
        replace(one, key=replace(one.key, overlay="update.tool.v1")) for one in select_cell(results, attack=UPDATE)
    ]
    lines = "\n".join(explain(older, "update.tool"))
    assert "The timeline is not shown: this version of memlab has no attack update.tool.v1." in lines
    assert "? who writes the night roster" in lines


def test_the_page_shows_for_each_attack_the_first_sample_that_a_main_system_failed(results: list[Result]) -> None:
    failed = failed_attacks(results, score_all(results))
    assert {(one.system, one.key.overlay) for one in failed} == {("bucket-search", UPDATE), ("bucket-search", FLOOD)}
    again = [replace(one, key=replace(one.key, seed=1)) for one in failed]
    failures = failures_of([*failed, *again])
    assert failures == {("bucket-search", one.key.overlay): [one] for one in failed}
    section = unescape(failures_section("Failures", failures))
    assert "<h3>under attack: 2 failed</h3>" in section
    assert f"{UPDATE}: {WEEK}, seed 0: bucket-search</summary>" in section
    assert f'id="{anchor(("bucket-search", UPDATE))}"' in section


def test_an_attack_without_effect_is_no_failure_of_any_system(results: list[Result]) -> None:
    nowhere = [no_landing_result(one) if one.key.overlay else one for one in results]
    assert failed_attacks(nowhere, score_all(nowhere)) == []


def test_show_prints_a_scenario_under_an_attack_and_reports_where_none_applies() -> None:
    shown = CliRunner().invoke(app, ("show", WEEK, "--attack", "update"))
    assert shown.exit_code == 0
    assert [line for line in shown.output.splitlines() if "ATTACK: " in line]
    assert all(f"update.{channel}.v2: states a lie" in shown.output for channel in ("web", "tool", "agent"))
    plain = CliRunner().invoke(app, ("show", WEEK))
    assert "ATTACK" not in plain.output
    nowhere = CliRunner().invoke(app, ("show", WEEK, "--attack", "revive"))
    assert nowhere.exit_code == 2
    assert "revive applies to none of these scenarios" in nowhere.output
