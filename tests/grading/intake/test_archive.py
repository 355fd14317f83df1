"""Zips are read within limits: nothing is unpacked to the disk, and a defect affects only its own student."""

import io
import random
import stat
import struct
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from memlab.grading.intake import archive
from memlab.grading.intake.archive import END, ENTRY, LOCAL, open_zip
from memlab.grading.intake.file_choice import MAX_ZIP_BYTES
from memlab.grading.intake.files import File, Folder, Rejected, walk
from memlab.grading.intake.submissions import Submission, read_submissions
from memlab.labs.lab import load
from memlab.labs.learner.submission import LARGEST_FILE, NotHandedIn

LAB = load("07")
MIX = b"class MemoryMix:\n    pass\n"


def info(name: str, mode: int = 0) -> zipfile.ZipInfo:
    """Return the header of a member with this file mode."""
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def zip_files(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members:
            zipped.writestr(name, content)
    return made.getvalue()


def list_members(content: bytes) -> Iterator[File | Rejected]:
    return walk(open_zip(io.BytesIO(content), "", "a.zip"), lambda _: True, 1_000)


def read(tmp_path: Path, content: bytes) -> dict[str, Submission]:
    """Read the zip of a class, check that nothing was written, and return its submissions by student."""
    place = tmp_path / "class.zip"
    place.write_bytes(content)
    found = read_submissions(place, LAB)
    assert list(tmp_path.iterdir()) == [place]
    return {one.student: one for one in found}


def edit_entry(content: bytes, number: int, **fields: int) -> bytes:
    """Change fields of one entry of the directory: `flags`, `method`, `crc`, `packed`, `size` or `offset`."""
    at = -1
    for _ in range(number + 1):
        at = content.index(b"PK\1\2", at + 1)
    values = list(ENTRY.unpack_from(content, at))
    for name, value in fields.items():
        values[{"flags": 3, "method": 4, "crc": 7, "packed": 8, "size": 9, "offset": 16}[name]] = value
    return content[:at] + ENTRY.pack(*values) + content[at + ENTRY.size :]


def test_an_archive_written_by_python_is_read_as_python_reads_it() -> None:
    names = ["a.py", "b/c.py", "b/d/e.txt", "ü/ñ.py", "empty.py"]
    contents = [b"x" * 5_000, b"y", bytes(range(256)) * 9, "é".encode(), b""]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", method) as zipped:
            zipped.comment = b"a comment"
            zipped.writestr("b/", b"")
            for name, content in zip(names, contents, strict=True):
                zipped.writestr(name, content)
        found = {one.path: one.read(10_000) for one in list_members(made.getvalue()) if isinstance(one, File)}
        assert found == dict(zip(names, contents, strict=True))


def test_an_archive_written_to_a_stream_is_read() -> None:
    """Exports are streamed: the sizes are behind the content, and in the directory."""

    class Stream(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

    made = Stream()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("a.py", MIX)
    (one,) = list_members(made.getvalue())
    assert isinstance(one, File)
    assert one.read(100) == MIX


def test_a_name_is_decoded_as_utf_8_with_or_without_the_flag_else_as_cp437() -> None:
    made = zip_files(("Jürgen.py", MIX))
    assert [one.path for one in list_members(made)] == ["Jürgen.py"]
    assert [one.path for one in list_members(edit_entry(made, 0, flags=0))] == ["Jürgen.py"]
    other = made.replace("Jürgen".encode(), b"J\x81rgen\xff")
    assert [one.path for one in list_members(other)] == ["J\u25a1dc81rgen\u25a1dcff.py"]
    assert [one.path for one in list_members(edit_entry(other, 0, flags=0))] == ["Jürgen\N{NO-BREAK SPACE}.py"]


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("anna/../ben/memory_mix.py", "anna"),
        ("../memory_mix.py", "../memory_mix.py"),
        ("/etc/cron.d/memory_mix.py", "/etc/cron.d/memory_mix.py"),
        ("C:/memory_mix.py", "C:/memory_mix.py"),
        ("C:\\x\\memory_mix.py", "C:/x/memory_mix.py"),
        ("anna\\..\\..\\memory_mix.py", "anna"),
        ("anna//memory_mix.py", "anna"),
        ("anna/./memory_mix.py", "anna"),
    ],
)
def test_a_path_that_leaves_the_archive_is_a_problem_of_its_student_alone(
    name: str, whose: str, tmp_path: Path
) -> None:
    found = read(tmp_path, zip_files((name, b"no = 1"), ("ben/memory_mix.py", MIX), ("cleo/memory_mix.py", MIX)))
    (bad,) = (one for one in found.values() if not one.source)
    assert (bad.name, "leads out of the archive" in bad.problem) == (whose, True)
    assert found["ben"].source == found["cleo"].source == MIX.decode()


def test_a_backslash_separates_folders_as_some_windows_programs_write_it(tmp_path: Path) -> None:
    found = read(tmp_path, zip_files(("anna\\src\\memory_mix.py", MIX), ("ben/memory_mix.py", MIX)))
    assert found["anna"].name == "anna/src/memory_mix.py"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_links_pipes_and_devices_in_a_zip_are_not_followed(kind: int, tmp_path: Path) -> None:
    odd = (info("anna/memory_mix.py", kind | 0o777), b"/etc/passwd")
    found = read(tmp_path, zip_files(odd, ("ben/memory_mix.py", MIX), (info("ben/x", kind), b"/")))
    assert found["anna"].problem.startswith("anna/memory_mix.py is a ")
    assert found["ben"].source == MIX.decode()
    assert found["ben"].note.startswith("ben/x is a ")


LIES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "encrypted": (lambda made: edit_entry(made, 0, flags=1), "is encrypted. Create the archive without a password."),
    "another method": (lambda made: edit_entry(made, 0, method=14), "uses compression method 14, expected 0 or 8."),
    "a wrong sum": (lambda made: edit_entry(made, 0, crc=7), "is damaged"),
    "a smaller size": (lambda made: edit_entry(made, 0, size=3), "is damaged"),
    "a larger size": (lambda made: edit_entry(made, 0, size=300), "is damaged"),
    "a huge size": (lambda made: edit_entry(made, 0, size=2**31), "has more than 1,000,000 bytes"),
    "4 GB": (lambda made: edit_entry(made, 0, size=2**32 - 1), "is larger than 4 GB, or claims to be"),
    "another's place": (lambda made: edit_entry(made, 0, offset=made.index(b"PK\3\4", 4)), "shares its bytes"),
    "no place": (lambda made: edit_entry(made, 0, offset=2**31), "is damaged"),
    "another name": (lambda made: made.replace(b"anna/m", b"anno/m", 1), "is damaged"),
    "no stream": (lambda made: made[:48] + b"\xff" * 9 + made[57:], "is damaged"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_member_with_a_false_header_is_a_problem_of_its_student_alone(lie: str, tmp_path: Path) -> None:
    damage, says = LIES[lie]
    names = ("anna/memory_mix.py", "bert/memory_mix.py", "cleo/memory_mix.py")
    found = read(tmp_path, damage(zip_files(*((name, MIX) for name in names))))
    assert says in found["anna"].problem
    assert found["anna"].problem.startswith("anna/memory_mix.py ")
    assert found["cleo"].source == MIX.decode()
    assert bool(found["bert"].problem) == (lie == "another's place")


def test_each_member_that_shares_bytes_with_another_is_a_problem(tmp_path: Path) -> None:
    """D. Fifield's bomb: many entries with one content; the content of the first contains the other headers."""
    made = zip_files(*((f"{name}/memory_mix.py", MIX) for name in "abcd"))
    first = made.index(b"PK\3\4")
    found = read(tmp_path, edit_entry(edit_entry(made, 1, offset=first), 2, offset=first))
    assert ["shares its bytes" in found[name].problem for name in "abcd"] == [True, True, True, False]


def test_a_zip_bomb_is_cut_at_the_limit_and_not_kept_in_memory(tmp_path: Path) -> None:
    bomb = zip_files(("memory_mix.py", b"#" * 40_000_000))
    lying = edit_entry(bomb, 0, size=LARGEST_FILE)
    made = zip_files(
        ("anna/a.zip", bomb), ("ben/b.zip", lying), ("cleo.zip", b"0" * (MAX_ZIP_BYTES + 1)), ("d.py", MIX)
    )
    tracemalloc.start()
    found = read(tmp_path, made)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "more than 1,000,000 bytes" in found["anna"].problem
    assert "more than 1,000,000 bytes" in found["ben"].problem
    assert "more than 20,000,000 bytes" in found["cleo"].problem
    assert found["d"].source == MIX.decode()
    assert peak < 10_000_000, "of 40 MB twice and 20 MB"


def test_an_archive_with_too_many_members_is_refused_before_they_are_read(tmp_path: Path) -> None:
    count = END.pack(b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0, 0, 0)
    size = END.pack(b"PK\5\6", 0, 0, 9, 9, 0xFFFFFFFF, 0, 0)
    for end in (count, size):
        (one,) = read(tmp_path, end).values()
        assert one.problem.startswith("class.zip has more than 65,000 members, or is larger than 4 GB. Unpack it")


def test_thousands_of_members_or_nested_folders_of_one_student_do_not_affect_the_others(tmp_path: Path) -> None:
    many = [(f"anna/{number}.txt", b"") for number in range(2_100)]
    found = read(tmp_path, zip_files(*many, ("ben/" + "a/" * 400 + "memory_mix.py", MIX), ("cleo/memory_mix.py", MIX)))
    assert found["anna"].problem.startswith("anna holds too many files")
    assert "path that is too long" in found["ben"].problem
    assert found["cleo"].source == MIX.decode()


def test_a_name_that_occurs_twice_or_in_two_cases_is_a_problem(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        made = zip_files(("anna/memory_mix.py", MIX), ("anna/memory_mix.py", b"x = 2"), ("ben/memory_mix.py", MIX))
    found = read(tmp_path, made)
    assert found["anna"].problem.startswith("anna/memory_mix.py, anna/memory_mix.py: which file is the right one?")
    found = read(tmp_path, zip_files(("a/memory_mix.py", MIX), ("a/Memory_Mix.py", b"x = 2"), ("A/memory_mix.py", MIX)))
    assert "which file is the right one?" in found["a"].problem
    assert found["A"].source == MIX.decode()


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\5\6", b"\x1f\x8b" * 40, b"Rar!" * 40, b"<html>" * 9])
def test_a_file_that_is_not_a_zip_is_reported(content: bytes, tmp_path: Path) -> None:
    (one,) = read(tmp_path, content).values()
    assert (
        one.problem == "class.zip is not a zip file, or only a part of one. Create it again, or submit the file itself."
    )


def test_extra_bytes_before_or_after_and_multi_part_archives_are_refused(tmp_path: Path) -> None:
    made = zip_files(("anna/memory_mix.py", MIX))
    end = len(made) - END.size
    other_disk = made[:end] + struct.pack("<4sH", b"PK\5\6", 1) + made[end + 6 :]
    for content in (b"#!/bin/sh\n" + made, made + b"x", other_disk, made[:-30] + made[-22:]):
        (one,) = read(tmp_path, content).values()
        assert one.problem.startswith("class.zip is damaged or not a valid zip file.")


def test_any_archive_is_either_read_or_refused_with_one_sentence() -> None:
    """3,000 archives, each with a few bytes changed; half of the changes are in the directory."""
    chance = random.Random(7)  # noqa: S311 - drawn the same in every run
    made = zip_files(("anna/memory_mix.py", MIX * 9), (info("b/c", stat.S_IFLNK), b"/"), ("ben.py", MIX), ("d/", b""))
    directory = made.index(b"PK\1\2")
    messages = []
    for _ in range(3_000):
        content = bytearray(made)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(directory if chance.random() < 0.5 else 0, len(content))
            content[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        try:
            for one in list_members(bytes(content)):
                if isinstance(one, File):
                    one.read(1_000)
        except NotHandedIn as none:
            messages.append(str(none))
    assert 500 < len(messages) < 3_000
    assert all(one.endswith(".") for one in messages)


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 - as sys.settrace has it
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def test_listing_an_archive_takes_time_linear_in_its_members() -> None:
    def steps(count: int) -> int:
        raw = b"a/" * 9 + b"x"
        entry = ENTRY.pack(b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, len(raw), 0, 0, 0, 0, 0, 0) + raw
        size = count * len(entry)
        content = entry * count + END.pack(b"PK\5\6", 0, 0, count, count, size, 0, 0)
        return lines_run(lambda: open_zip(io.BytesIO(content), "", "a.zip"))

    assert steps(4_000) < 9 * steps(500), "8 times as many members may take little more than 8 times as many steps"


def test_the_records_have_the_sizes_of_the_format() -> None:
    assert (LOCAL.size, ENTRY.size, END.size) == (30, 46, 22)
    assert archive.MAX_MEMBERS < 0xFFFF, "what stands for a number that does not fit is more than may be"


def test_a_folder_in_an_archive_is_listed_in_order() -> None:
    top = open_zip(io.BytesIO(zip_files(("b.py", MIX), ("a/x.py", MIX), ("a.py", MIX))), "", "a.zip")
    assert [(type(node), node.name) for node in top.list_entries()] == [(Folder, "a"), (File, "a.py"), (File, "b.py")]
