"""Which of the files of a student is graded, and under which name."""

from __future__ import annotations

import os
from pathlib import Path

from submission_files import MIX, NOTEBOOK, write_and_read, write_files, zip_files

from memlab.grading.intake.submissions import read_submissions
from memlab.labs.lab import load

NONE = "No memory_mix.py or lab07.ipynb was submitted, and no other .py or .ipynb that could be the lab's."


def test_other_files_beside_the_file_of_the_lab_are_ignored_with_a_note(tmp_path: Path) -> None:
    names = ("conftest.py", "pytest.ini", "json.py", "sitecustomize.py", "x.pth")
    (one,) = write_and_read(tmp_path / "anna", {"memory_mix.py": MIX, **dict.fromkeys(names, "raise SystemExit")})
    assert one.source == MIX
    assert one.note == "Not used: anna/conftest.py, anna/json.py, anna/sitecustomize.py."


def test_the_only_candidate_is_graded_under_another_name_with_a_note(tmp_path: Path) -> None:
    files = {"anna/my_work.py": MIX, "anna/json.py": "", "anna/conftest.py": "", "anna/memory_store.py": "other lab"}
    found = write_and_read(tmp_path / "class", {**files, "ben/code.py": MIX, "cleo/memory_mix (2).py": MIX})
    assert [one.source for one in found] == [MIX] * 3
    taken = "was taken as memory_mix.py: there is no other candidate."
    assert found[0].note.startswith(f"anna/my_work.py {taken} Not used: ")
    assert found[1].note == f"ben/code.py {taken}"
    assert not found[2].note


def test_several_candidates_are_a_problem(tmp_path: Path) -> None:
    found = write_and_read(
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


def test_the_last_numbered_attempt_of_canvas_counts_with_a_note(tmp_path: Path) -> None:
    names = ["doejane_1_20_memory_mix.py", "doejane_LATE_1_30_memory_mix-1.py", "doejane_LATE_1_40_memory_mix-10.py"]
    (one,) = write_and_read(tmp_path / "class", {name: f"x = {number}\n" for number, name in enumerate(names)})
    assert (one.name, one.source, one.late) == (names[2], "x = 2\n", True)
    assert one.note.startswith(f"{names[2]} is the last of 3 attempts, by the number after its name.")


def test_a_missing_file_is_a_problem_that_names_the_files_found(tmp_path: Path) -> None:
    zip_in_zip = zip_files({"memory_mix.zip": zip_files({"memory_mix.py": MIX})})
    found = write_and_read(
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


def test_the_solution_of_each_lab_is_read(tmp_path: Path) -> None:
    for number in ("06", "07"):
        lab = load(number)
        solution = (lab.folder / "solution.py").read_text(encoding="utf-8")
        (one,) = read_submissions(write_files(tmp_path / number, {lab.file: solution}), lab)
        assert (one.source, one.problem) == (solution, "")


def test_invisible_characters_in_names_are_made_visible_and_names_stay_unique(tmp_path: Path) -> None:
    names = ["a\nb.py", "\x1b[2Jc.py", "d\u202eyp.py", "e" * 252 + ".py", "F.py", "f.py", os.fsdecode(b"g\xff.py")]
    found = write_and_read(tmp_path / "class", dict.fromkeys([*names, "h\u200b.py", "h\u25a1200b.py"], MIX))
    found_names = {one.name for one in found}
    assert len(found_names) == len(found) == len(names) + 2
    assert [one.name for one in found] == sorted(found_names), "as they are told, not as they are"
    assert found_names >= {"a\u25a1000ab.py", "\u25a1001b[2Jc.py", "d\u25a1202eyp.py", "F.py", "f.py", "g\u25a1dcff.py"}
    assert found_names >= {"h\u25a1200b.py", "h\u25a1200b.py (2)"}
    assert all(name.isprintable() and name.encode() for name in found_names)
