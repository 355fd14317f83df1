import csv
from dataclasses import replace
from io import StringIO

import pytest
from sample_grades import PageReader, grade, grade_with_lost_points, lab, mark

from memlab.grading.course.run import RunRefused, tasks_of_part
from memlab.grading.grade import Grade
from memlab.grading.reports.class_statistics import compute_statistics
from memlab.grading.reports.feedback import render_feedback
from memlab.grading.reports.gradebook import MARK, render_gradebook
from memlab.grading.reports.overview import render_overview
from memlab.grading.reports.parts import subtotals

HALVES = grade("anna", mark("write", 9.6), mark("recall", 14), mark("names", 4), mark("demonstration", 3))
BUILD_ONLY = grade("ben", mark("write", 12), mark("recall", 7))


def test_the_subtotals_of_a_grade_add_up_to_its_points() -> None:
    parts = subtotals(HALVES.marks, lab())
    assert [(one.title, one.points, one.max_points) for one in parts] == [
        ("Build", 23.6, 26.0),
        ("Fix", 4.0, 8.0),
        ("Other tasks", 3.0, 4.0),
    ]
    assert sum(one.points for one in parts) == pytest.approx(HALVES.points)


def test_a_students_page_has_the_points_of_each_part_above_its_tasks() -> None:
    text = PageReader(render_feedback(HALVES, lab())).text
    assert "Build 23.6 of 26 · Fix 4 of 8 · Other tasks 3 of 4" in text
    titles = ["Build", lab().step("write").title, lab().step("recall").title, "Fix", lab().step("names").title]
    places = [text.index(title, text.index("Results by task")) for title in titles]
    assert places == sorted(places)


def test_a_page_with_the_tasks_of_one_part_has_no_subtotal() -> None:
    assert "Build" not in PageReader(render_feedback(BUILD_ONLY, lab())).text


def test_the_gradebook_has_a_column_for_each_part_which_is_empty_if_none_of_it_was_graded() -> None:
    text = render_gradebook([HALVES, BUILD_ONLY], lab(), "landlock").removeprefix(MARK)
    both, build = csv.DictReader(StringIO(text, newline=""))
    assert (both["build_points"], both["fix_points"]) == ("23.6", "4")
    assert (build["build_points"], build["fix_points"]) == ("19", "")


def test_the_overview_has_the_mean_of_each_part_and_the_points_of_each_student_by_part() -> None:
    failed = Grade("oops.py", "oops", "cd" * 32, "internal", "The grader failed.")
    some = [HALVES, grade("cy", mark("write", 12), mark("recall", 0), mark("names", 8)), failed]
    assert [(one.title, one.points) for one in compute_statistics(some, lab()).mean_parts()] == [
        ("Build", pytest.approx(17.8)),
        ("Fix", 6.0),
        ("Other tasks", 3.0),
    ]
    text = PageReader(render_overview(some, lab(), {})).text
    assert "Build17.8 of 2668 %" in text
    assert "graded" in text
    assert "ok23.64330.6" in text, "Build, Fix, the other tasks and the sum"


def test_the_overview_says_why_the_points_of_a_student_are_not_the_sum_of_the_parts() -> None:
    late = replace(HALVES, days_late=2, penalty=3.0, added=1.5)
    assert "ok late: 3 deducted, by hand: 1.523.64329.1" in PageReader(render_overview([late], lab(), {})).text


def test_the_overview_of_one_part_has_no_table_of_parts() -> None:
    text = PageReader(render_overview([grade_with_lost_points("anna")], lab(), {})).text
    assert "mean points" not in text


def test_a_part_selects_its_steps_and_no_other_task() -> None:
    names = {part: tasks_of_part(lab(), part, ()) for part in ("build", "fix")}
    assert names["build"] == ("write", "recall", "stale", "verify", "gate")
    assert set(names["build"]) | set(names["fix"]) == {step.name for step in lab().steps}
    assert sum(lab().step(name).points for name in names["build"]) == 50


def test_an_unknown_part_and_a_part_beside_only_are_refused() -> None:
    with pytest.raises(RunRefused, match="--part buid: lab 06 has no part 'buid'"):
        tasks_of_part(lab(), "buid", ())
    with pytest.raises(RunRefused, match="Its parts: build, fix"):
        tasks_of_part(lab(), "mend", ())
    with pytest.raises(RunRefused, match="--part build and --only write both select tasks"):
        tasks_of_part(lab(), "build", ("write",))
