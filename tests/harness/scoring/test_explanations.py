from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.harness.scoring.explanations import failure_explanations
from memlab.systems.registry import entry

MOVED = library() / "stale" / "deploy-script-moved.yaml"


def test_a_failure_says_what_was_served_expected_and_forbidden_and_which_defence_was_missing() -> None:
    report = "\n".join(failure_explanations(next(iter(play(load(MOVED).sample(0), [entry("bucket-search")])))))
    for words in (
        "served:",
        "forbidden: old:",
        "served although the environment refutes it",
        "missing defence: a freshness guard",
        "to keep:",
    ):
        assert words in report


def test_a_passed_cell_has_no_failure() -> None:
    assert failure_explanations(next(iter(play(load(MOVED).sample(0), [entry("oracle")])))) == []


def test_a_failing_system_is_reported_as_an_error_and_not_as_silence(write: Callable[[str], Path]) -> None:
    path = write("timeline:\n  - turn: {id: a, text: one}\n  - probe: {id: p, recall: one, expect: [a]}\n")
    mine = path.parent / "mine.py"
    mine.write_text("class Mine:\n    def observe(self, event): 1 / 0\n    def recall(self, query, k=5): return []\n")
    (report,) = failure_explanations(next(iter(play(load(path).sample(0), [entry(f"{mine}:Mine")]))))
    assert "error:" in report
    assert "division by zero" in report
