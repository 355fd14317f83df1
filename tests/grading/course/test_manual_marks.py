"""marks.csv gives a student the instructor's points and comments, or is refused with its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sample_grades import grade, lab, mark

from memlab.grading.course.manual_marks import MARKS, BadMarks, ManualMarks, read_marks
from memlab.grading.grade import Grade
from memlab.labs.rubric import Late

STUDENTS = {"Ada Lovelace (a1)": ("a1", "Ada Lovelace", "ada.py"), "Bo (b1)": ("b1", "Bo"), "Bo (b2)": ("b2", "Bo")}
HEAD = "student,task,points,comment,days_late\n"
POLICY = Late(percent_per_day=10, grace_days=1, max_percent=25)


def read(folder: Path, text: str) -> ManualMarks:
    (folder / MARKS).write_text(text, encoding="utf-8")
    return read_marks(folder, lab().rubric.task, STUDENTS)


def ada(marks: ManualMarks, policy: Late | None = None, *, is_late: bool = False) -> Grade:
    one = grade("Ada Lovelace (a1)", mark("write", 12), mark("recall", 7))
    return marks.complete(one, policy, is_late=is_late)


def test_points_replace_those_of_a_task_and_the_graders_are_remembered(tmp_path: Path) -> None:
    marks = read(tmp_path, f"{HEAD}a1,recall,10.5,Good idea,\n")
    write, recall = ada(marks).marks
    assert (recall.points, recall.graded, recall.comment) == (10.5, 7, "Good idea")
    assert (write.points, write.graded, write.comment) == (12, None, "")


def test_a_task_with_points_by_hand_was_attempted_whatever_the_file_has(tmp_path: Path) -> None:
    left = replace(mark("recall", 0), attempted=False)
    one = grade("Ada Lovelace (a1)", left)
    for text, attempted in ((f"{HEAD}a1,recall,1,,\n", True), (f"{HEAD}a1,recall,,Please try,\n", False)):
        (found,) = read(tmp_path, text).complete(one, None, is_late=False).marks
        assert found.attempted is attempted


def test_points_without_a_task_are_added_to_the_sum_or_deducted_from_it(tmp_path: Path) -> None:
    assert ada(read(tmp_path, f"{HEAD}a1,,2.5,,\n")).points == 21.5
    assert ada(read(tmp_path, f"{HEAD}a1,,-4,,\n")).points == 15
    assert ada(read(tmp_path, f"{HEAD}a1,,-400,,\n")).points == 0


@pytest.mark.parametrize("who", ["a1", "A1", "Ada Lovelace", "ada lovelace", "Ada Lovelace (a1)", "ada.py"])
def test_a_student_is_named_by_label_id_name_or_file(who: str, tmp_path: Path) -> None:
    assert ada(read(tmp_path, f"{HEAD}{who},,1,,\n")).added == 1


def test_columns_may_be_left_out_and_a_semicolon_may_separate_them(tmp_path: Path) -> None:
    assert ada(read(tmp_path, "comment;student\nSee me;a1\n")).comment == "See me"


def test_no_file_gives_nothing(tmp_path: Path) -> None:
    assert ada(read_marks(tmp_path, lab().rubric.task, STUDENTS)).points == 19


@pytest.mark.parametrize(
    ("days", "penalty"), [(0, 0), (1, 0), (2, 1.9), (3, 3.8), (4, 4.75), (400, 4.75)], ids=lambda value: f"{value:g}"
)
def test_each_day_after_the_grace_days_costs_its_share_of_the_points_up_to_the_maximum(
    days: int, penalty: float, tmp_path: Path
) -> None:
    one = ada(read(tmp_path, f"{HEAD}a1,,,,{days}\n"), POLICY)
    assert one.points_before == 19
    assert one.penalty == pytest.approx(penalty)
    assert one.points == pytest.approx(19 - penalty)


def test_a_submission_that_the_export_marks_late_is_one_day_late_unless_the_file_has_the_days(tmp_path: Path) -> None:
    strict = Late(percent_per_day=50)
    assert ada(ManualMarks(), strict, is_late=True).points == 9.5
    assert ada(read(tmp_path, f"{HEAD}a1,,,,0\n"), strict, is_late=True).points == 19


def test_the_penalty_counts_points_given_by_hand(tmp_path: Path) -> None:
    one = ada(read(tmp_path, f"{HEAD}a1,recall,14,,\na1,,4,,1\n"), Late(percent_per_day=10))
    assert (one.points_before, one.penalty) == (30, 3)


def test_without_a_policy_lateness_costs_nothing(tmp_path: Path) -> None:
    one = ada(read(tmp_path, f"{HEAD}a1,,,,9\n"))
    assert (one.days_late, one.penalty, one.points) == (9, 0, 19)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "student,pts\na1,3\n",
            "line 1: there is no column 'pts'. Did you mean 'points'? Valid: student, task,",
        ),
        ("task,points\nwrite,3\n", "line 1: the column 'student' is missing. Valid: student,"),
        (
            f"{HEAD}adda,write,3,,\n",
            "line 2: there is no student 'adda' in the class. Valid: Ada Lovelace (a1),",
        ),
        (f"{HEAD}Bo,write,3,,\n", "line 2: student 'Bo' is the name of several: use an id. Valid: Bo (b1), Bo (b2)."),
        (
            f"{HEAD}a1,wirte,3,,\n",
            "line 2: there is no task 'wirte'. Did you mean 'write'? Valid: write, recall,",
        ),
        (
            f"{HEAD}\na1,write,12.5,,\n",
            "line 3: points is '12.5', expected a number from 0 to 12, the points of",
        ),
        (f"{HEAD}a1,write,-1,,\n", "line 2: points is '-1', expected a number from 0 to 12"),
        (f"{HEAD}a1,write,many,,\n", "line 2: points is 'many', expected a number from 0 to 12"),
        (f"{HEAD}a1,,nan,,\n", "line 2: points is 'nan', expected a number such as 2 or -1.5."),
        (f"{HEAD}a1,,,,1.5\n", "line 2: days_late is '1.5', expected a whole number from 0 in a row without a task."),
        (f"{HEAD}a1,write,,,1\n", "line 2: days_late is '1' for the task 'write', expected a whole number from 0 in"),
        (f"{HEAD}a1,write,,,\n", "line 2: nothing is given. Give points, a comment or days_late."),
        (
            f"{HEAD}a1,write,1,,\nAda Lovelace,write,2,,\n",
            "line 3: the task 'write' of Ada Lovelace (a1) is also in",
        ),
        (f"{HEAD}a1,write,1,,,,\n", "line 2: 7 cells, but line 1 has 5 columns."),
        (f'{HEAD}a1,write,1,"open,\n', "Close the quotes."),
    ],
)
def test_an_invalid_row_is_refused_with_its_line_its_value_and_what_is_valid(
    text: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(BadMarks) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / MARKS}, line ")
    assert sentence in str(caught.value)


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    (tmp_path / MARKS).mkdir()
    with pytest.raises(BadMarks, match=r"marks\.csv cannot be read"):
        read_marks(tmp_path, lab().rubric.task, STUDENTS)
