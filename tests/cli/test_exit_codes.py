"""What a build sees of `memlab compare`: its exit code, and words that say why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import invoke

from memlab.harness.scenarios.loading import library

pytestmark = pytest.mark.usefixtures("in_empty_folder", "no_charts")
QUICK = ("compare", "--scenarios", "recall", "--seeds", "1", "--systems")
MINE = """
class Mine:
    def __init__(self, workspace):
        self.notes = workspace.directory / "notes"
        self.notes.touch()
    def observe(self, event):
        with self.notes.open("a") as notes:
            notes.write(" ".join(event.text.split()) + "\\n")
    def recall(self, query, k=5):
        words = set(query.lower().split())
        lines = self.notes.read_text().splitlines()
        return sorted(lines, key=lambda line: -len(words & set(line.lower().split())))[:k]
"""


@pytest.fixture(autouse=True)
def _mine(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")


def demand(text: str) -> None:
    Path("pyproject.toml").write_text(text, encoding="utf-8")


def test_a_threshold_that_is_missed_is_exit_code_1_and_one_that_holds_0() -> None:
    demand("[tool.memlab.thresholds.recall]\nrecall = 0.99\n")
    output = invoke(*QUICK, "mine.py:Mine,null", code=1)
    assert "missed: mine.py:Mine: recall recall >= 0.99: 0." in output
    assert "missed: null" not in output
    demand("[tool.memlab.thresholds.all]\nrecall = 0.01\n")
    assert invoke("score", "memlab-results", code=0).endswith("1 of 1 threshold met.\n")


def test_an_undecided_threshold_gives_exit_code_2() -> None:
    demand("[tool.memlab.thresholds]\npoison_resistance = 0.5\n")
    assert "undecided: mine.py:Mine: all poison_resistance >= 0.5: no" in invoke(*QUICK, "mine.py:Mine", code=2)
    assert "undecided: no system: the thresholds of pyproject.toml: the run has no system" in invoke(
        *QUICK, "null", code=2
    )


def test_an_error_in_the_thresholds_is_reported_before_anything_runs() -> None:
    demand("[tool.memlab.thresholds]\nrecal = 0.5\n")
    output = invoke(*QUICK, "mine.py:Mine", code=2)
    assert "has an unknown column 'recal'. Did you mean 'recall'?" in " ".join(output.split())
    assert not Path("memlab-results").exists()


def test_a_build_fails_where_scenarios_got_worse_than_the_baseline_and_lists_them() -> None:
    invoke(*QUICK, "mine.py:Mine", "--out", "old", code=0)
    output = invoke(*QUICK, "mine.py:Mine", "--baseline", "old", code=0)
    assert output.endswith("3 of 3 baseline comparisons met.\n")
    Path("mine.py").write_text(MINE.replace("[:k]", "[:0]"), encoding="utf-8")
    output = invoke(*QUICK, "mine.py:Mine", "--baseline", "old/results.jsonl", code=1)
    total = sum(1 for _ in (library() / "recall").glob("*.yaml"))
    missed = rf"missed: mine\.py:Mine: all recall: no worse than the baseline: (\d+) worse and 0 better of {total} scen"
    (worse,) = re.findall(missed, output)
    listed = set(re.findall(r"\n  (recall/\S+) -", output))
    assert int(worse) == len(listed) > total / 2
    assert "\n  recall/when-what-how -" in output
    Path("bare").mkdir()
    for place, file in (("nowhere", "nowhere"), ("bare", "bare/results.jsonl")):
        output = invoke(*QUICK, "mine.py:Mine", "--baseline", place, code=2)
        assert f"--baseline {file}: cannot be read (No such file or directory)." in output
        assert "Give a results.jsonl of `memlab compare`, or its folder." in output


def test_power_runs_nothing_and_lists_the_columns() -> None:
    output = invoke("compare", "--power", "--scenarios", "recall,limits", code=0)
    assert "family recall: passed" in output
    assert "poison_resistance" not in output
    assert not Path("memlab-results").exists()
