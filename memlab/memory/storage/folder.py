"""Folders and files: read in any encoding, made and replaced durably, and not left through a link."""

from __future__ import annotations

import codecs
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memlab.memory.text import Refused, from_bytes


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; the new names are on the disk when this returns."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Write the names of a folder's files to the disk: a file whose name is lost is lost."""
    if not hasattr(os, "O_DIRECTORY"):  # such a system does so by itself
        return
    with suppress(PermissionError):  # a folder that may not be listed, as those above the memory's may be
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def file_state(path: Path) -> tuple[int, ...]:
    """Return (inode, size, modification time) of a file, which differ after a change; () if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return ()
    return status.st_ino, status.st_size, status.st_mtime_ns  # a rewritten file may get the same inode


def read_text(path: Path) -> str:
    """Return the text of a file, "" if there is none; see decode()."""
    return decode(path.read_bytes()) if path.exists() else ""


def decode(data: bytes) -> str:
    """Decode a file: UTF-16 if it begins like it, else UTF-8, else Latin-1, which old editors write.

    UTF-16 begins with a byte order mark, or with an ASCII character, of which one byte is zero.
    """
    little, big = (codecs.BOM_UTF16_LE, data[1:2], "utf-16-le"), (codecs.BOM_UTF16_BE, data[:1], "utf-16-be")
    for mark, zero, encoding in (little, big):
        if (data.startswith(mark) or zero == b"\0") and not len(data) % 2:
            return data.removeprefix(mark).decode(encoding, "surrogatepass")
    try:
        return from_bytes(data).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def replace_file(path: Path, lines: Iterable[bytes]) -> None:
    """Replace a file atomically and durably: no reader sees half of it, and the new one is on the disk at the end.

    A symbolic link stays, and its target is replaced. Raises OSError, which names the file and the next step; the file
    is then unchanged.
    """
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f".{target.name}.new")
    try:
        make_folder(target.parent)
        fresh.unlink(missing_ok=True)
        with fresh.open("xb") as file:  # whatever is there is not written through
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, fresh)
        fresh.replace(target)
    except OSError as error:
        advice = "the file is unchanged; free space or make the folder writable, then try again"
        raise with_advice(error, path, advice) from error
    finally:
        with suppress(OSError):
            fresh.unlink()
    sync_folder(target.parent)


def with_advice(error: OSError, path: Path, advice: str) -> OSError:
    """Return a copy of an error that names the file and what to do."""
    return OSError(error.errno, f"{error.strerror}; {advice}", str(path))


def require_inside(path: Path, folder: Path) -> None:
    """Raise Refused if a link leads from a path to a place outside a folder."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    if os.path.commonpath([real, root]) != root:
        raise Refused(
            f"{path} leads to {real}, outside {folder}, where nothing is written or deleted; "
            "replace the link, or allow it with MemoryMix(links=True)"
        )
