"""A step that was not attempted is told apart from one that was misunderstood, on every page."""

import csv
from dataclasses import replace
from io import StringIO

from sample_grades import PageReader, grade, lab, mark, reason

from memlab.grading.reports.class_statistics import compute_statistics
from memlab.grading.reports.feedback import render_feedback
from memlab.grading.reports.gradebook import MARK, render_gradebook
from memlab.grading.reports.gradescope import render_results
from memlab.grading.reports.overview import render_overview

OPEN = replace(mark("recall", 0, reason("recall/gives-the-body", "recall is not written yet")), attempted=False)
WRONG = mark("recall", 0, reason("recall/gives-the-body", "gave 7"))
LEFT, TRIED = grade("anna", mark("write", 12), OPEN), grade("ben", mark("write", 12), WRONG)
TITLE = lab().step("recall").title


def test_the_page_lists_an_open_step_without_reasons_and_a_wrong_one_with_them() -> None:
    left, tried = (PageReader(render_feedback(one, lab())) for one in (LEFT, TRIED))
    assert "not attempted" in left.text
    assert f"{TITLE}, 0 of 14" in left.text
    assert "is not written yet" not in left.text
    assert {"href": "#open"} in [names for tag, names in left.tags if tag == "a"]
    assert "not attempted" not in tried.text.lower()
    assert "gave 7" in tried.text


def test_the_gradebook_names_the_steps_that_were_not_attempted() -> None:
    text = render_gradebook([LEFT, TRIED], lab(), "landlock").removeprefix(MARK)
    left, tried = csv.DictReader(StringIO(text, newline=""))
    assert (left["not_attempted"], left["recall"]) == ("recall", "0")
    assert (tried["not_attempted"], tried["recall"]) == ("", "0")


def test_the_statistics_count_an_open_step_neither_as_no_points_nor_as_a_failed_check() -> None:
    found = compute_statistics([LEFT, TRIED], lab())
    recall = found.tasks["recall"]
    assert (recall.parts(), recall.evaluated, recall.unattempted, recall.skipped) == ((0, 0, 1), 1, 1, 0)
    (check,) = found.most_failed()
    assert check.failures == 1


def test_a_step_that_nobody_attempted_is_in_the_overview_without_a_mean() -> None:
    row = f"{TITLE}00010"
    assert row in PageReader(render_overview([LEFT], lab(), {})).text
    assert row not in PageReader(render_overview([LEFT, TRIED], lab(), {})).text


def test_gradescope_says_that_a_step_was_not_attempted() -> None:
    left, tried = (str(render_results(one, lab())) for one in (LEFT, TRIED))
    assert "Not attempted." in left
    assert "is not written yet" not in left
    assert "Not attempted." not in tried
