from __future__ import annotations

from dataclasses import replace

import pytest

from memlab.harness.plural import plural
from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.harness.scoring.fixes import NOTHING, RANKING, SEARCH, fix_lines, fixes, passed_by_family
from memlab.systems.registry import entry
from memlab.terms import Result

MOVED = library() / "stale" / "deploy-script-moved.yaml"


@pytest.fixture(scope="module")
def searched() -> list[Result]:
    samples = [load(MOVED).sample(seed) for seed in range(3)]
    return [one for sample in samples for cell in play(sample, [entry("bucket-search")]) for one in cell]


def test_the_first_fix_is_the_one_that_most_probes_need_and_a_probe_counts_once_for_all_seeds(
    searched: list[Result],
) -> None:
    first, *others = fixes(searched)
    assert first.part.startswith("a freshness guard")
    assert (first.failed, first.probes, first.scenario) == (2, 2, "stale/deploy-script-moved")
    assert [one.failed for one in others] == sorted((one.failed for one in others), reverse=True)


def test_fixes_are_numbered_lines_with_the_number_of_probes_and_an_example(searched: list[Result]) -> None:
    first, *others = fix_lines(searched)
    assert first == (
        "1. a freshness guard, which checks the files, flags and variables that a memory names before serving it "
        "(2 of 2 probes, for example in stale/deploy-script-moved)"
    )
    assert any("(1 of 2 probes, " in line for line in others)


def test_an_error_is_the_fix_of_a_probe_without_an_answer(searched: list[Result]) -> None:
    (fix,) = fixes([replace(one, error="it raised", items=()) for one in searched])
    assert (fix.part, fix.failed) == ("the error: it raised", 2)


def test_attacks_and_limits_are_not_counted(searched: list[Result]) -> None:
    attacked = [replace(one, key=replace(one.key, overlay="update.web")) for one in searched]
    limits = [replace(one, key=replace(one.key, family="limits")) for one in searched]
    assert fix_lines([*attacked, *limits]) == [NOTHING]


def test_of_what_is_not_judged_nothing_is_said_to_have_passed_and_the_reason_is_given(searched: list[Result]) -> None:
    unjudged = [replace(one, not_applicable="it rewrites texts") for one in searched]
    assert fix_lines(unjudged) == ["unknown, since no probe was judged: it rewrites texts"]
    assert passed_by_family(unjudged) == "none"
    assert fix_lines([*unjudged, *searched]) == fix_lines(searched)
    assert passed_by_family([*unjudged, *searched]) == passed_by_family(searched)


@pytest.mark.parametrize(("items", "part"), [(1, SEARCH), (9, RANKING)])
def test_an_answer_that_was_not_served_needs_a_search_if_there_was_room_else_a_ranking(
    searched: list[Result], items: int, part: str
) -> None:
    asked = [replace(one, items=("another note",) * items, tokens=3) for one in searched if one.key.verb == "recall"]
    assert [one.part for one in fixes(asked)] == [part]


def test_an_answer_that_used_most_of_its_budget_needs_a_ranking(searched: list[Result]) -> None:
    asked = [replace(one, items=("long",), tokens=one.key.budget) for one in searched if one.key.verb == "recall"]
    assert [one.part for one in fixes(asked)] == [RANKING]


def test_samples_are_counted_by_family(searched: list[Result]) -> None:
    assert passed_by_family(searched) == "stale 0 of 3"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 probes"), (1, "1 probe"), (2, "2 probes"), (1200, "1,200 probes")]
)
def test_a_number_has_its_noun_in_the_right_form(number: int, words: str) -> None:
    assert plural(number, "probe") == words
