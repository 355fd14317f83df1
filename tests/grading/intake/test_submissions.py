"""Every export of a learning platform becomes one submission for each student."""

from __future__ import annotations

from pathlib import Path

import pytest
from submission_files import LAB, MIX, NOTEBOOK, Files, write_and_read, write_files, zip_files

from memlab.grading.intake.submissions import read_submissions

CANVAS: Files = {
    "doejane_12345_678910_memory_mix.py": MIX,
    "roejohn_LATE_12346_678911_memory_mix-2.py": MIX,
    "roejohn_LATE_12346_678912_notes.pdf": "%PDF",
    "anon_Ab1Cd_678913_lab07.zip": zip_files({"lab07.ipynb": NOTEBOOK}),
}


METADATA = """---
submission_101:
  :submitters:
  - :name: Jane O'Doe
    :sid: '0123'
    :email: jane@x.edu
  - :name: "J\\u00fcrgen Roe"
    :sid: '77'
  :created_at: 2024-01-01
  :results:
    tests:
    - name: a
      output: |
        submission_102:
          :submitters:
          - :name: Somebody Else
  :history:
  - :id: 1
    :sid: '9'
submission_102:
  :submitters:
  - :name: Ben
"""


GRADESCOPE: Files = {
    "assignment_9_export/submission_metadata.yml": METADATA,
    "assignment_9_export/submission_101/memory_mix.py": MIX,
    "assignment_9_export/submission_102/memory_mix.py": MIX,
}


LAYOUTS: dict[str, tuple[Files, dict[str, str]]] = {
    "files": ({"anna.py": MIX, "ben.ipynb": NOTEBOOK}, {"anna": "anna.py", "ben": "ben.ipynb"}),
    "folders": (
        {"anna/memory_mix.py": MIX, "ben/src/memory_mix.py": MIX},
        {"anna": "anna/memory_mix.py", "ben": "ben/src/memory_mix.py"},
    ),
    "zips": (
        {"anna.zip": zip_files({"memory_mix.py": MIX}), "ben.zip": zip_files({"work/memory_mix.py": MIX})},
        {"anna": "anna.zip/memory_mix.py", "ben": "ben.zip/work/memory_mix.py"},
    ),
    "Canvas": (
        CANVAS,
        {
            "doejane": "doejane_12345_678910_memory_mix.py",
            "roejohn": "roejohn_LATE_12346_678911_memory_mix-2.py",
            "anon_Ab1Cd": "anon_Ab1Cd_678913_lab07.zip/lab07.ipynb",
        },
    ),
    "Moodle, in folders": (
        {
            "Jane Doe_12345_assignsubmission_file_/memory_mix.py": MIX,
            "Jürgen Roe_12346_assignsubmission_file_/mine.zip": zip_files({"a/memory_mix.py": MIX}),
            "Participant_12347_assignsubmission_file/lab07.ipynb": NOTEBOOK,
        },
        {
            "Jane Doe": "Jane Doe_12345_assignsubmission_file_/memory_mix.py",
            "Jürgen Roe": "Jürgen Roe_12346_assignsubmission_file_/mine.zip/a/memory_mix.py",
            "Participant 12347": "Participant_12347_assignsubmission_file/lab07.ipynb",
        },
    ),
    "Moodle, without": (
        {
            "Jane Doe_12345_assignsubmission_file_memory_mix.py": MIX,
            "Jane Doe_12345_assignsubmission_onlinetext_onlinetext.html": "<p>Hello</p>",
        },
        {"Jane Doe": "Jane Doe_12345_assignsubmission_file_memory_mix.py"},
    ),
    "nbgrader": (
        {
            "submitted/anna/lab07/lab07.ipynb": NOTEBOOK,
            "submitted/anna/lab07/timestamp.txt": "2024-01-01 00:00:00 UTC",
            "submitted/anna/lab06/lab06.ipynb": NOTEBOOK,
            "submitted/ben/lab07/lab07.ipynb": NOTEBOOK,
        },
        {"anna": "submitted/anna/lab07/lab07.ipynb", "ben": "submitted/ben/lab07/lab07.ipynb"},
    ),
    "GitHub Classroom": (
        {
            "lab-07-submissions/lab-07-anna/memory_mix.py": MIX,
            "lab-07-submissions/lab-07-anna/.git/memory_mix.py": "no",
            "lab-07-submissions/lab-07-anna/.github/classroom/autograding.json": "{}",
            "lab-07-submissions/lab-07-ben/memory_mix.py": MIX,
        },
        {
            "anna": "lab-07-submissions/lab-07-anna/memory_mix.py",
            "ben": "lab-07-submissions/lab-07-ben/memory_mix.py",
        },
    ),
    "Gradescope": (
        GRADESCOPE,
        {
            "Jane O'Doe & Jürgen Roe": "assignment_9_export/submission_101/memory_mix.py",
            "Ben": "assignment_9_export/submission_102/memory_mix.py",
        },
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("zipped", [False, True])
def test_each_export_gives_one_named_submission_for_each_student(zipped: bool, layout: str, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    files, expected = LAYOUTS[layout]
    place = write_files(tmp_path / "class", files)
    if zipped:
        place = tmp_path / "class.zip"
        place.write_bytes(zip_files(files))
    found = read_submissions(place, LAB)
    assert [one.problem for one in found] == [""] * len(found)
    assert {one.student: one.name for one in found} == expected
    assert [one.name for one in found] == sorted(expected.values())
    assert all("x = 1" in one.source or one.source == MIX for one in found)


def test_an_export_gives_ids_lateness_and_group_members(tmp_path: Path) -> None:
    canvas = {one.student: one for one in write_and_read(tmp_path / "canvas", CANVAS)}
    assert (canvas["doejane"].ids, canvas["doejane"].late) == (("12345",), False)
    assert (canvas["roejohn"].ids, canvas["roejohn"].late) == (("12346",), True)
    group = write_and_read(tmp_path / "gradescope", GRADESCOPE)[0]
    assert group.ids == ("0123", "jane@x.edu", "77", "submission_101")


def test_a_single_file_notebook_zip_or_folder_is_the_submission_of_one_student(tmp_path: Path) -> None:
    write_files(tmp_path, {"anna.py": MIX, "ben.ipynb": NOTEBOOK, "cleo.zip": zip_files({"lab07/memory_mix.py": MIX})})
    write_files(tmp_path / "dora", {"memory_mix.py": MIX, "conftest.py": "", "lab07-work/memory_mix.py": "old = 1\n"})
    write_files(tmp_path / "deep", {"submitted/emil/lab07/lab07.ipynb": NOTEBOOK})
    for place, student, name in [
        ("anna.py", "anna", "anna.py"),
        ("ben.ipynb", "ben", "ben.ipynb"),
        ("cleo.zip", "cleo", "lab07/memory_mix.py"),
        ("dora", "dora", "dora/memory_mix.py"),
        ("deep", "emil", "submitted/emil/lab07/lab07.ipynb"),
    ]:
        (one,) = read_submissions(tmp_path / place, LAB)
        assert (one.student, one.name, one.problem, one.note.count("taken for")) == (student, name, "", 0)


def test_a_leftover_file_of_the_instructor_hides_no_student(tmp_path: Path) -> None:
    found = write_and_read(
        tmp_path / "class", {"memory_mix.py": MIX, "anna/memory_mix.py": MIX, "ben/memory_mix.py": MIX}
    )
    assert {one.student for one in found} >= {"anna", "ben"}
    found = write_and_read(tmp_path / "zips", {"memory_mix.py": MIX, "anna.zip": zip_files({"memory_mix.py": MIX})})
    assert {one.student for one in found} >= {"anna"}
