"""A zip as a folder: its directory is read within limits, a member only when asked for; nothing is unpacked to disk.

Python's zipfile rejects a whole archive for one odd name, creates an object for each entry before they can be counted,
and accepts methods whose memory use the file chooses. A class is one archive, and one student's odd file must not
affect the others. So this module reads the few records that matter (PKWARE, APPNOTE.TXT 6.3.10; its sections are named
below) and describes everything else in a sentence.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from memlab.grading.intake.files import (
    MAX_DEPTH,
    File,
    Folder,
    Node,
    Rejected,
    describe_special_file,
    join_path,
    printable_name,
    too_large,
)
from memlab.labs.learner.submission import NotHandedIn

MAX_MEMBERS = 65_000
MAX_DIRECTORY_BYTES = 20_000_000
"""Bytes of the list of members."""
LONGEST_NAME = 1_000
"""Bytes of a member's path."""
LOCAL = struct.Struct("<4s5H3I2H")
"""4.3.7: signature, version, flags, method, time, date, crc, packed, size, length of name, length of extra."""
ENTRY = struct.Struct("<4s6H3I5H2I")
"""4.3.12: the same with the system in front; then comment, disk, two attributes, and where the local record is."""
END = struct.Struct("<4s4H2IH")
"""4.3.16: signature, this disk, first disk, members here, members, size and offset of the directory, comment."""
LONGEST_COMMENT = 0xFFFF
WIDE = 0xFFFFFFFF
"""4.4.8: the placeholder for a number that does not fit."""
ENCRYPTED, UTF8 = 1 << 0, 1 << 11
"""4.4.4: the flags of an encrypted member, and of a name in UTF-8."""
STORED, DEFLATED = 0, 8
OUTWARD = re.compile(r"\.{0,2}|[A-Za-z]:.*")
UNPACK_FIRST = "Unpack it, and submit or grade the folder"


@dataclass(frozen=True)
class Member:
    """A member as the directory describes it; sizes are in bytes, `offset` is where its local record begins."""

    raw: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    offset: int

    @property
    def end(self) -> int:
        """The earliest byte at which it can end."""
        return self.offset + LOCAL.size + len(self.raw) + self.packed

    @property
    def path(self) -> str:
        """Its path. Without the flag the format says code page 437, but most writers use UTF-8."""
        raw = self.raw.replace(b"\\", b"/")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("utf-8", "surrogateescape") if self.flags & UTF8 else raw.decode("cp437")


@dataclass
class _Branch:
    folders: dict[str, _Branch] = field(default_factory=dict)
    leaves: list[File | Rejected] = field(default_factory=list)


def open_zip(file: BinaryIO, path: str, name: str) -> Folder:
    """Return an archive as a folder; `path` is put before the paths in it. The file must stay open while it is read.

    Raises NotHandedIn if it is not a readable archive.
    """
    members = list(_read_members(file, path or name))
    top = _Branch()
    overlapping = _find_overlaps(members)
    for member in members:
        _add_member(top, file, member, path, overlaps=member.offset in overlapping)
    return _to_folder(top, path, name)


def _read_members(file: BinaryIO, path: str) -> Iterator[Member]:
    directory, count = _read_directory(file, path)
    at = 0
    for _ in range(count):
        if len(directory) - at < ENTRY.size:
            raise _damaged(path)
        (sign, _, _, flags, method, _, _, crc, packed, size, name, extra, comment, _, _, attributes, offset) = (
            ENTRY.unpack_from(directory, at)
        )
        raw = directory[at + ENTRY.size : at + ENTRY.size + name]
        at += ENTRY.size + name + extra + comment
        member = Member(raw, flags, method, crc, packed, size, attributes >> 16, offset)
        if sign != b"PK\1\2" or at > len(directory):
            raise _damaged(path)
        yield member
    if at != len(directory):
        raise _damaged(path)


def _read_directory(file: BinaryIO, path: str) -> tuple[bytes, int]:
    """Return the list of members as bytes, and their number."""
    length = file.seek(0, io.SEEK_END)
    start = max(0, length - END.size - LONGEST_COMMENT)
    file.seek(start)
    tail = file.read(END.size + LONGEST_COMMENT)
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < END.size:
        raise NotHandedIn(
            f"{path} is not a zip file, or only a part of one. Create it again, or submit the file itself."
        )
    _, disk, first, here, count, size, offset, comment = END.unpack_from(tail, at)
    if count > MAX_MEMBERS or size > MAX_DIRECTORY_BYTES:
        raise NotHandedIn(f"{path} has more than {MAX_MEMBERS:,} members, or is larger than 4 GB. {UNPACK_FIRST}.")
    if disk or first or here != count or offset + size != start + at or comment != len(tail) - at - END.size:
        raise _damaged(path)
    file.seek(offset)
    return file.read(size), count


def _find_overlaps(members: list[Member]) -> set[int]:
    """Return the offsets of members that share bytes, as in a bomb of overlapping files (D. Fifield, WOOT 2019)."""
    found: set[int] = set()
    last: Member | None = None
    for one in sorted(members, key=lambda member: member.offset):
        if last and one.offset < last.end:
            found |= {last.offset, one.offset}
        if last is None or one.end > last.end:
            last = one
    return found


def _add_member(top: _Branch, file: BinaryIO, member: Member, archive: str, *, overlaps: bool) -> None:
    """Add a member to its folder; a path that leads out of the archive stays at its first folder."""
    written = member.path[:LONGEST_NAME]
    *folders, name = written.removesuffix("/").split("/")
    path, name = join_path(archive, printable_name(written.removesuffix("/"))), printable_name(name)
    problem = _find_problem(member, [*folders, name], overlaps=overlaps)
    level = top
    for folder in [one for one in folders[:1] if not _is_outward(one)] if problem else folders:
        level = level.folders.setdefault(folder, _Branch())
    if problem:
        level.leaves.append(Rejected(path, name, problem))
    elif written.endswith("/"):
        level.folders.setdefault(name, _Branch())
    else:
        level.leaves.append(File(path, name, lambda most: _read(file, member, path, most)))


def _find_problem(member: Member, parts: list[str], *, overlaps: bool) -> str:
    """Return what is wrong with a member; "" if nothing is."""
    kind = stat.S_IFMT(member.mode)
    if len(member.raw) > LONGEST_NAME or len(parts) > MAX_DEPTH:
        return "has a path that is too long. Put the lab's file at the top"
    if any(map(_is_outward, parts)):
        return "leads out of the archive. Create a new zip of the folder"
    if WIDE in {member.size, member.packed, member.offset}:
        return f"is larger than 4 GB, or claims to be. {UNPACK_FIRST}"
    if kind and kind not in {stat.S_IFREG, stat.S_IFDIR}:
        return describe_special_file(member.mode)
    return "shares its bytes with another member. Create a new zip of the folder" if overlaps else ""


def _is_outward(part: str) -> bool:
    """Return whether a part of a path is not a name: empty, a dot, two dots, a drive."""
    return OUTWARD.fullmatch(part) is not None


def _to_folder(level: _Branch, path: str, name: str) -> Folder:
    folders = [
        _to_folder(one, join_path(path, printable_name(part)), printable_name(part))
        for part, one in level.folders.items()
    ]
    inside: list[Node] = sorted([*folders, *level.leaves], key=lambda node: node.path)
    return Folder(path, name, lambda: inside)


def _read(file: BinaryIO, member: Member, path: str, most: int) -> bytes:
    """Unpack one member. The declared size is not trusted: reading stops at `most` bytes."""
    if member.flags & ENCRYPTED:
        raise NotHandedIn(f"{path} is encrypted. Create the archive without a password.")
    if member.method not in {STORED, DEFLATED}:
        raise NotHandedIn(f"{path} uses compression method {member.method}, expected 0 or 8. Create a plain zip file.")
    if max(member.size, member.packed) > most:
        raise too_large(path, most)
    file.seek(member.offset)
    head = file.read(LOCAL.size)
    if len(head) < LOCAL.size or not head.startswith(b"PK\3\4"):
        raise _damaged(path)
    *_, name, extra = LOCAL.unpack(head)
    if file.read(name) != member.raw:
        raise _damaged(path)
    file.seek(extra, io.SEEK_CUR)
    found = _unpack(file.read(member.packed), member.method, most)
    if found is not None and len(found) > most:
        raise too_large(path, most)
    if found is None or len(found) != member.size or zlib.crc32(found) != member.crc:
        raise _damaged(path)
    return found


def _unpack(packed: bytes, method: int, most: int) -> bytes | None:
    """Return at most one byte more than `most`; None if the data cannot be unpacked."""
    if method == STORED:
        return packed
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most + 1)
    except zlib.error:
        return None


def _damaged(path: str) -> NotHandedIn:
    return NotHandedIn(f"{path} is damaged or not a valid zip file. Create it again, or submit the file itself.")
