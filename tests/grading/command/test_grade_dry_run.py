"""`memlab grade --dry-run` prints what would be graded."""

from __future__ import annotations

from pathlib import Path

import pytest
from grade_command_runs import LAB, FakeLevel, run_grade

from memlab.grading.marking import provided_files


def test_a_dry_run_prints_the_plan_and_writes_nothing() -> None:
    Path("in/dana").mkdir()
    Path("in/dana/notes.txt").write_text("ill", encoding="utf-8")
    Path("class.csv").write_text("id,name\n17,ada\n18,Zoe\n", encoding="utf-8")
    before = sorted(Path().rglob("*"))
    output = run_grade("in", "--lab", "06", "--out", "out", "--dry-run", "--roster", "class.csv")
    assert sorted(Path().rglob("*")) == before
    assert "4 submissions. Nothing was graded or written." in output
    assert "Isolation: bubblewrap." in output
    assert "ada (17)" in output
    assert "Zoe (18): nothing was submitted." in output
    assert "No memory_store.py or lab06.ipynb was submitted" in " ".join(output.split())
    for task in LAB.rubric.task:
        assert f"{task.points:g}  {task.name}: {task.title}" in output
    assert f"{sum(task.points for task in LAB.rubric.task):g}  points" in output


def test_a_dry_run_of_one_task_prints_only_that_task() -> None:
    output = run_grade("in", "--lab", "06", "--dry-run", "--only", "trust")
    assert f"{LAB.step('trust').points:g}  points" in output
    assert "write: " not in output


def test_a_dry_run_prints_how_many_scenarios_are_run_and_how_many_are_private() -> None:
    own = (LAB.scenarios / "stale" / "script-that-moved.yaml").read_text(encoding="utf-8")
    Path("private/stale").mkdir(parents=True)
    Path("private/stale/mine.yaml").write_text(own.replace("script-that-moved", "mine"), encoding="utf-8")
    assert "played: 6 of 10 scenarios." in run_grade("in", "--lab", "06", "--dry-run")
    output = run_grade("in", "--lab", "06", "--dry-run", "--overlay", "private")
    assert "played: 6 of 11 scenarios, 1 of them yours." in output


def test_the_modules_and_files_that_the_rubric_provides_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeLevel, "holds", frozenset({"files"}), raising=False)
    monkeypatch.setattr(provided_files, "_try", lambda *_: None)
    rubric = (LAB.folder / "rubric.toml").read_text(encoding="utf-8")
    Path("mine.toml").write_text(rubric.replace("[[task]]", 'data = ["words.txt"]\n\n[[task]]', 1), encoding="utf-8")
    assert "there is no 'words.txt' beside the rubric" in run_grade(
        "in", "--lab", "06", "--rubric", "mine.toml", code=2
    )
    Path("words.txt").touch()
    output = run_grade("in", "--lab", "06", "--rubric", "mine.toml", "--dry-run")
    assert "Every submission can use: words.txt." in output


def test_the_rule_for_late_submissions_is_printed() -> None:
    late = "[late]\npercent_per_day = 10\nmax_percent = 50\n"
    Path("mine.toml").write_text((LAB.folder / "rubric.toml").read_text(encoding="utf-8") + late, encoding="utf-8")
    output = run_grade("in", "--lab", "06", "--rubric", "mine.toml", "--dry-run")
    assert "Late: minus 10 % for each day after 0 days, at most 50 %." in output
    assert "Late" not in run_grade("in", "--lab", "06", "--dry-run")
