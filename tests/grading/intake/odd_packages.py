"""Submissions that are not a plain source file: a function creates each in a folder, with the result that it must get.

The result is "all" for all points, or "named" for no point and a sentence that says why (attacks 24 and 29).
"""

from __future__ import annotations

import io
import os
import socket
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from memlab.labs.lab import Lab

Make = Callable[[Path, Lab], Path]
PACKAGES: dict[str, tuple[Make, str]] = {}
"""A function that creates the submission in an empty folder, and its result."""
SPOILED = {
    "empty": (b"", "named"),
    "white space": (b" \n\t\n", "named"),
    "bytes that are no text": (b"\xff\xfe\x00\x80\xc3\x28", "named"),
    "a zero byte": (b"x = 1\0\n", "named"),
    "a syntax error": (b"def recall(query)\n    return 1\n", "named"),
    "half a file": (b"def recall(query):\n    return (", "named"),
    "brackets without end": (b"x = " + b"(" * 100_000 + b"\n", "named"),
    "signs without end": (b"x = " + b"-" * 500_000 + b"1\n", "named"),
    "numbers without end": (b"x = " + b"9" * 100_000 + b"\n", "named"),
    "a sum without end": (b"x = 1" + b"+1" * 200_000 + b"\n", "named"),
    "a power that is folded": (b"x = " + b"(9**9)" * 1 + b"**9**9**9\n", "named"),
    "a string times a billion": (b"x = 'a' * 4000 * 4000 * 4000\n", "named"),
    "indented without end": (b"".join(b" " * one + b"if 1:\n" for one in range(120)) + b" " * 120 + b"x=1\n", "named"),
    "another coding": (b"# coding: rot13\ncevag(1)\n", "named"),
    "a coding that is none": (b"# coding: no-such-thing\nx = 1\n", "named"),
    "a package that is not there": (b"import numpy_of_nowhere\n", "named"),
    "a file of three million bytes": (b"#" * 3_000_000, "named"),
}


def register(must: str) -> Callable[[Make], Make]:
    def add(make: Make) -> Make:
        PACKAGES[make.__name__.replace("_", " ")] = (make, must)
        return make

    return add


def _spoiled_file(content: bytes) -> Make:
    def make(place: Path, lab: Lab) -> Path:
        (place / lab.file).write_bytes(content)
        return place / lab.file

    return make


PACKAGES |= {name: (_spoiled_file(content), must) for name, (content, must) in SPOILED.items()}


def _solution(lab: Lab) -> bytes:
    return (lab.folder / "solution.py").read_bytes()


def _file(place: Path, name: str, content: bytes) -> Path:
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(content)
    return place / name


def _zip(place: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(place / "anna.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return place / "anna.zip"


def _as(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


@register("all")
def a_byte_order_mark(place: Path, lab: Lab) -> Path:
    return _file(place, lab.file, b"\xef\xbb\xbf" + _solution(lab))


@register("all")
def lines_that_end_as_in_windows(place: Path, lab: Lab) -> Path:
    return _file(place, lab.file, _solution(lab).replace(b"\n", b"\r\n"))


@register("all")
def lines_that_end_as_on_an_old_mac(place: Path, lab: Lab) -> Path:
    return _file(place, lab.file, _solution(lab).replace(b"\n", b"\r"))


@register("named")
def a_folder_without_the_file(place: Path, lab: Lab) -> Path:
    return _file(place, "anna/notes.txt", lab.rubric.title.encode()).parent


@register("named")
def a_folder_under_the_name_of_the_file(place: Path, lab: Lab) -> Path:
    return _file(place, f"anna/{lab.file}/{lab.file}.txt", _solution(lab)).parent.parent


@register("named")
def a_link_to_the_solution(place: Path, lab: Lab) -> Path:
    (place / "anna").mkdir()
    (place / "anna" / lab.file).symlink_to(lab.folder / "solution.py")
    return place / "anna"


@register("named")
def a_link_without_an_end(place: Path, lab: Lab) -> Path:
    (place / "anna").mkdir()
    (place / "anna" / lab.file).symlink_to("/dev/zero")
    return place / "anna"


@register("named")
def a_pipe_without_a_writer(place: Path, lab: Lab) -> Path:
    (place / "anna").mkdir()
    os.mkfifo(place / "anna" / lab.file)
    return place / "anna"


@register("named")
def a_socket(place: Path, lab: Lab) -> Path:
    (place / "anna").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(place / "anna" / lab.file))
    return place / "anna"


@register("named")
def a_file_with_a_hole_of_a_terabyte(place: Path, lab: Lab) -> Path:
    path = _file(place, f"anna/{lab.file}", b"")
    os.truncate(path, 2**40)
    return path.parent


@register("all")
def folders_five_hundred_deep(place: Path, lab: Lab) -> Path:
    top = place / "anna"
    return _file(place, f"anna/{'d/' * 500}{lab.file}", _solution(lab)) and top


@register("named")
def a_zip_of_a_link(place: Path, lab: Lab) -> Path:
    return _zip(place, (_as(lab.file, stat.S_IFLNK | 0o777), str(lab.folder / "solution.py").encode()))


@register("named")
def a_zip_of_a_pipe(place: Path, lab: Lab) -> Path:
    return _zip(place, (_as(lab.file, stat.S_IFIFO | 0o666), _solution(lab)))


@register("named")
def a_zip_of_a_device(place: Path, lab: Lab) -> Path:
    return _zip(place, (_as(lab.file, stat.S_IFCHR | 0o666), _solution(lab)))


@register("named")
def a_zip_that_leads_out(place: Path, lab: Lab) -> Path:
    return _zip(place, (f"../../{lab.file}", _solution(lab)))


@register("named")
def a_zip_from_the_root(place: Path, lab: Lab) -> Path:
    return _zip(place, (f"/var/{lab.file}", _solution(lab)))


@register("named")
def a_zip_that_is_a_bomb(place: Path, lab: Lab) -> Path:
    return _zip(place, (lab.file, b"#" * 300_000_000))


@register("named")
def a_zip_that_lies_about_its_size(place: Path, lab: Lab) -> Path:
    path = _zip(place, (lab.file, b"#" * 50_000_000))
    data = path.read_bytes().replace(struct.pack("<I", 50_000_000), struct.pack("<I", 100))
    path.write_bytes(data)
    return path


@register("named")
def a_zip_of_many_files(place: Path, lab: Lab) -> Path:
    return _zip(place, (lab.file, b""), *((f"{one}.txt", b"") for one in range(66_000)))


@register("named")
def a_zip_in_a_zip_in_a_zip(place: Path, lab: Lab) -> Path:
    content, name = _solution(lab), lab.file
    for _ in range(20):
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w") as archive:
            archive.writestr(name, content)
        content, name = held.getvalue(), "inner.zip"
    return _zip(place, (name, content))


@register("named")
def a_zip_whose_members_overlap(place: Path, lab: Lab) -> Path:
    """Have many names for the same bytes, as the bomb of D. Fifield (WOOT 2019) has."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(b"#" * 10_000_000) + packer.flush()
    name = lab.file.encode()
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, 0, len(body), 10_000_000, len(name), 0) + name + body
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, 0, len(body), 10_000_000, len(name), *[0] * 6)
    listed = (entry + name) * 1000
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1000, 1000, len(listed), len(local), 0)
    (place / "anna.zip").write_bytes(local + listed + end)
    return place / "anna.zip"


@register("named")
def half_a_zip(place: Path, lab: Lab) -> Path:
    path = _zip(place, (lab.file, _solution(lab)))
    path.write_bytes(path.read_bytes()[:-40])
    return path


@register("named")
def a_notebook_of_brackets(place: Path, lab: Lab) -> Path:
    return _file(place, f"lab{lab.number}.ipynb", b'{"cells": ' + b"[" * 200_000)


@register("named")
def a_notebook_that_is_a_number(place: Path, lab: Lab) -> Path:
    return _file(place, f"lab{lab.number}.ipynb", b"9" * 100_000)
