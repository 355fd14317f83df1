"""Prints which rows fit a chat, a coding agent and a fleet of tasks best: docs/explanation/which-design.md.

    memlab compare --systems documents,hybrid,bucket-search,bucket-guarded --seeds 1 --out documents
    memlab compare ... --tell transcript --scenarios recall,contradiction --out chat  # with the same systems and seeds
    python evals/ranking/report_uses.py --chat chat --others documents

A cell is the share of scenarios passed, and in brackets its 95 % interval. `chat`: plain questions and corrections, all
told as turns. `coding agent`: what the environment refutes, restarts and ended tasks, and histories larger than the
budget. `fleet of tasks`: scenarios with a record of a run or with a skill. Each has its best rows; for a row that is
played twice, with rules and with an oracle, both are shown, and a model is between them.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from pathlib import Path

import pandas as pd

from memlab.harness.running.results import read_results
from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.scoring.intervals import Interval, interval
from memlab.harness.scoring.thresholds import ALL
from memlab.report.tables.paired import values
from memlab.report.tables.scores import by_scenario, plain, score_all
from memlab.terms import Event, Scenario

BEST = 8
"""Rows that are printed for each use."""


def uses() -> dict[str, set[str]]:
    """Return the scenarios of each use."""
    samples = [one.sample(0) for one in load_all([library()])]
    return {
        "chat": {one.id for one in samples if one.family in {"recall", "contradiction"}},
        "coding agent": {one.id for one in samples if one.family in {"stale", "lifetimes", "oversize"}},
        "fleet of tasks": {one.id for one in samples if _has_run_or_skill(one)},
    }


def _has_run_or_skill(scenario: Scenario) -> bool:
    events = [step for step in scenario.timeline if isinstance(step, Event)]
    return any(event.run or event.kind == "skill" for event in events)


def passed(scores: pd.DataFrame, scenarios: Collection[str]) -> dict[str, Interval]:
    """Return the share of some scenarios that each system passes, the best first."""
    means = by_scenario(plain(scores))
    found = {}
    for system in scores["system"].unique():
        each = values(means, system, ALL, "scenarios_passed")
        found[system] = interval(value for name, value in each.items() if name in scenarios)
    return dict(sorted(found.items(), key=lambda one: -one[1].mean))


def table(use: str, found: dict[str, Interval]) -> Iterator[str]:
    """Yield the best rows of a use, and those rows that are the rules or the oracle of one of them."""
    names = list(found)[:BEST]
    bases = {name.removesuffix("+oracle") for name in names}
    yield f"{f'{use} ({next(iter(found.values())).n} scenarios), %':44}"
    for name, one in found.items():
        if name.removesuffix("+oracle") in bases:
            yield f"  {name:32}{100 * one.mean:4.0f} [{100 * one.low:.0f}, {100 * one.high:.0f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chat", type=Path, required=True, help="the folder of the comparison with --tell transcript")
    parser.add_argument("--others", type=Path, required=True, help="the folder of the comparison of all scenarios")
    given = parser.parse_args()
    scores = {
        folder: score_all(read_results(folder / "results.jsonl", warn=print)) for folder in (given.chat, given.others)
    }
    for use, scenarios in uses().items():
        found = passed(scores[given.chat if use == "chat" else given.others], scenarios)
        print("\n".join(table(use, found)))


if __name__ == "__main__":
    main()
