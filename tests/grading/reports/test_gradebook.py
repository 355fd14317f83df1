import csv
import unicodedata
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_grades import HOSTILE, grade, grade_with_lost_points, lab, mark

from memlab.grading.grade import Grade
from memlab.grading.marking.points import make_empty_marks
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.gradebook import GRADEBOOK, MARK, escape_cell, render_gradebook, to_csv

STRIPPED = " \t\r\n\"`'\u3000\u00a0"
alphabet = st.sampled_from("=+-@,;|\t\r\n\"'` a1\u00a0\u3000\u200b\uff1d\uff0b\uff0d\uff20\ufe66\u2212")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet may treat a cell as a formula, after stripping what spreadsheets strip."""
    bare = text.lstrip(STRIPPED)
    before = text[: len(text) - len(bare)]
    plain = unicodedata.normalize("NFKC", bare).replace("\u2212", "-")
    return plain[:1] in set("=+-@") and not before.endswith("'")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text.removeprefix(MARK), newline="")))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@given(words=st.text(alphabet, max_size=12), more=st.text(alphabet, max_size=6))
def test_no_cell_is_a_formula_for_any_separator_of_a_spreadsheet(separator: str, words: str, more: str) -> None:
    text = to_csv(["a", "b"], [["plain", words], [words, more]])
    for row in csv.reader(StringIO(text, newline=""), delimiter=separator):
        assert not any(is_formula(found) for found in row), row
    for line in text.split("\r\n"):
        assert not any(is_formula(found) for found in line.split(separator)), line


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("=1+2", "'=1+2"),
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("  @SUM(A1)", "  '@SUM(A1)"),
        ('"-2+3', "\"'-2+3"),
        ("\uff1d1+2", "'\uff1d1+2"),
        ('=1+2";=1+2', "'=1+2\";'=1+2"),
        ("\t=1", "\\t=1"),
        ("a\r\n=1", "a\\r\\n=1"),
        ("\u200b=1", "□200b=1"),
        ("\ud800", "□d800"),
        ("anna-maria", "anna-maria"),
        ("x@example.org", "x@example.org"),
        ("0 = nothing", "0 = nothing"),
    ],
)
def test_only_the_beginning_of_a_formula_is_escaped(words: str, written: str) -> None:
    assert escape_cell(words) == written


@pytest.mark.parametrize(
    ("number", "written"), [(-3, "-3"), (48.9999999, "49"), (-0.5, "-0.5"), (12.0, "12"), (0.1 + 0.2, "0.3"), (0, "0")]
)
def test_our_numbers_stay_numbers(number: float, written: str) -> None:
    assert to_csv(["a"], [[number]]) == f'"a"\r\n{written}\r\n'


def test_each_submission_is_one_line_for_any_name() -> None:
    text = render_gradebook([grade(name) for name in HOSTILE], lab(), "bubblewrap")
    assert len(text.splitlines()) == 1 + len(HOSTILE)
    assert max(map(len, text.splitlines())) < 2500


def test_a_row_has_the_points_of_each_task_and_empty_cells_for_ungraded_ones() -> None:
    one = grade("anna", mark("write", 9.6), mark("recall", 7))
    (row,) = rows(render_gradebook([one], lab(), "landlock"))
    columns = {
        name: row[name] for name in ("student", "submission", "status", "points", "worth", "percent", "isolation")
    }
    assert columns == {
        "student": "anna",
        "submission": "anna.py",
        "status": "ok",
        "points": "16.6",
        "worth": "26",
        "percent": "63.8",
        "isolation": "landlock",
    }
    assert (row["write"], row["recall"], row["stale"], row["digest"]) == ("9.6", "7", "", "ab" * 6)


def test_a_missing_submission_is_zero_and_a_failure_of_the_grader_is_not() -> None:
    tasks = [lab().step("write"), lab().step("recall")]
    missing = Grade("", "ben", "", "missing", "nothing was submitted", make_empty_marks(tasks, "was not checked"))
    fault = Grade("cy.py", "cy", "cd" * 32, "internal", "The grader failed.", (mark("write", 0),))
    nothing, undecided = rows(render_gradebook([missing, fault], lab(), "rlimits"))
    assert (nothing["points"], nothing["worth"], nothing["percent"]) == ("0", "26", "0")
    assert (nothing["write"], nothing["recall"], nothing["stale"]) == ("0", "0", "")
    assert (undecided["points"], undecided["percent"], undecided["write"]) == ("", "", "")


def test_the_same_grades_give_the_same_text_regardless_of_time() -> None:
    one = grade_with_lost_points("anna")
    again = replace(one, seconds=99.0)
    assert render_gradebook([one], lab(), "landlock") == render_gradebook([again], lab(), "landlock")


def test_excel_and_pandas_read_accents_and_the_first_heading(tmp_path: Path) -> None:
    path = tmp_path / GRADEBOOK
    write_atomically(path, render_gradebook([grade("Zoë Ångström")], lab(), "landlock"))
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")  # Excel needs it to detect UTF-8
    read = pd.read_csv(path)
    assert list(read["student"]) == ["Zoë Ångström"]
    assert list(read["points"]) == [12]
