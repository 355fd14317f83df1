"""The benchmark is valid: degenerate memories must not score well."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from math import ceil
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.running.runner import play
from memlab.harness.scenarios.conditions import WITHOUT_LABELS
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scenarios.schema import ATTACKS, LIMITS
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.registry import entries, entry
from memlab.terms import Result, Scenario

FAILURES = Path(__file__).with_name("known_failures.txt")
QUARTER = 0.25
NEAR = 0.25
"""The minimum distance of a degenerate system from the reference on scenarios_passed."""
EXPLOITS = re.compile(r"[A-Z][^.]*: wins where [^.]*\.")
"""One sentence: what it does, and the weakness of a harness that it exploits."""
DEGENERATE = [one.name for one in entries() if one.group == "degenerate" and not one.sees_key]
QUALITY = ("passes", "useful", "recall", "precision", "r_precision", "ndcg", "mrr", "survives", "kept", "recited")
PLAYED: dict[tuple[str, str], list[Result]] = {}


@cache
def templates() -> list[Template]:
    return load_all([library()])


@cache
def scenarios() -> dict[str, Scenario]:
    """Return the scenarios that the means count by their ids, the shortest first."""
    samples = [WITHOUT_LABELS(one.sample(0)) for one in templates() if one.family != LIMITS]
    return {one.id: one for one in sorted(samples, key=lambda one: len(one.timeline))}


def played(system: str, scenario: str) -> list[Result]:
    if (system, scenario) not in PLAYED:
        (PLAYED[system, scenario],) = play(scenarios()[scenario], [entry(system)])
    return PLAYED[system, scenario]


def passed(system: str, among: Collection[str], most: float) -> list[str]:
    """Return the scenarios that a system passes; play until it is certain whether they are more than a number."""
    found: list[str] = []
    for number, scenario in enumerate(sorted(among, key=lambda one: (system, one) not in PLAYED)):
        certain = len(found) > most or len(found) + len(among) - number <= most
        if not certain and (
            scores := [score for one in played(system, scenario) if (score := METRICS["passes"](one)) >= 0]
        ):
            found += [scenario] * all(scores)  # NaN, which is not applicable, is neither passed nor failed
    return found


def values(system: str, metric: str) -> set[float]:
    """Return the values of a metric at all probes of the scenarios that are counted."""
    every = (METRICS[metric](one) for scenario in scenarios() for one in played(system, scenario))
    return {value for value in every if value == value}  # noqa: PLR0124 - NaN is not equal to itself


def share_of_the_reference() -> float:
    """Return its scenarios_passed. The tests of the families play it, and prove that known_failures.txt is complete."""
    failed = {line.split(": ", 1)[0] for line in FAILURES.read_text(encoding="utf-8").splitlines()}
    return 1 - len(failed.intersection(scenarios())) / len(scenarios())


def test_the_benchmark_proves_itself() -> None:
    assert check(templates()) == []


@pytest.mark.parametrize("metric", QUALITY)
def test_the_oracle_scores_1_and_null_0_in_every_quality_column(metric: str) -> None:
    assert values("oracle", metric) == {1.0}
    if metric in {"passes", "useful"}:  # a probe that expects nothing is passed by silence
        assert passed("null", scenarios(), 0) == []
    else:
        assert values("null", metric) == {0.0}


@pytest.mark.parametrize("family", ATTACKS)
@pytest.mark.parametrize("name", DEGENERATE)
def test_no_degenerate_system_passes_a_quarter_of_an_attack_family(family: str, name: str) -> None:
    attacking = [one for one in scenarios() if one.startswith(f"{family}/")]
    fewer = ceil(QUARTER * len(attacking)) - 1
    assert len(passed(name, attacking, fewer)) <= fewer


@pytest.mark.parametrize("name", DEGENERATE)
def test_no_degenerate_system_comes_near_the_reference(name: str) -> None:
    most = (share_of_the_reference() - NEAR) * len(scenarios())
    assert len(passed(name, scenarios(), most)) <= most


@pytest.mark.parametrize("name", DEGENERATE)
def test_each_degenerate_system_says_in_one_sentence_what_it_exploits(name: str) -> None:
    assert EXPLOITS.fullmatch(entry(name).about)
