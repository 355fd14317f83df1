"""Files that cannot be read are a problem of their student alone."""

from __future__ import annotations

import os
import socket
from hashlib import sha256
from pathlib import Path

import pytest
from submission_files import LAB, MIX, Files, write_and_read, write_files

from memlab.grading.intake import files
from memlab.grading.intake.file_choice import MAX_FILES
from memlab.grading.intake.submissions import NoSubmissions, read_submissions
from memlab.labs.learner.submission import LARGEST_FILE


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
def test_a_file_that_is_not_text_is_a_problem_of_its_student_alone(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    bad, good = write_and_read(tmp_path / "class", {"anna/memory_mix.py": content, "ben/memory_mix.py": MIX})
    assert bad.problem.startswith(problem)
    assert (bad.source, bad.name, bad.digest) == ("", "anna", sha256(bad.problem.encode()).hexdigest())
    assert (good.source, good.problem) == (MIX, "")


def test_a_byte_order_mark_and_line_ends_change_neither_the_source_nor_the_digest(tmp_path: Path) -> None:
    text = 'def f():\n    return """a\nb"""\n'
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    files: Files = {"a.py": text, "b.py": windows, "c.py": text.replace("\n", "\r"), "d.py": f"{text}#"}
    found = write_and_read(tmp_path / "class", files)
    assert [one.source for one in found[:3]] == [text] * 3
    assert {one.digest for one in found[:3]} == {sha256(text.encode()).hexdigest()}
    assert found[3].digest != found[0].digest


def test_hostile_source_is_passed_on_without_parsing(tmp_path: Path) -> None:
    for name, source in {"deep": "(" * 200_000, "wrong": "def f(:\n", "dots": "a" + ".a" * 100_000}.items():
        (one,) = write_and_read(tmp_path / name, {"memory_mix.py": source})
        assert (one.source, one.problem) == (source, "")


def test_links_pipes_and_sockets_are_problems_and_are_never_opened(tmp_path: Path) -> None:
    place = write_files(tmp_path / "class", {"anna/memory_mix.py": MIX, "ben/other.py": MIX, "cleo/memory_mix.py": MIX})
    secret = write_files(tmp_path / "secret", {"memory_mix.py": "secret = 1\n"})
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


def test_a_file_that_becomes_a_link_or_a_pipe_after_the_listing_is_not_read(tmp_path: Path) -> None:
    file = write_files(tmp_path, {"a.py": MIX}) / "a.py"
    listed = files.open_file(file, "a.py")
    file.rename(tmp_path / "b.py")
    file.symlink_to("b.py")
    with pytest.raises(ValueError, match=r"a\.py cannot be read"):
        listed.read(100)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ValueError, match=r"a\.py is a pipe"):
        listed.read(100)


def test_missing_permissions_are_a_problem_of_that_student_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything, so the system's refusal is put in its place."""
    place = write_files(tmp_path / "class", {f"{name}/memory_mix.py": MIX for name in ("anna", "ben", "cleo")})
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


def test_a_folder_with_too_many_files_or_levels_is_a_problem_of_that_student_alone(tmp_path: Path) -> None:
    place = write_files(tmp_path / "class", {"anna/memory_mix.py": MIX})
    write_files(place / "ben", {f"{number}.txt": "" for number in range(MAX_FILES)} | {"memory_mix.py": MIX})
    write_files(place / "cleo", {"a/" * 30 + "memory_mix.py": MIX})
    write_files(place / "dora", {"node_modules/x.py": MIX, ".venv/lib/y.py": MIX, "memory_mix.py": MIX})
    problems = [one.problem for one in read_submissions(place, LAB)]
    assert problems[0] == problems[3] == ""
    assert problems[1].startswith("ben holds too many files")
    assert "is more than 20 folders deep" in problems[2]


def test_a_path_without_submissions_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    for name, says in {
        "gone": "does not exist",
        "empty": "contains no .py, .ipynb or .zip file",
        "pipe.py": "is neither a file nor a folder",
    }.items():
        with pytest.raises(NoSubmissions, match=says):
            read_submissions(tmp_path / name, LAB)
