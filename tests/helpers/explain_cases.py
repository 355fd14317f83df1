"""Small scenarios that are explained, and a run of one cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.report.explain.cell import explanation, select_cell
from memlab.report.explain.timeline import scenario_paths
from memlab.report.lines import to_plain
from memlab.systems.registry import entry
from memlab.terms import Result

MOVED = "stale/deploy-script-moved"
OLD = "fact: {id: old, name: way, description: how to ship, source: %s, body: Ship by rail., needles: [by rail]}"
NEW = "fact: {id: new, name: way, description: how to ship, source: %s, body: Ship by road., needles: [by road]}"
ASK = "probe: {id: p, recall: how do we ship, expect: [], forbid: {old: {why: %s}}}"


def play_cell(path: Path, system: str = "bucket-search", seed: int = 0) -> list[Result]:
    return next(iter(play(load(path).sample(seed), [entry(system)])))


def explained(results: Sequence[Result], folder: Path | None = None) -> str:
    lines = explanation(select_cell(results), scenario_paths([folder or library()]))
    return "\n".join(to_plain(line, 1000) for line in lines)
