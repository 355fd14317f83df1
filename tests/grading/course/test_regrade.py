from __future__ import annotations

import csv
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from memlab.grading.course.grade_log import Entry, GradeLog
from memlab.grading.course.regrade import (
    ALL,
    CAUSES,
    CHANGES,
    EVERYBODY,
    Change,
    compare_grades,
    latest_grades,
    write_changes,
)
from memlab.grading.course.run import Run
from memlab.grading.grade import Grade, Mark, Reason
from memlab.grading.intake.submissions import Submission

RUN = Run("07", "r", "s", "", (), 7, "bubblewrap", "0.1.0", "6.1", "3.11.7", "3.11.2")
SUBMISSION = Submission("ada.py", "", "", "d1")
WRONG = (Reason("rules/read-every-turn", "Rules are read every turn.", "rules() returned []"),)
LESS = Mark("rules", "The rules", 2.0, 4.0, 1, 2, reasons=WRONG)
FULL = Mark("rules", "The rules", 4.0, 4.0, 2, 2)
TRUST = Mark("trust", "Trust", 6.0, 6.0, 3, 3)


def entry(*marks: Mark, run: Run = RUN, **other: str) -> Entry:
    grade_fields = {"submission": "ada.py", "student": "Ada", "digest": "d1", "status": "ok"} | other
    return Entry(Grade(**grade_fields, marks=marks), run)  # type: ignore[arg-type]


def valid_points(folder: Path, *entries: Entry) -> dict[str, float]:
    """Return the points of the valid grades in a journal of these entries, by submission."""
    journal = GradeLog(folder)
    for one in entries:
        journal.add(one)
    return {name: one.grade.points for name, (_, one) in latest_grades(journal, [SUBMISSION], RUN).items()}


def changed_run(**changed: Any) -> Run:  # noqa: ANN401 - whatever a field holds
    return replace(RUN, **changed)


def reason_of_change(old: Entry, new: Entry) -> str:
    (change,) = [one for one in compare_grades([old], [new]) if one.student != EVERYBODY]
    assert (change.student, change.task) == ("Ada", "rules")
    return change.why


def test_a_grade_is_valid_while_all_its_inputs_are_the_same(tmp_path: Path) -> None:
    assert valid_points(tmp_path, entry(FULL)) == {"ada.py": 4.0}


@pytest.mark.parametrize("name", [one.name for one in fields(Run)])
def test_a_grade_with_other_inputs_is_not_valid(name: str, tmp_path: Path) -> None:
    differs = changed_run(**{name: ("trust",) if name == "only" else 8 if name == "seed" else "other"})
    assert valid_points(tmp_path, entry(FULL, run=differs)) == {}


def test_a_grade_of_another_file_or_name_is_not_valid(tmp_path: Path) -> None:
    assert valid_points(tmp_path, entry(FULL, digest="d2")) == {}
    assert valid_points(tmp_path, entry(FULL, submission="bo.py")) == {}


def test_the_later_of_two_grades_is_valid(tmp_path: Path) -> None:
    assert valid_points(tmp_path, entry(LESS), entry(FULL)) == {"ada.py": 4.0}


def test_a_task_with_the_same_points_has_not_changed() -> None:
    assert compare_grades([entry(LESS, TRUST)], [entry(LESS, TRUST, run=changed_run(seed=8))]) == []


def test_only_changed_tasks_are_reported_with_their_points() -> None:
    (change,) = compare_grades([entry(LESS, TRUST)], [entry(FULL, TRUST, digest="d2")])
    assert change == Change("Ada", "rules", 2.0, 4.0, "Submitted again: passes now: rules/read-every-turn.")


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"rubric": "r2"}, "The rubric was edited"),
        ({"seed": 8}, "The seed changed"),
        ({"overlay": "o", "scenarios": "s2"}, "The scenarios changed"),
        ({"isolation": "rlimits"}, "The isolation level changed"),
        (
            {"memlab": "0.2.0", "sandbox": "3.12"},
            "The version of memlab changed and the version of Python in the sandbox changed",
        ),
    ],
)
def test_the_difference_between_two_runs_is_reported_as_the_cause(changed: dict[str, str], cause: str) -> None:
    new = entry(LESS, run=changed_run(**changed))
    assert reason_of_change(entry(FULL), new) == f"{cause}: fails now: rules/read-every-turn."


def test_every_field_of_a_run_can_be_reported_as_a_cause() -> None:
    assert {field.name for field in fields(Run)} == CAUSES.keys()
    for field in fields(Run):
        value = 8 if field.name == "seed" else "other"
        assert (
            "graded again"
            not in reason_of_change(entry(FULL), entry(LESS, run=changed_run(**{field.name: value}))).lower()
        )


def test_the_first_check_with_a_new_result_is_named_and_never_a_points_rule() -> None:
    def without(*names: str) -> Entry:
        reasons = tuple(Reason(name, "", "") for name in names)
        return entry(replace(LESS, points=len(names), reasons=reasons), digest=" ".join(names))

    message = reason_of_change(without("rules/a", "rules/b"), without("rules/b", "rules/c", "rules/d", ""))
    assert message == "Submitted again: passes now: rules/a; fails now: rules/c and 1 more."


def test_a_printout_that_became_correct_is_named() -> None:
    lost = Mark("rules", "The demo", 0.0, 4.0, 0, 1, reasons=(Reason("rules", "The demo", "line 1 is 'a'"),))
    assert reason_of_change(entry(lost), entry(FULL, digest="d2")) == "Submitted again: passes now: rules."


def test_the_lost_checks_of_a_task_that_is_no_longer_graded_are_not_reported_as_passed() -> None:
    unchecked = Mark("rules", "The rules", 0.0, 4.0, 0, 0, reasons=(Reason("", "The rules", "was not checked"),))
    assert reason_of_change(entry(LESS), entry(unchecked, digest="d2")) == "Submitted again: not checked now."
    assert reason_of_change(entry(unchecked), entry(LESS, digest="d2")) == "Submitted again: not checked before."


def test_a_change_of_the_points_of_a_task_is_named() -> None:
    new = entry(replace(FULL, points=8.0, max_points=8.0), run=changed_run(rubric="r2"))
    assert reason_of_change(entry(FULL), new) == "The rubric was edited: 8 points instead of 4."


def test_a_change_of_the_status_is_named() -> None:
    new = entry(replace(FULL, points=0.0, passed=0), status="timeout", digest="d2")
    assert reason_of_change(entry(FULL), new) == "Submitted again: ok before, timeout now."


def test_an_earlier_failure_of_the_grader_is_named() -> None:
    assert reason_of_change(entry(status="internal"), entry(FULL)).startswith("The grader failed before: ")


def test_added_and_removed_tasks_are_reported() -> None:
    edited = changed_run(rubric="r2")
    found = compare_grades([entry(FULL)], [entry(TRUST, run=edited)])
    changes = [(one.task, one.before, one.after) for one in found if one.student != EVERYBODY]
    assert changes == [("rules", 4.0, None), ("trust", None, 6.0)]


def test_changed_points_or_visibility_of_a_task_are_reported_even_if_no_grade_changed() -> None:
    nothing = replace(LESS, points=0.0)
    edited = entry(replace(nothing, max_points=17.0), replace(TRUST, visible=False), run=changed_run(rubric="r2"))
    assert compare_grades([entry(nothing, TRUST)], [edited]) == [
        Change(EVERYBODY, ALL, None, None, "The rubric was edited: 10 -> 23 points."),
        Change(EVERYBODY, "rules", None, None, "The rubric was edited: 4 -> 17 points."),
        Change(EVERYBODY, "trust", None, None, "The rubric was edited: hidden from students now."),
    ]


def test_added_and_removed_students_are_reported_but_not_renamed_files() -> None:
    old = [entry(FULL), entry(FULL, submission="bo.py", student="Bo")]
    new = [entry(FULL, submission="ada2.py"), entry(FULL, submission="chi.py", student="Chi")]
    assert compare_grades(old, new) == [
        Change("Bo", ALL, 4.0, None, "Submission removed."),
        Change("Chi", ALL, None, 4.0, "New submission."),
    ]


def test_a_second_file_of_a_student_does_not_change_the_first() -> None:
    second = entry(LESS, submission="ada2.py")
    assert compare_grades([entry(FULL)], [entry(FULL), second]) == [Change("Ada", ALL, None, 2.0, "New submission.")]


def test_no_cell_of_the_file_is_a_formula(tmp_path: Path) -> None:
    write_changes([Change("=cmd()", "rules", None, 4.0, "@x")], tmp_path)
    with (tmp_path / CHANGES).open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [["student", "task", "points_before", "points_after", "why"], ["'=cmd()", "rules", "", "4", "'@x"]]
