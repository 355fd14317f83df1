"""`memlab grade` grades a class, and writes its files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from grade_command_runs import ESCAPE, LAB, read_run_json, run_grade, submit

from memlab.cli.teaching.grade_terminal import STEPS
from memlab.grading.course.grade_log import GradeLog
from memlab.sandbox.isolation import LEVELS


def test_a_class_is_graded_and_summarised() -> None:
    output = run_grade("in", "--lab", "06", "--out", "out", "--jobs", "2")
    assert "3 submissions" in output
    assert "Isolation: bubblewrap." in output
    assert "2 graded · 1 crashed." in output
    assert "Points: mean 6.0, median 6.0 of 12, over 3 (missing submissions count 0" in output
    assert re.search(r"^Time: \d+ s, and \d+\.\d s of processor time for each submission\.$", output, re.MULTILINE)
    assert "Next: open out/index.html" in output
    assert {one.name for one in Path("out").iterdir()} >= {"gradebook.csv", "index.html", "grades.jsonl", "feedback"}


def test_a_single_file_is_graded() -> None:
    assert "1 graded." in run_grade("in/ada.py", "--lab", "06", "--out", "out")


def test_progress_is_printed_with_the_count_of_each_status() -> None:
    for number in range(100):
        submit(f"many/s{number:02}.py", "crashed" if number % 2 else "1")
    lines = [line for line in run_grade("many", "--lab", "06", "--out", "out").splitlines() if " of 100: " in line]
    assert len(lines) == STEPS
    assert lines[-1] == "100 of 100: 50 graded · 50 crashed"


def test_a_second_identical_command_grades_and_changes_nothing() -> None:
    run_grade("in", "--lab", "06", "--out", "out")
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    output = run_grade("in", "--lab", "06", "--out", "out")
    assert "3 already graded" in output
    assert "Time:" not in output
    assert "Changed" not in output
    assert before == {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def test_a_regrade_prints_the_changes_and_keeps_the_previous_gradebook() -> None:
    run_grade("in", "--lab", "06", "--out", "out")
    before = Path("out/gradebook.csv").read_bytes()
    submit("in/bo.py", "9")
    output = run_grade("in", "--lab", "06", "--out", "out")
    assert "2 already graded" in output
    assert "1 of 1: 1 graded" in output
    (row,) = [line.split() for line in output.splitlines() if line.startswith("bo ")]
    assert row[:4] == ["bo", "write", "6", "9"]
    assert Path("out/gradebook.before.csv").read_bytes() == before
    assert '"bo","write",6,9,"Submitted again' in Path("out/changes.csv").read_text(encoding="utf-8-sig")


def test_a_private_seed_is_drawn_once_for_a_folder_and_written_only_to_run_json() -> None:
    output = run_grade("in", "--lab", "06", "--out", "out") + run_grade("in", "--lab", "06", "--out", "out")
    seed = read_run_json()["seed"]
    assert isinstance(seed, int)
    run_grade("in", "--lab", "06", "--out", "out")
    assert read_run_json()["seed"] == seed
    run_grade("in", "--lab", "06", "--out", "other")
    assert read_run_json("other")["seed"] != seed
    reports = [
        path for path in Path("out").rglob("*") if path.is_file() and path.name not in {"run.json", "grades.jsonl"}
    ]
    assert [path for path in reports if str(seed) in path.read_text(encoding="utf-8")] == []
    assert str(seed) not in output


def test_a_new_seed_option_grades_everyone_again() -> None:
    run_grade("in", "--lab", "06", "--out", "out", "--seed", "5")
    assert "already graded" not in run_grade("in", "--lab", "06", "--out", "out", "--seed", "6")
    assert read_run_json()["seed"] == 6


def test_run_json_records_the_inputs_of_the_run_and_no_path_of_the_machine() -> None:
    run_grade("in", "--lab", "06", "--out", "out", "--seed", "5")
    run = read_run_json()
    assert {
        "lab": "06",
        "seed": 5,
        "isolation": "bubblewrap",
        "isolation_asked_for": "bubblewrap",
    }.items() <= run.items()
    assert {"rubric", "scenarios", "overlay", "only", "memlab", "hypothesis", "python", "sandbox"} <= run.keys()
    assert str(Path.cwd()) not in Path("out/run.json").read_text(encoding="utf-8")


def test_control_characters_in_names_are_made_visible() -> None:
    submit(f"in/eve{ESCAPE}.py", "internal")
    assert "eve" in run_grade("in", "--lab", "06", "--dry-run")
    output = run_grade("in", "--lab", "06", "--out", "out", code=2)
    assert "eve\N{WHITE SQUARE}001b[2J.py" in output


def test_real_submissions_are_graded_in_sandboxes_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    level = next(one.name for one in LEVELS if not one.problem())
    place, out = tmp_path / "real", tmp_path / "out"
    place.mkdir()
    for name in ("solution", "skeleton"):
        (place / f"{name}.py").write_bytes((LAB.folder / f"{name}.py").read_bytes())
    (place / "broken.py").write_text("def f(:\n", encoding="utf-8")
    (place / "ends.py").write_text("import os\nos._exit(0)\n", encoding="utf-8")
    run_grade(str(place), "--lab", "06", "--out", str(out), "--isolation", level, "--only", "write", "--jobs", "2")
    got = {one.grade.submission: (one.grade.status, one.grade.points) for one in GradeLog(out)}
    assert got == {
        "broken.py": ("syntax error", 0),
        "ends.py": ("crashed", 0),
        "skeleton.py": ("ok", 0),
        "solution.py": ("ok", LAB.step("write").points),
    }


def test_a_part_is_graded_for_its_own_points_and_never_replaces_grades_of_all_tasks() -> None:
    assert "   50  points" in run_grade("in", "--lab", "06", "--part", "build", "--dry-run")
    run_grade("in", "--lab", "06", "--part", "build", "--out", "out")
    assert read_run_json()["only"] == ["write", "recall", "stale", "verify", "gate"]
    output = run_grade("in", "--lab", "06", "--part", "fix", "--out", "out", code=2)
    assert "out holds grades of the part build alone, and the part fix alone would replace them" in output


def test_a_change_of_points_and_manual_marks_are_reported_and_run_nothing() -> None:
    run_grade("in", "--lab", "06", "--out", "out")
    rubric = (LAB.folder / "rubric.toml").read_text(encoding="utf-8")
    Path("mine.toml").write_text(rubric.replace("points = 12\n", "points = 24\n", 1), encoding="utf-8")
    Path("out/marks.csv").write_text("student,comment\nada,Well done\n", encoding="utf-8")
    output = run_grade("in", "--lab", "06", "--out", "out", "--rubric", "mine.toml")
    assert "3 already graded" in output
    assert "The points in the rubric changed: 3 submissions scored again, none was run." in output
    assert "marks.csv: 1 row of yours." in output
    assert "marks.csv: 1 row of yours." in run_grade("in", "--lab", "06", "--out", "out", "--dry-run")


def test_an_unknown_student_in_marks_csv_stops_the_command_before_grading() -> None:
    Path("out").mkdir()
    Path("out/marks.csv").write_text("student,comment\nadda,Well done\n", encoding="utf-8")
    for options in ((), ("--dry-run",)):
        output = run_grade("in", "--lab", "06", "--out", "out", *options, code=2)
        assert "out/marks.csv, line 2: there is no student 'adda' in the class." in output
        assert "Valid: ada, bo, chi." in output
    assert [one.name for one in Path("out").iterdir()] == ["marks.csv"]
