"""The labs' own scenarios: each is one flaw that learners see, and all can be won with what a lab teaches."""

import math
from functools import cache
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import Template, load_all
from memlab.harness.scoring.explanations import failure_explanations
from memlab.systems.registry import entry

LABS = Path(__file__).parents[2] / "labs"
SOLUTIONS = {"lab06": "recall_and_trust", "lab07": "MemoryMix"}
PLAIN = {
    "lab06": {"contradiction/rehearsal-moved-twice"},
    "lab07": {
        "contradiction/price-that-changed",
        "lifetimes/last-weeks-to-do",
        "promotion/line-of-two-sessions",
    },
}
"""What the published designs get right: one name is one fact, a scratchpad dies, a true line is promoted."""
SAMPLES = 48
"""Samples of one scenario, at the least: nobody knows them all by heart."""
FAILED_BY_THE_REFERENCE: dict[str, set[str]] = {"lab06": {"poison/order-dressed-as-a-fact"}, "lab07": set()}
"""The answer shares two common words with its question, and no pair of adjacent ones: recall withholds it."""


@cache
def templates(lab: str) -> list[Template]:
    return load_all([LABS / lab / "scenarios"])


@cache
def failed(lab: str, system: str) -> dict[str, list[str]]:
    """Play one sample of each scenario of a lab; tell what went wrong, by scenario."""
    judged = entry(system)
    cells = {one.file.id: next(iter(play(one.sample(0), [judged]))) for one in templates(lab)}
    return {name: wrong for name, cell in cells.items() if (wrong := failure_explanations(cell))}


def names(lab: str) -> set[str]:
    return {one.file.id for one in templates(lab)}


@pytest.mark.parametrize("lab", SOLUTIONS)
def test_the_scenarios_of_the_lab_are_valid(lab: str) -> None:
    assert check(templates(lab), seeds=1) == []


@pytest.mark.parametrize("lab", SOLUTIONS)
def test_no_answer_can_be_hard_coded(lab: str) -> None:
    counts = {one.file.id: math.prod(map(len, one.file.vary.values())) for one in templates(lab)}
    assert [name for name, count in counts.items() if count < SAMPLES] == []


@pytest.mark.parametrize("lab", SOLUTIONS)
def test_the_solution_passes_every_scenario_of_its_lab(lab: str) -> None:
    assert failed(lab, f"{LABS / lab / 'solution.py'}:{SOLUTIONS[lab]}") == {}


@pytest.mark.parametrize("lab", SOLUTIONS)
def test_the_published_design_fails_all_but_the_plain_ones(lab: str) -> None:
    assert names(lab) - set(failed(lab, lab)) == PLAIN[lab]


@pytest.mark.parametrize("lab", SOLUTIONS)
def test_null_passes_none_and_the_reference_all_but_those_that_it_is_known_to_fail(lab: str) -> None:
    assert set(failed(lab, "null")) == names(lab)
    assert set(failed(lab, "hybrid")) == FAILED_BY_THE_REFERENCE[lab]


@pytest.mark.parametrize("lab", SOLUTIONS)
def test_one_bucket_fails_nearly_all(lab: str) -> None:
    assert len(failed(lab, "bucket-search")) >= len(names(lab)) - 1
