"""The benchmark is valid: degenerate memories must not score well."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.running.runner import play
from memlab.harness.scenarios.conditions import WITHOUT_LABELS
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scenarios.schema import ATTACKS, LIMITS
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.registry import entries, entry

FAILURES = Path(__file__).with_name("known_failures.txt")
QUARTER = 0.25
NEAR = 0.25
"""The minimum distance of a degenerate system from the reference on scenarios_passed."""
EXPLOITS = re.compile(r"[A-Z][^.]*: wins where [^.]*\.")
"""One sentence: what it does, and the weakness of a harness that it exploits."""
DEGENERATE = [one.name for one in entries() if one.group == "degenerate" and not one.sees_key]
QUALITY = ("passes", "useful", "recall", "precision", "r_precision", "ndcg", "mrr", "survives", "kept", "recited")


@cache
def templates() -> list[Template]:
    return load_all([library()])


@cache
def scores() -> dict[str, dict[str, dict[str, list[float]]]]:
    """Return the scores of all probes, by system, family and metric."""
    found: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    judged = [entry(name) for name in (*DEGENERATE, "oracle")]
    for template in templates():
        for results in play(WITHOUT_LABELS(template.sample(0)), judged):
            own = found[results[0].system][template.family]
            own["scenario"].append(min(METRICS["passes"](one) for one in results))
            for name in QUALITY:
                own[name] += [value for one in results if (value := METRICS[name](one)) == value]
    return found


def share(system: str, family: str) -> float:
    passed = scores()[system][family]["scenario"]
    return sum(passed) / len(passed)


def overall(system: str) -> float:
    passed = [one for family, own in scores()[system].items() if family != LIMITS for one in own["scenario"]]
    return sum(passed) / len(passed)


def share_of_the_reference() -> float:
    """Return its scenarios_passed. The tests of the families play it, and prove that known_failures.txt is complete."""
    failed = {line.split(": ", 1)[0] for line in FAILURES.read_text(encoding="utf-8").splitlines()}
    counted = [one.file.id for one in templates() if one.family != LIMITS]
    return 1 - len(failed.intersection(counted)) / len(counted)


def test_the_benchmark_proves_itself() -> None:
    assert check(templates()) == []


@pytest.mark.parametrize("metric", QUALITY)
def test_the_oracle_scores_1_and_null_0_in_every_quality_column(metric: str) -> None:
    oracle, null = (
        [value for family, own in scores()[name].items() if family != LIMITS for value in own[metric]]
        for name in ("oracle", "null")
    )
    assert set(oracle) == {1.0}
    if metric in {"passes", "useful"}:  # a probe that expects nothing is passed by silence
        assert overall("null") == 0
    else:
        assert set(null) == {0.0}


@pytest.mark.parametrize("family", ATTACKS)
@pytest.mark.parametrize("name", DEGENERATE)
def test_no_degenerate_system_passes_a_quarter_of_an_attack_family(family: str, name: str) -> None:
    assert share(name, family) < QUARTER


@pytest.mark.parametrize("name", DEGENERATE)
def test_no_degenerate_system_comes_near_the_reference(name: str) -> None:
    worst = max(ATTACKS, key=lambda family: share(name, family))
    figures = f"{overall(name):4.0%} of all, {share(name, worst):4.0%} of {worst}"
    print(f"\n{name:13} {figures:31} {entry(name).about}", end="")  # noqa: T201 - what `pytest --capture=no` shows
    assert overall(name) <= share_of_the_reference() - NEAR


@pytest.mark.parametrize("name", DEGENERATE)
def test_each_degenerate_system_says_in_one_sentence_what_it_exploits(name: str) -> None:
    assert EXPLOITS.fullmatch(entry(name).about)
