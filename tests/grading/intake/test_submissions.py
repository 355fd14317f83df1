"""What was handed in becomes one submission for each student, whatever it is and however it was exported."""

import io
import json
import os
import socket
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from memlab.grading.intake import files
from memlab.grading.intake.file_choice import MAX_FILES
from memlab.grading.intake.submissions import NoSubmissions, Submission, read_submissions
from memlab.labs.lab import load
from memlab.labs.learner.submission import LARGEST_FILE

LAB = load("07")
MIX = "class MemoryMix:\n    pass\n"
NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "# lab07: rules\nx = 1"}]})
NONE = "No memory_mix.py or lab07.ipynb was submitted, and no other .py or .ipynb that could be the lab's."
Files = Mapping[str, str | bytes]


def lay(folder: Path, files: Files) -> Path:
    """Write files under a folder; a name that ends in a slash is a folder."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def packed(files: Files) -> bytes:
    """Make a zip of files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def read(folder: Path, files: Files) -> list[Submission]:
    return read_submissions(lay(folder, files), LAB)


CANVAS: Files = {
    "doejane_12345_678910_memory_mix.py": MIX,
    "roejohn_LATE_12346_678911_memory_mix-2.py": MIX,
    "roejohn_LATE_12346_678912_notes.pdf": "%PDF",
    "anon_Ab1Cd_678913_lab07.zip": packed({"lab07.ipynb": NOTEBOOK}),
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
        {"anna.zip": packed({"memory_mix.py": MIX}), "ben.zip": packed({"work/memory_mix.py": MIX})},
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
            "Jürgen Roe_12346_assignsubmission_file_/mine.zip": packed({"a/memory_mix.py": MIX}),
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
def test_each_export_gives_one_submission_for_each_student_by_name(zipped: bool, layout: str, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    files, expected = LAYOUTS[layout]
    place = lay(tmp_path / "class", files)
    if zipped:
        place = tmp_path / "class.zip"
        place.write_bytes(packed(files))
    found = read_submissions(place, LAB)
    assert [one.problem for one in found] == [""] * len(found)
    assert {one.student: one.name for one in found} == expected
    assert [one.name for one in found] == sorted(expected.values())
    assert all("x = 1" in one.source or one.source == MIX for one in found)


def test_an_export_tells_ids_lateness_and_the_members_of_a_group(tmp_path: Path) -> None:
    canvas = {one.student: one for one in read(tmp_path / "canvas", CANVAS)}
    assert (canvas["doejane"].ids, canvas["doejane"].late) == (("12345",), False)
    assert (canvas["roejohn"].ids, canvas["roejohn"].late) == (("12346",), True)
    group = read(tmp_path / "gradescope", GRADESCOPE)[0]
    assert group.ids == ("0123", "jane@x.edu", "77", "submission_101")


def test_a_single_file_notebook_zip_or_folder_is_one_students(tmp_path: Path) -> None:
    lay(tmp_path, {"anna.py": MIX, "ben.ipynb": NOTEBOOK, "cleo.zip": packed({"lab07/memory_mix.py": MIX})})
    lay(tmp_path / "dora", {"memory_mix.py": MIX, "conftest.py": "", "lab07-work/memory_mix.py": "old = 1\n"})
    lay(tmp_path / "deep", {"submitted/emil/lab07/lab07.ipynb": NOTEBOOK})
    for place, student, name in [
        ("anna.py", "anna", "anna.py"),
        ("ben.ipynb", "ben", "ben.ipynb"),
        ("cleo.zip", "cleo", "lab07/memory_mix.py"),
        ("dora", "dora", "dora/memory_mix.py"),
        ("deep", "emil", "submitted/emil/lab07/lab07.ipynb"),
    ]:
        (one,) = read_submissions(tmp_path / place, LAB)
        assert (one.student, one.name, one.problem, one.note.count("taken for")) == (student, name, "", 0)


def test_what_lies_beside_the_labs_file_is_not_brought_along_and_that_is_said(tmp_path: Path) -> None:
    names = ("conftest.py", "pytest.ini", "json.py", "sitecustomize.py", "x.pth")
    (one,) = read(tmp_path / "anna", {"memory_mix.py": MIX, **dict.fromkeys(names, "raise SystemExit")})
    assert one.source == MIX
    assert one.note == "Not used: anna/conftest.py, anna/json.py, anna/sitecustomize.py."


def test_a_file_of_another_name_is_taken_where_it_is_the_only_one_and_that_is_said(tmp_path: Path) -> None:
    files = {"anna/my_work.py": MIX, "anna/json.py": "", "anna/conftest.py": "", "anna/memory_store.py": "other lab"}
    found = read(tmp_path / "class", {**files, "ben/code.py": MIX, "cleo/memory_mix (2).py": MIX})
    assert [one.source for one in found] == [MIX] * 3
    taken = "was taken as memory_mix.py: there is no other candidate."
    assert found[0].note.startswith(f"anna/my_work.py {taken} Not used: ")
    assert found[1].note == f"ben/code.py {taken}"
    assert not found[2].note


def test_several_that_could_be_meant_are_a_problem_and_never_a_guess(tmp_path: Path) -> None:
    found = read(
        tmp_path / "class",
        {
            "anna/memory_mix.py": MIX,
            "anna/lab07.ipynb": NOTEBOOK,
            "ben/one.py": MIX,
            "ben/two.py": MIX,
            "cleo/memory_mix.py": MIX,
            "cleo/backup/Memory_Mix.py": MIX.replace("\n", "\r\n"),
            **{f"dora/{number}/memory_mix.py": MIX for number in range(9)},
        },
    )
    dora = ", ".join(f"dora/{number}/memory_mix.py" for number in range(5))
    assert [one.problem for one in found] == [
        "anna/lab07.ipynb, anna/memory_mix.py: which file is the right one? Submit only that one.",
        "No memory_mix.py or lab07.ipynb was submitted, but ben/one.py, ben/two.py. Rename the right one.",
        "",
        f"{dora} and 4 more: which file is the right one? Submit only that one.",
    ]
    assert [one.source for one in found] == ["", "", MIX, ""], "what is the same twice is no question"


def test_of_several_attempts_that_canvas_numbers_the_last_counts_and_that_is_said(tmp_path: Path) -> None:
    names = ["doejane_1_20_memory_mix.py", "doejane_LATE_1_30_memory_mix-1.py", "doejane_LATE_1_40_memory_mix-10.py"]
    (one,) = read(tmp_path / "class", {name: f"x = {number}\n" for number, name in enumerate(names)})
    assert (one.name, one.source, one.late) == (names[2], "x = 2\n", True)
    assert one.note.startswith(f"{names[2]} is the last of 3 attempts, by the number after its name.")


def test_what_is_none_or_of_another_kind_is_a_problem_that_names_what_is_there(tmp_path: Path) -> None:
    zip_in_zip = packed({"memory_mix.zip": packed({"memory_mix.py": MIX})})
    found = read(
        tmp_path / "class",
        {
            "anna/report.pdf": "%PDF",
            "ben/": "",
            "cleo.txt": MIX,
            "dora_LATE_1_2_data.csv": "a,b",
            "emil/inner.zip": zip_in_zip,
            "fred/memory_store.py": "of the other lab",
            "roster.csv": "id,name",
            "README.md": "",
            ".DS_Store": "",
            "__MACOSX/._x.py": "",
        },
    )
    assert {one.name: one.problem for one in found} == {
        "anna": f"{NONE} Found: anna/report.pdf.",
        "ben": NONE,
        "cleo.txt": f"{NONE} Found: cleo.txt.",
        "dora_LATE_1_2_data.csv": f"{NONE} Found: dora_LATE_1_2_data.csv.",
        "emil": f"{NONE} Found: emil/inner.zip/memory_mix.zip.",
        "fred": f"{NONE} Found: fred/memory_store.py.",
    }


def test_a_leftover_of_the_instructor_hides_no_student(tmp_path: Path) -> None:
    found = read(tmp_path / "class", {"memory_mix.py": MIX, "anna/memory_mix.py": MIX, "ben/memory_mix.py": MIX})
    assert {one.student for one in found} >= {"anna", "ben"}
    found = read(tmp_path / "zips", {"memory_mix.py": MIX, "anna.zip": packed({"memory_mix.py": MIX})})
    assert {one.student for one in found} >= {"anna"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "memory_mix.py is empty. Submit the file that you worked in."),
        (b"\xef\xbb\xbf \r\n", "memory_mix.py is empty. Submit the file that you worked in."),
        (b"x = '\xe9'", "memory_mix.py: byte 5 is not UTF-8. Save the file as UTF-8."),
        ("x = 1".encode("utf-16"), "memory_mix.py: byte 0 is not UTF-8. Save the file as UTF-8."),
        (b"x = 1\0", "memory_mix.py contains a zero byte. Save the file as UTF-8."),
        (b"#" * (LARGEST_FILE + 1), "anna/memory_mix.py has more than 1,000,000 bytes. Clear the outputs, or remove"),
    ],
)
def test_what_is_no_text_is_a_problem_and_the_others_go_on(content: bytes, problem: str, tmp_path: Path) -> None:
    bad, good = read(tmp_path / "class", {"anna/memory_mix.py": content, "ben/memory_mix.py": MIX})
    assert bad.problem.startswith(problem)
    assert (bad.source, bad.name, bad.digest) == ("", "anna", sha256(bad.problem.encode()).hexdigest())
    assert (good.source, good.problem) == (MIX, "")


def test_mark_and_line_ends_change_neither_what_is_graded_nor_its_digest(tmp_path: Path) -> None:
    text = 'def f():\n    return """a\nb"""\n'
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    files: Files = {"a.py": text, "b.py": windows, "c.py": text.replace("\n", "\r"), "d.py": f"{text}#"}
    found = read(tmp_path / "class", files)
    assert [one.source for one in found[:3]] == [text] * 3
    assert {one.digest for one in found[:3]} == {sha256(text.encode()).hexdigest()}
    assert found[3].digest != found[0].digest


def test_hostile_source_is_handed_on_and_never_parsed(tmp_path: Path) -> None:
    for name, source in {"deep": "(" * 200_000, "wrong": "def f(:\n", "dots": "a" + ".a" * 100_000}.items():
        (one,) = read(tmp_path / name, {"memory_mix.py": source})
        assert (one.source, one.problem) == (source, "")


def test_links_pipes_and_sockets_are_a_problem_and_neither_waited_for_nor_followed(tmp_path: Path) -> None:
    place = lay(tmp_path / "class", {"anna/memory_mix.py": MIX, "ben/other.py": MIX, "cleo/memory_mix.py": MIX})
    secret = lay(tmp_path / "secret", {"memory_mix.py": "secret = 1\n"})
    (place / "ben" / "memory_mix.py").symlink_to(secret / "memory_mix.py")
    (place / "cleo" / "more").symlink_to(secret)
    (place / "dora").symlink_to(secret)
    (place / "emil.py").symlink_to(secret / "memory_mix.py")
    os.mkfifo(place / "fred.py")
    (place / "gina").mkdir()
    os.mkfifo(place / "gina" / "memory_mix.py")
    (place / "loop").symlink_to(place)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(place / "hugo.py"))
        found = {one.name: one for one in read_submissions(place, LAB)}
    link = "is a link, and links are not followed. Submit the file itself."
    pipe = "is a pipe, a socket or a device. Submit a plain file."
    assert {name: one.problem for name, one in found.items()} == {
        "anna/memory_mix.py": "",
        "ben": f"ben/memory_mix.py {link}",
        "cleo/memory_mix.py": "",
        "dora": f"dora {link}",
        "emil.py": f"emil.py {link}",
        "fred.py": f"fred.py {pipe}",
        "gina": f"gina/memory_mix.py {pipe}",
        "hugo.py": f"hugo.py {pipe}",
        "loop": f"loop {link}",
    }
    assert found["cleo/memory_mix.py"].note == f"cleo/more {link}"
    assert not any("secret" in one.source for one in found.values())


def test_what_became_a_link_or_a_pipe_after_it_was_listed_is_not_read(tmp_path: Path) -> None:
    file = lay(tmp_path, {"a.py": MIX}) / "a.py"
    listed = files.open_file(file, "a.py")
    file.rename(tmp_path / "b.py")
    file.symlink_to("b.py")
    with pytest.raises(ValueError, match=r"a\.py cannot be read"):
        listed.read(100)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ValueError, match=r"a\.py is a pipe"):
        listed.read(100)


def test_what_may_not_be_read_is_that_students_problem_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the system's refusal is put in its place."""
    place = lay(tmp_path / "class", {f"{name}/memory_mix.py": MIX for name in ("anna", "ben", "cleo")})
    refused = PermissionError(13, "Permission denied")
    really_open, really_list = os.open, os.scandir

    def opened(path: Path, flags: int) -> int:
        if path.parent.name == "anna":
            raise refused
        return really_open(path, flags)

    def listed(path: Path) -> object:
        if path.name == "ben":
            raise refused
        return really_list(path)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "scandir", listed)
    assert [one.problem for one in read_submissions(place, LAB)] == [
        "anna/memory_mix.py cannot be read (Permission denied). Check its permissions.",
        "ben cannot be listed (Permission denied). Check its permissions.",
        "",
    ]


def test_names_that_hide_something_are_made_visible_and_stay_apart(tmp_path: Path) -> None:
    names = ["a\nb.py", "\x1b[2Jc.py", "d\u202eyp.py", "e" * 252 + ".py", "F.py", "f.py", os.fsdecode(b"g\xff.py")]
    found = read(tmp_path / "class", dict.fromkeys([*names, "h\u200b.py", "h\u25a1200b.py"], MIX))
    found_names = {one.name for one in found}
    assert len(found_names) == len(found) == len(names) + 2
    assert [one.name for one in found] == sorted(found_names), "as they are told, not as they are"
    assert found_names >= {"a\u25a1000ab.py", "\u25a1001b[2Jc.py", "d\u25a1202eyp.py", "F.py", "f.py", "g\u25a1dcff.py"}
    assert found_names >= {"h\u25a1200b.py", "h\u25a1200b.py (2)"}
    assert all(name.isprintable() and name.encode() for name in found_names)


def test_a_folder_with_too_many_files_or_too_deep_is_that_students_problem(tmp_path: Path) -> None:
    place = lay(tmp_path / "class", {"anna/memory_mix.py": MIX})
    lay(place / "ben", {f"{number}.txt": "" for number in range(MAX_FILES)} | {"memory_mix.py": MIX})
    lay(place / "cleo", {"a/" * 30 + "memory_mix.py": MIX})
    lay(place / "dora", {"node_modules/x.py": MIX, ".venv/lib/y.py": MIX, "memory_mix.py": MIX})
    problems = [one.problem for one in read_submissions(place, LAB)]
    assert problems[0] == problems[3] == ""
    assert problems[1].startswith("ben holds too many files")
    assert "is more than 20 folders deep" in problems[2]


def test_a_place_where_nothing_is_is_told_and_not_graded(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    for name, says in {
        "gone": "does not exist",
        "empty": "contains no .py, .ipynb or .zip file",
        "pipe.py": "is neither a file nor a folder",
    }.items():
        with pytest.raises(NoSubmissions, match=says):
            read_submissions(tmp_path / name, LAB)


def test_the_labs_own_file_is_read_for_both_labs(tmp_path: Path) -> None:
    for number in ("06", "07"):
        lab = load(number)
        solution = (lab.folder / "solution.py").read_text(encoding="utf-8")
        (one,) = read_submissions(lay(tmp_path / number, {lab.file: solution}), lab)
        assert (one.source, one.problem) == (solution, "")
