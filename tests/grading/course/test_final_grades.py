"""What the instructor gives, deducts or re-weights is in every output, survives a regrade, and runs no submission."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_lab import NoIsolation

from memlab.grading.course import batch as batches
from memlab.grading.course.batch import EMPTY_ROSTER, Batch
from memlab.grading.course.manual_marks import MARKS
from memlab.grading.course.outputs import Outputs, write_outputs
from memlab.grading.course.regrade import CHANGES, EVERYBODY, NO_RUN
from memlab.grading.course.run import refuse_foreign_folder, write_run
from memlab.grading.grade import Grade, Mark, Reason
from memlab.grading.intake.roster import Roster, Student
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.labs.lab import Lab, load
from memlab.labs.rubric import Late

LAB = load("06")
CLASS = [Submission(f"{name}.py", name, "", name, student=name) for name in ("ada", "bo")]
ROSTER = Roster((Student("a1", "Ada", ("a1", "ada"), email="a@x.org"), Student("b1", "Bo", ("b1", "bo"))))
PAIR = Submission("pair.py", "pair", "", "pair", ids=("a1", "b1"), student="pair")


def worth(lab: Lab, points: float, late: Late | None = None) -> Lab:
    """Return a lab whose task `write` has other points, with a rule for late submissions."""
    tasks = tuple(one.model_copy(update={"points": points}) if one.name == "write" else one for one in lab.rubric.task)
    return replace(lab, rubric=lab.rubric.model_copy(update={"task": tasks, "late": late}))


def grade_half(one: Submission, config: GradingConfig) -> Grade:
    """Pass 3 of 5 checks of `write`, and none of `recall`."""
    write, recall = config.lab.step("write"), config.lab.step("recall")
    failed = tuple(Reason(name, "A rule.", "gave None") for name in write.checks[3:])
    marks = (
        Mark("write", write.title, write.points * 0.6, write.points, 3, 5, reasons=failed),
        Mark("recall", recall.title, 0.0, recall.points, 2, 6, reasons=(Reason(recall.checks[0], "A rule.", "no"),)),
    )
    return Grade(one.name, one.name, one.digest, "ok", marks=marks)


def grade_nothing(one: Submission, config: GradingConfig) -> Grade:
    """Grade as `grade_half` does, but without points for `write`."""
    write, recall = (half := grade_half(one, config)).marks
    return replace(half, marks=(replace(write, points=0.0, passed=0), recall))


def never(one: Submission, config: GradingConfig) -> Grade:
    del config
    raise AssertionError(f"{one.name} was run again")


@pytest.fixture(autouse=True)
def _without_sandboxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "grade", grade_half)


def run(
    folder: Path, lab: Lab = LAB, submissions: list[Submission] = CLASS, roster: Roster = EMPTY_ROSTER
) -> tuple[list[Submission], Outputs]:
    made = Batch(submissions, GradingConfig(lab, 7, NoIsolation("none")), folder, roster)
    folder.mkdir(exist_ok=True)
    write_run(made.run, folder, "none")
    pending = made.pending()
    list(made.grade_pending(pending, 1))
    return pending, write_outputs(made)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def changes(outputs: Outputs) -> list[tuple[str, str, float | None, float | None]]:
    """Return the changes with rounded points."""

    def rounded(points: float | None) -> float | None:
        return None if points is None else round(points, 6)

    return [(one.student, one.task, rounded(one.before), rounded(one.after)) for one in outputs.changes or ()]


def page(folder: Path, student: str) -> str:
    (found,) = (folder / "feedback").glob(f"{student}-*.html")
    return found.read_text(encoding="utf-8")


def test_new_points_in_the_rubric_score_stored_results_and_run_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    monkeypatch.setattr(batches, "grade", never)
    pending, outputs = run(tmp_path, worth(LAB, 20))
    assert (pending, outputs.rescored) == ([], 2)
    assert [row["write"] for row in rows(tmp_path / "gradebook.csv")] == ["12", "12"]
    assert changes(outputs)[2:] == [
        ("ada", "write", 7.2, 12.0),
        ("bo", "write", 7.2, 12.0),
    ]
    whys = {row["why"] for row in rows(tmp_path / CHANGES)}
    assert f"The rubric was edited: 12 -> 20 points. {NO_RUN}" in whys
    assert "The rubric was edited, no submission was run: 20 points instead of 12." in whys
    assert run(tmp_path, worth(LAB, 20))[1].rescored == 0, "the new points are the stored ones now"


def test_scoring_stored_results_gives_what_grading_again_would_give(tmp_path: Path) -> None:
    run(tmp_path / "stored")
    run(tmp_path / "stored", worth(LAB, 7))
    run(tmp_path / "new", worth(LAB, 7))
    stored, new = (rows(tmp_path / name / "gradebook.csv") for name in ("stored", "new"))
    assert stored == new


def test_a_step_whose_first_check_failed_still_earns_nothing_for_more_points(tmp_path: Path) -> None:
    run(tmp_path)
    tasks = tuple(one.model_copy(update={"points": 60.0}) for one in LAB.rubric.task)
    run(tmp_path, replace(LAB, rubric=LAB.rubric.model_copy(update={"task": tasks})))
    assert {(row["write"], row["recall"]) for row in rows(tmp_path / "gradebook.csv")} == {("36", "0")}


def test_manual_marks_are_in_every_output_and_never_overwritten(tmp_path: Path) -> None:
    run(tmp_path)
    text = "student,task,points,comment\nada,write,12,Explained well\nbo,,1.5,A bonus\n"
    (tmp_path / MARKS).write_text(text, encoding="utf-8")
    _, outputs = run(tmp_path)
    ada, bo = rows(tmp_path / "gradebook.csv")
    assert (ada["points"], ada["write"], ada["given_by_hand"]) == ("12", "12", "write")
    assert (bo["points"], bo["points_added"], bo["comment"]) == ("8.7", "1.5", "A bonus")
    assert "12 of 12 points instead of 7.2. Explained well" in page(tmp_path, "ada")
    assert "1.5 points added. A bonus" in page(tmp_path, "bo")
    (results,) = (tmp_path / "gradescope").glob("ada-*/results.json")
    assert json.loads(results.read_bytes())["score"] == 12
    assert "Explained well" in json.loads(results.read_bytes())["output"]
    assert [row["score"] for row in rows(tmp_path / "nbgrader.csv")] == ["12", "8.7"]
    assert changes(outputs) == [
        ("ada", "write", 7.2, 12.0),
        ("bo", "(points added)", 0.0, 1.5),
    ]
    assert (tmp_path / MARKS).read_text(encoding="utf-8") == text
    assert run(tmp_path)[1].changes is None, "nothing changed since"


def test_manual_marks_survive_a_regrade_and_a_new_submission_with_other_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    (tmp_path / MARKS).write_text("student,task,points\nada,write,12\n", encoding="utf-8")
    run(tmp_path)
    monkeypatch.setattr(batches, "grade", grade_nothing)
    _, outputs = run(tmp_path, submissions=[replace(CLASS[0], digest="another"), CLASS[1]])
    assert [row["write"] for row in rows(tmp_path / "gradebook.csv")] == ["12", "7.2"]
    assert changes(outputs) == []


def test_a_row_that_is_removed_gives_the_graders_points_back(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / MARKS).write_text("student,task,points\nada,write,12\n", encoding="utf-8")
    run(tmp_path)
    (tmp_path / MARKS).unlink()
    _, outputs = run(tmp_path)
    assert [(*one[:3], one.why) for one in outputs.changes or ()] == [
        ("ada", "write", 12.0, "No longer given in marks.csv.")
    ]
    assert rows(tmp_path / "gradebook.csv")[0]["write"] == "7.2"


def test_a_late_penalty_is_shown_with_the_points_before_and_after(tmp_path: Path) -> None:
    late = [replace(CLASS[0], late=True), CLASS[1]]
    run(tmp_path, submissions=late)
    _, outputs = run(tmp_path, worth(LAB, 12, Late(percent_per_day=25)), late)
    ada, bo = rows(tmp_path / "gradebook.csv")
    columns = ("late", "days_late", "points_before", "late_penalty", "points")
    assert [ada[name] for name in columns] == ["late", "1", "7.2", "1.8", "5.4"]
    assert [bo[name] for name in columns] == ["", "0", "7.2", "0", "7.2"]
    assert "Submitted 1 day late: 1.8 of 7.2 points are deducted." in page(tmp_path, "ada")
    assert "late:" not in page(tmp_path, "bo")
    scores = [
        [row[name] for name in ("raw_score", "late_submission_penalty", "score")]
        for row in rows(tmp_path / "nbgrader.csv")
    ]
    assert scores == [["7.2", "1.8", "5.4"], ["7.2", "0", "7.2"]]
    assert changes(outputs) == [("ada", "(late penalty)", 0.0, -1.8)]


def test_each_student_of_a_group_has_marks_of_their_own(tmp_path: Path) -> None:
    run(tmp_path, submissions=[PAIR], roster=ROSTER)
    (tmp_path / MARKS).write_text("student,task,points\nb1,write,1\n", encoding="utf-8")
    _, outputs = run(tmp_path, submissions=[PAIR], roster=ROSTER)
    assert [row["write"] for row in rows(tmp_path / "gradebook.csv")] == ["7.2", "1"]
    assert changes(outputs) == [("Bo (b1)", "write", 7.2, 1.0)]


def test_a_student_who_submitted_nothing_can_have_points(tmp_path: Path) -> None:
    (tmp_path / MARKS).write_text("student,task,points,comment\nb1,write,5,On paper\n", encoding="utf-8")
    run(tmp_path, submissions=CLASS[:1], roster=ROSTER)
    bo = rows(tmp_path / "gradebook.csv")[1]
    assert (bo["status"], bo["points"], bo["write"]) == ("missing", "5", "5")
    assert "5 of 12 points instead of 0. On paper" in page(tmp_path, "bo-b1")


def test_only_points_and_minutes_of_a_task_need_no_new_run(tmp_path: Path) -> None:
    run(tmp_path)
    for changed, runs in (({"points": 1.0}, 0), ({"minutes": 9}, 0), ({"partial": False}, 2), ({"visible": False}, 2)):
        tasks = tuple(one.model_copy(update=changed) if one.name == "write" else one for one in LAB.rubric.task)
        lab = replace(LAB, rubric=LAB.rubric.model_copy(update={"task": tasks}))
        made = Batch(CLASS, GradingConfig(lab, 7, NoIsolation("none")), tmp_path)
        assert len(made.pending()) == runs, changed


def test_the_folder_may_hold_marks_before_the_first_run(tmp_path: Path) -> None:
    (tmp_path / MARKS).touch()
    refuse_foreign_folder(tmp_path)


def test_a_change_for_everybody_comes_first(tmp_path: Path) -> None:
    run(tmp_path)
    _, outputs = run(tmp_path, worth(LAB, 20))
    assert [one.student for one in outputs.changes or ()][:2] == [EVERYBODY, EVERYBODY]
