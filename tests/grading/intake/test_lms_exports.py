import csv
import json
import os
import re
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field
from sample_grades import HOSTILE, grade, grade_with_lost_points, grade_with_text, hide_tasks, lab, mark

from memlab.grading.grade import Grade
from memlab.grading.reports.files import safe_name, write_atomically
from memlab.grading.reports.gradescope import render_results, write_results
from memlab.grading.reports.messages import MADE_UP_WORDS
from memlab.grading.reports.nbgrader import NBGRADER, write_nbgrader

VISIBILITY = r"^(hidden|after_due_date|after_published|visible)$"
FORMAT = r"^(text|html|simple_format|md|ansi)$"


class Case(BaseModel):
    """A test case, as Gradescope's specification lists its fields."""

    model_config = ConfigDict(extra="forbid", strict=True)
    score: float
    max_score: float
    status: str = Field(pattern=r"^(passed|failed)$")
    name: str
    name_format: str = Field(pattern=FORMAT)
    number: str
    output: str
    output_format: str = Field(pattern=FORMAT)
    tags: list[str] = []
    visibility: str = Field(pattern=VISIBILITY)
    extra_data: dict[str, object] = {}


class Results(BaseModel):
    """results.json, as Gradescope's specification lists its fields."""

    model_config = ConfigDict(extra="forbid", strict=True)
    score: float
    execution_time: float = 0.0
    output: str
    output_format: str = Field(pattern=FORMAT)
    test_output_format: str = Field(pattern=FORMAT)
    test_name_format: str = Field(pattern=FORMAT)
    visibility: str = Field("visible", pattern=VISIBILITY)
    stdout_visibility: str = Field(pattern=VISIBILITY)
    extra_data: dict[str, object]
    tests: list[Case]
    leaderboard: list[dict[str, object]] = []


@pytest.mark.parametrize("words", HOSTILE)
def test_the_gradescope_file_follows_its_specification_for_any_text(words: str, tmp_path: Path) -> None:
    path = write_results(grade_with_text(words), lab(), tmp_path)
    found = Results.model_validate_json(path.read_bytes())
    assert found.score == sum(case.score for case in found.tests) == 10
    assert {case.output_format for case in found.tests} == {"text"}
    assert len(path.read_bytes()) < 10_000
    assert found.stdout_visibility == "hidden"


def test_gradescope_shows_each_lost_point_with_its_reason_and_calls() -> None:
    found = Results.model_validate(render_results(grade_with_lost_points("anna"), lab()))
    lost, kept = found.tests
    assert (lost.status, lost.score, lost.max_score, lost.number) == ("failed", 9.6, 12.0, "1")
    assert lost.output.splitlines() == [
        "Requirement: The requirement of write/keeps-any-text.",
        "Result: gave None",
        "Calls before:",
        "    write('b')",
        "    write('c')",
    ]
    assert (kept.status, kept.output) == ("passed", "")


def test_gradescope_says_that_words_are_random_wherever_it_shows_an_answer() -> None:
    assert render_results(grade_with_lost_points("anna"), lab())["output"] == f"All tasks were graded.\n{MADE_UP_WORDS}"
    for one in (grade("anna"), hide_tasks(grade_with_lost_points("anna"))):
        assert MADE_UP_WORDS not in str(render_results(one, lab()))


def test_a_hidden_task_is_hidden_on_gradescope_and_has_no_text() -> None:
    found = Results.model_validate(render_results(hide_tasks(grade_with_lost_points("anna")), lab()))
    assert {case.visibility for case in found.tests} == {"hidden"}
    assert {case.output for case in found.tests} == {""}


def test_students_do_not_see_how_the_grader_failed() -> None:
    fault = Grade("a.py", "a", "ab" * 32, "internal", "boom in /secret/place", (mark("write", 0),), fault="Traceback")
    rendered = json.dumps(render_results(fault, lab()))
    assert "secret" not in rendered
    assert "Traceback" not in rendered
    assert "not your fault" in rendered


def test_the_nbgrader_file_has_the_columns_that_nbgrader_exports(tmp_path: Path) -> None:
    fault = Grade("cy.py", "cy", "", "internal", "boom")
    write_nbgrader([grade_with_lost_points("anna"), grade("=ben"), fault], lab(), tmp_path)
    text = (tmp_path / NBGRADER).read_bytes().decode()
    read = list(csv.reader(StringIO(text, newline="")))
    assert read[0] == [
        "assignment",
        "duedate",
        "timestamp",
        "student_id",
        "last_name",
        "first_name",
        "email",
        "raw_score",
        "late_submission_penalty",
        "score",
        "max_score",
    ]
    assert read[1] == ["lab06", "", "", "anna", "", "", "", "23.6", "0", "23.6", "26"]
    assert read[2][3] == "'=ben"
    assert (read[3][3], read[3][7], read[3][9]) == ("cy", "", "")


words = st.text(max_size=60)


@given(words, words, words, words)
@example("a", "bc", "ab", "c")
@example('a", "b', "c", "a", 'b", "c')
@example("a\0b", "c", "a", "b\0c")
def test_every_submission_has_a_unique_plain_name(student: str, file: str, other: str, another: str) -> None:
    one, two = Grade(file, student, "", "ok"), Grade(another, other, "", "ok")
    assert re.fullmatch(r"[a-z0-9-]{22,61}", safe_name(one))
    assert not safe_name(one).startswith("-")
    assert (safe_name(one) == safe_name(two)) == ((student, file) == (other, another))


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    path = write_results(grade(name), lab(), tmp_path)
    assert path.parent.parent == tmp_path / "gradescope"


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a" / "file.txt"
    write_atomically(path, "before")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half of it \ud800")
    assert path.read_text(encoding="utf-8") == "before"

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(OSError, match="no space"):
            write_atomically(path, "after")
    assert path.read_text(encoding="utf-8") == "before"
    write_atomically(path, "after")
    assert {one.name: one.read_text(encoding="utf-8") for one in path.parent.iterdir()} == {"file.txt": "after"}


def test_a_link_in_the_place_of_a_new_file_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", encoding="utf-8")
    (tmp_path / ".file.txt.new").symlink_to(elsewhere)
    (tmp_path / "file.txt").symlink_to(elsewhere)
    write_atomically(tmp_path / "file.txt", "after")
    assert elsewhere.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "file.txt").is_symlink()
