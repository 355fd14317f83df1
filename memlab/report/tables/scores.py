"""Scores as a table: one row for each result, then one for each scenario."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from memlab.harness.attacks.attack_kinds import is_attack
from memlab.harness.attacks.control import NO_LANDING
from memlab.harness.scenarios.conditions import OVERLAY as LABELLED
from memlab.harness.scenarios.schema import FAMILIES
from memlab.harness.scoring.metrics import METRICS, score
from memlab.terms import Key, Result

NAN = float("nan")
NO_RESULT = "no result was recorded: the run ended before this cell"
COLUMN_OF = {"passes": "scenarios_passed", "precision": "recall_precision", "survives": "task_survival"}
"""Column names of metrics that have another name for a single probe."""
ALL_PROBES = ("scenarios_passed", "safe", "useful")
"""For a sample, these metrics are the minimum over its probes; the other metrics are the mean."""
QUALITY = tuple(COLUMN_OF.get(name, name) for name in METRICS)


def score_all(results: Iterable[Result]) -> pd.DataFrame:
    """Return a row for each result of `complete`: its system and key, its costs, and each metric by its column name."""
    rows = []
    for result in complete(results):
        key, unanswered = result.key, bool(result.error or result.not_applicable)
        measured = {COLUMN_OF.get(name, name): value for name, value in score(result).items()}
        rows.append(
            {
                "system": result.system,
                "family": key.family,
                "scenario": key.scenario,
                "seed": key.seed,
                "overlay": key.overlay,
                "probe": key.probe,
                "verb": key.verb,
                "budget": key.budget,
                "error": bool(result.error),
                "cannot_land": result.error.endswith(NO_LANDING),
                "broke": bool(result.broke),
                "fallback": bool(result.fallback),
                "not_applicable": bool(result.not_applicable),
                "tokens": NAN if unanswered else float(result.tokens),
                "seconds": NAN if unanswered else result.seconds,
                "observe_seconds": result.observe_seconds or NAN,
            }
            | measured
        )
    return pd.DataFrame(rows)


def labelled(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores with subject labels: rows of the labelled samples, and the plain rows of all other scenarios.

    Only systems with labelled samples have rows.
    """
    own = scores[scores["overlay"] == LABELLED]
    same = plain(scores)
    same = same[same["system"].isin(own["system"]) & ~same["scenario"].isin(own["scenario"])]
    return pd.concat([own, same])


def failed(results: list[Result], scores: pd.DataFrame) -> list[Result]:
    """Return the results without an overlay that did not pass; `scores` has a row for each result."""
    rows = zip(results, scores["scenarios_passed"].tolist(), strict=True)
    return [result for result, passed in rows if passed == 0 and not result.key.overlay]


def failed_attacks(results: list[Result], scores: pd.DataFrame) -> list[Result]:
    """Return the results that did not pass under an attack that works; `scores` has a row for each result."""
    rows = zip(results, scores["scenarios_passed"].tolist(), scores["cannot_land"].tolist(), strict=True)
    return [one for one, passed, cannot in rows if passed == 0 and not cannot and is_attack(one.key.overlay)]


def plain(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without an overlay."""
    return scores[scores["overlay"] == ""]


def families(scores: pd.DataFrame) -> list[str]:
    """Return the families of the scores, in the order of FAMILIES."""
    found = set(scores["family"])
    return [family for family in FAMILIES if family in found] + sorted(found.difference(FAMILIES))


def by_scenario(scores: pd.DataFrame) -> pd.DataFrame:
    """Average probes within each sample, then samples: rows system, family, scenario; columns QUALITY, in [0, 1].

    A sample with a probe that a system cannot answer is not passed, unless it can answer no probe at all.
    """
    sample = ["system", "family", "scenario", "seed"]
    grouped = scores.groupby(sample, sort=False)
    samples = grouped[list(QUALITY)].mean()
    samples[list(ALL_PROBES)] = grouped[list(ALL_PROBES)].min()
    answering = set(scores.loc[~scores["not_applicable"], "system"])
    is_lacking = grouped["not_applicable"].any() & samples.index.isin(answering, level="system")
    samples.loc[is_lacking, "scenarios_passed"] = 0.0
    return samples.groupby(sample[:-1], sort=False).mean()


def complete(results: Iterable[Result]) -> list[Result]:
    """Add an error for each probe that only other systems answered, as after a run that was killed.

    If a system has no result at all for a seed, it was not run at that seed, and no error is added.
    """
    found = list(results)
    probes: dict[tuple[str, int, str], Key] = {}
    answered: dict[str, set[tuple[str, int, str]]] = {}
    for result in found:
        if not result.key.overlay:
            probe = (result.key.scenario, result.key.seed, result.key.probe)
            probes.setdefault(probe, result.key)
            answered.setdefault(result.system, set()).add(probe)
    for system, own in answered.items():
        seeds = {seed for _, seed, _ in own}
        absent = (key for probe, key in probes.items() if probe not in own and key.seed in seeds)
        found += [Result(key, system, (), error=NO_RESULT) for key in absent]
    return found
