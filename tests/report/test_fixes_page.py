from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memlab.harness.scoring.fixes import NOTHING, fixes, missing_parts, worst_result
from memlab.report.explain.cell import select_cell
from memlab.report.explain.sentence import sentence
from memlab.report.html.failures import anchor, failures_of
from memlab.report.html.fixes import fixes_section
from memlab.report.tables.fixes import fix_first, own_results
from memlab.terms import Result

MINE = "my agent/memory.py:Mine"


def own(results: list[Result], like: str) -> list[Result]:
    return [replace(one, system=MINE) for one in results if one.system == like]


def test_only_the_users_own_systems_have_fixes(results: list[Result]) -> None:
    assert own_results(results) == {}
    assert not fix_first(results, Path("run"))
    assert list(own_results([*results, *own(results, "null")])) == [MINE]


def test_the_terminal_names_the_command_that_explains_the_first_fix(results: list[Result]) -> None:
    first, *fixes, command = fix_first(own(results, "bucket-search"), Path("run")).plain.splitlines()
    assert first == "What to fix first in Mine:"
    assert fixes[0].startswith("  1. ")
    assert command.startswith("See why: memlab explain run --system Mine --scenario ")


def test_a_system_without_a_failure_has_nothing_to_fix(results: list[Result]) -> None:
    assert NOTHING in fix_first(own(results, "oracle"), Path("run")).plain


def test_the_page_links_each_fix_to_a_failure_that_it_has(results: list[Result]) -> None:
    mine = own(results, "bucket-search")
    failures = failures_of([one for one in mine if not one.key.overlay])
    section = fixes_section("What to fix first", {MINE: mine}, failures)
    assert f'href="#{anchor((MINE, "stale/case-0"))}"' in section
    assert "href" not in fixes_section("What to fix first", {MINE: mine}, {})


def test_the_example_of_a_fix_is_a_sample_that_fails_for_this_reason_alone(make: Callable[..., Result]) -> None:
    both = make("mine", "stale/a-both", good=False, bad=True)
    other = replace(make("mine", "recall/b-other", good=False), items=("a note",))
    guard = make("mine", "stale/c-guard", bad=True)
    first, second = fixes([both, other, guard])
    assert (first.scenario, second.scenario) == ("stale/c-guard", "recall/b-other")
    for one, result in ((first, guard), (second, other)):
        assert missing_parts(result) == [one.part]


def test_without_a_sample_that_fails_for_one_reason_alone_the_example_is_one_explained_by_it(
    make: Callable[..., Result],
) -> None:
    context = make("mine", "recall/a", 1, "assemble", probe="ship", good=False)
    both = [context, make("mine", "recall/a", 1, good=False)]
    guarded = [replace(one, key=replace(one.key, scenario="stale/b")) for one in both]
    guarded[0] = make("mine", "stale/b", 1, "assemble", probe="ship", good=False, bad=True)
    (guard,) = [one for one in fixes([*both, *guarded]) if one.part.startswith("a freshness guard")]
    assert (guard.scenario, guard.seed) == ("stale/b", 1)
    assert missing_parts(worst_result(guarded[::-1]))[0] == guard.part


def test_explain_shows_the_example_of_the_first_fix_and_names_the_same_part(make: Callable[..., Result]) -> None:
    asked = [make("mine", "recall/a", good=False), *(make("mine", f"stale/{n}", 4, bad=True) for n in "bc")]
    first = fixes(asked)[0]
    cell = select_cell(asked)
    assert {(one.key.scenario, one.key.seed) for one in cell} == {(first.scenario, first.seed)} == {("stale/b", 4)}
    assert sentence(cell, None).endswith(f"{first.part}.")
    assert f"--scenario {first.scenario} --seed 4" in fix_first(asked, Path("run")).plain
