"""Submitted files, in a folder or in an archive: listed and read within limits; links are not followed.

Names may be hostile, and entries may be links, or pipes that wait for a writer. Entries that are not plain files are
described in a sentence, and invisible characters in names are escaped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memlab.labs.learner.submission import NotHandedIn
from memlab.report.text import escape_invisible

MAX_ENTRIES = 20_000
"""Entries of one folder."""
MAX_DEPTH = 20
"""Levels of nested folders."""
_BREAKS = {ord(sign): f"\N{WHITE SQUARE}{ord(sign):04x}" for sign in "\t\n\r"}
_NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True)
class File:
    """A plain file: `path` is how it was submitted, `name` is its file name.

    `read(most)` returns its content. It raises NotHandedIn if that is more than `most` bytes, or cannot be read.
    """

    path: str
    name: str
    read: Callable[[int], bytes]


@dataclass(frozen=True)
class Rejected:
    """An entry that is not a plain file and is never read; `why` is the end of a sentence that says so."""

    path: str
    name: str
    why: str


@dataclass(frozen=True)
class Folder:
    """A folder. `list_entries` returns its entries, sorted by name, and raises NotHandedIn if it cannot be listed."""

    path: str
    name: str
    list_entries: Callable[[], Sequence[Node]]


Node = File | Rejected | Folder


def printable_name(name: str) -> str:
    """Return a name as one line, with invisible characters and line breaks escaped."""
    return escape_invisible(name).translate(_BREAKS)


def join_path(folder: str, name: str) -> str:
    """Join a folder's path and a name."""
    return f"{folder}/{name}" if folder else name


def open_folder(location: Path, path: str = "") -> Folder:
    """Return a folder on the disk; `path` is put before the paths in it."""
    return Folder(path, printable_name(location.name), lambda: _list_folder(location, path))


def open_file(location: Path, path: str) -> File:
    """Return a file on the disk."""
    return File(path, printable_name(location.name), lambda most: _read(location, path, most))


def walk(folder: Folder, enter: Callable[[Folder], bool], most: int) -> Iterator[File | Rejected]:
    """Yield the files in a folder and in those below it for which `enter` is true.

    Raises NotHandedIn for more than `most` entries, for folders nested too deeply, and for what cannot be listed.
    """
    ahead = [(folder, 0)]
    for one, depth in ahead:  # the list grows during the loop
        if depth > MAX_DEPTH:
            raise NotHandedIn(f"{one.path} is more than {MAX_DEPTH} folders deep. Put the lab's file at the top.")
        for node in one.list_entries():
            most -= 1
            if most < 0:
                raise NotHandedIn(f"{folder.path} holds too many files. Keep the lab's file and little else in it.")
            if not isinstance(node, Folder):
                yield node
            elif enter(node):
                ahead.append((node, depth + 1))


def _list_folder(location: Path, path: str) -> list[Node]:
    label = path or printable_name(location.name)
    try:
        with os.scandir(location) as found:
            entries = sorted(islice(found, MAX_ENTRIES + 1), key=lambda entry: os.fsencode(entry.name))
            nodes = [_node(Path(entry.path), path, entry.stat(follow_symlinks=False).st_mode) for entry in entries]
    except OSError as error:
        raise NotHandedIn(f"{label} cannot be listed ({error.strerror}). Check its permissions.") from None
    if len(nodes) > MAX_ENTRIES:
        raise NotHandedIn(f"{label} holds more than {MAX_ENTRIES:,} files. Divide them among folders.")
    return nodes


def _node(location: Path, folder: str, mode: int) -> Node:
    path = join_path(folder, printable_name(location.name))
    if stat.S_ISDIR(mode):
        return open_folder(location, path)
    if stat.S_ISREG(mode):
        return open_file(location, path)
    return Rejected(path, printable_name(location.name), describe_special_file(mode))


def describe_special_file(mode: int) -> str:
    """Return what a file is that is not a plain file, by its mode."""
    if stat.S_ISLNK(mode):
        return "is a link, and links are not followed. Submit the file itself"
    return "is a pipe, a socket or a device. Submit a plain file"


def _read(location: Path, path: str, most: int) -> bytes:
    try:
        with os.fdopen(os.open(location, os.O_RDONLY | _NO_LINK_NO_WAIT), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise NotHandedIn(f"{path} {describe_special_file(mode)}.")
            found = file.read(most + 1)
    except OSError as error:
        raise NotHandedIn(f"{path} cannot be read ({error.strerror}). Check its permissions.") from None
    if len(found) > most:
        raise too_large(path, most)
    return found


def too_large(path: str, most: int) -> NotHandedIn:
    """Return the error for a file that is too large."""
    return NotHandedIn(f"{path} has more than {most:,} bytes. Clear the outputs, or remove pasted text.")
