"""`memlab grade` refuses wrong options, and keeps finished grades if it is stopped."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from grade_command_runs import (
    LAB,
    accept_only_rlimits,
    grade_and_fail_on_bo,
    grade_by_first_line,
    read_run_json,
    run_grade,
)

from memlab.grading.course import batch as batches
from memlab.grading.course.grade_log import GradeLog
from memlab.sandbox import isolation


def test_invalid_options_are_explained_and_exit_with_2() -> None:
    lab06 = ("--lab", "06", "--out", "out")
    Path("empty").mkdir()
    Path("rubric.toml").write_text("lab = 6\n", encoding="utf-8")
    Path("class.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    Path("theirs").mkdir()
    Path("theirs/gradebook.csv").write_text("mine", encoding="utf-8")
    Path("file").write_text("", encoding="utf-8")
    for words, sentence in {
        ("in", "--lab", "99", "--out", "out"): "no lab '99'. There are: 06, 07",
        ("in", *lab06, "--only", "trusd"): "Did you mean 'trust'?",
        ("in", *lab06, "--rubric", "rubric.toml"): "Correct it",
        ("in", *lab06, "--rubric", "nowhere.toml"): "nowhere.toml: cannot be read",
        ("in", *lab06, "--roster", "class.csv"): "class.csv, line 1",
        ("empty", *lab06): "Name another folder",
        ("nowhere", *lab06): "nowhere",
        ("in", "--lab", "06", "--out", "in"): "graded as a submission",
        ("in", "--lab", "06", "--out", "in/a/b"): "graded as a submission",
        ("in", "--lab", "06", "--out", "theirs"): "no run.json",
        ("in", "--lab", "06", "--out", "file"): "A folder is required",
        ("in", *lab06, "--overlay", "empty"): "empty",
    }.items():
        assert sentence in " ".join(run_grade(*words, code=2).split()), words
    assert not Path("out").exists()
    assert Path("theirs/gradebook.csv").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_misspelled_check_in_a_rubric_is_reported_before_grading(options: tuple[str, ...]) -> None:
    rubric = (LAB.folder / "rubric.toml").read_text(encoding="utf-8")
    check_name = LAB.step("recall").checks[0]
    Path("mine.toml").write_text(rubric.replace(check_name, f"{check_name}x"), encoding="utf-8")
    output = " ".join(run_grade("in", "--lab", "06", "--out", "out", "--rubric", "mine.toml", *options, code=2).split())
    assert f"task 'recall', checks: there is no check '{check_name}x'. Did you mean '{check_name}'?" in output
    assert not Path("out").exists()


def test_a_failure_of_the_grader_exits_with_2_and_prints_its_last_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batches, "grade", grade_and_fail_on_bo)
    output = run_grade("in", "--lab", "06", "--out", "out", code=2)
    assert "The first error: KeyError: 'no such key' (index.html has the traceback)." in output
    assert "over 2 (missing submissions count 0; failures of the grader are left out)" in output
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert page.count("KeyError: 'no such key'") == 2, "alone, and at the end of where it was"
    monkeypatch.setattr(batches, "grade", grade_by_first_line)
    assert "3 graded" not in run_grade("in", "--lab", "06", "--out", "out")


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_an_output_folder_with_foreign_files_is_left_unchanged(options: tuple[str, ...]) -> None:
    Path("home").mkdir(mode=0o755)
    Path("home/thesis.tex").touch()
    output = run_grade("in", "--lab", "06", "--out", "home", *options, code=2)
    assert "home holds thesis.tex, but no run.json: it is not a folder of grades. Choose another --out." in output
    assert Path("home").stat().st_mode & 0o777 == 0o755
    assert [one.name for one in Path("home").iterdir()] == ["thesis.tex"]
    Path("empty").mkdir()
    run_grade("in", "--lab", "06", "--out", "empty")


def test_grades_of_another_lab_or_of_some_tasks_never_replace_a_gradebook() -> None:
    run_grade("in", "--lab", "06", "--out", "out")
    before = Path("out/gradebook.csv").read_bytes()
    assert "out holds grades of lab 06, not 07" in run_grade("in", "--lab", "07", "--out", "out", code=2)
    output = run_grade("in", "--lab", "06", "--out", "out", "--only", "trust", "--only", "write", code=2)
    assert "out holds grades of all tasks, and the task write, trust alone would replace them" in output
    assert Path("out/gradebook.csv").read_bytes() == before


def test_ctrl_c_keeps_finished_grades_and_says_how_to_continue(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: GradeLog, entry: object) -> None:
        if list(self):
            raise KeyboardInterrupt
        add(self, entry)  # type: ignore[arg-type]

    add = GradeLog.add
    monkeypatch.setattr(GradeLog, "add", interrupted)
    output = run_grade("in", "--lab", "06", "--out", "out", code=2)
    assert "Stopped. 1 of 3 are graded and saved in out: run the same command again to continue." in output
    assert not Path("out/gradebook.csv").exists()
    monkeypatch.setattr(GradeLog, "add", add)
    assert "1 already graded" in run_grade("in", "--lab", "06", "--out", "out")


def test_a_full_disk_keeps_finished_grades_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: GradeLog, entry: object) -> None:
        if list(self):
            raise OSError(errno.ENOSPC, "No space left on device", "out/grades.jsonl")
        add(self, entry)  # type: ignore[arg-type]

    add = GradeLog.add
    monkeypatch.setattr(GradeLog, "add", full)
    output = run_grade("in", "--lab", "06", "--out", "out", code=2)
    assert "1 of 3 are graded and saved in out" in output
    assert "out/grades.jsonl: No space left on device. Free some space" in output


def test_a_weaker_sandbox_needs_an_option_and_is_printed_and_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "level_named", accept_only_rlimits)
    assert "there is no bwrap" in run_grade("in", "--lab", "06", "--out", "out", code=2)
    assert not Path("out").exists()
    output = run_grade("in", "--lab", "06", "--out", "out", "--allow-weaker")
    assert "Isolation: rlimits." in output
    assert "weaker than bubblewrap" in output
    assert (read_run_json()["isolation"], read_run_json()["isolation_asked_for"]) == ("rlimits", "bubblewrap")
    reports = [Path("out/gradebook.csv"), Path("out/index.html"), *Path("out/feedback").iterdir()]
    assert all("rlimits" in report.read_text(encoding="utf-8") for report in reports)
    assert len(reports) == 5
