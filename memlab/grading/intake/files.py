"""Files as they were handed in, in a folder or in an archive: listed within bounds, read within bounds, never followed.

Whatever stands in it may be hostile: a name, a link, a pipe that waits for a writer. So a tree tells what is no plain
file by a sentence, and the names in it are made visible before anyone prints them.
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

MOST = 20_000
"""Entries of one folder."""
DEEPEST = 20
"""Folders within folders."""
_BREAKS = {ord(sign): f"\N{WHITE SQUARE}{ord(sign):04x}" for sign in "\t\n\r"}
_NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True)
class File:
    """A plain file: `path` is how it was handed in, `name` what its student called it.

    `read` gives all of it. It raises NotHandedIn where that is more than so many bytes, or cannot be read.
    """

    path: str
    name: str
    read: Callable[[int], bytes]


@dataclass(frozen=True)
class Odd:
    """What stands where a file would, and is none: `why` tells it, as the end of a sentence."""

    path: str
    name: str
    why: str


@dataclass(frozen=True)
class Folder:
    """A folder: `inside` lists it, sorted by name. It raises NotHandedIn where it cannot."""

    path: str
    name: str
    inside: Callable[[], Sequence[Node]]


Node = File | Odd | Folder


def shown(name: str) -> str:
    """Make a name visible, line breaks and what is no text included: it stays one line, and means what it shows."""
    return escape_invisible(name).translate(_BREAKS)


def below(folder: str, name: str) -> str:
    """Join a path, as it is told."""
    return f"{folder}/{name}" if folder else name


def on_disk(place: Path, path: str = "") -> Folder:
    """Look at a folder on the disk; what lies in it is told with `path` in front."""
    return Folder(path, shown(place.name), lambda: _listed(place, path))


def file_on_disk(place: Path, path: str) -> File:
    """Look at a file on the disk."""
    return File(path, shown(place.name), lambda most: _read(place, path, most))


def walk(folder: Folder, enter: Callable[[Folder], bool], most: int) -> Iterator[File | Odd]:
    """Give what lies in a folder and in those below it that are to be entered, folder by folder.

    Raises NotHandedIn for more than `most` entries, for folders nested too deeply, and for what cannot be listed.
    """
    ahead = [(folder, 0)]
    for one, depth in ahead:  # it grows while it is read
        if depth > DEEPEST:
            raise NotHandedIn(f"{one.path} lies more than {DEEPEST} folders deep. Put the lab's file on top.")
        for node in one.inside():
            most -= 1
            if most < 0:
                raise NotHandedIn(f"{folder.path} holds too many files. Leave the lab's file in it, and little else.")
            if not isinstance(node, Folder):
                yield node
            elif enter(node):
                ahead.append((node, depth + 1))


def _listed(place: Path, path: str) -> list[Node]:
    told = path or shown(place.name)
    try:
        with os.scandir(place) as found:
            entries = sorted(islice(found, MOST + 1), key=lambda entry: os.fsencode(entry.name))
            nodes = [_node(Path(entry.path), path, entry.stat(follow_symlinks=False).st_mode) for entry in entries]
    except OSError as error:
        raise NotHandedIn(f"{told} cannot be listed ({error.strerror}). Look at who may read it.") from None
    if len(nodes) > MOST:
        raise NotHandedIn(f"{told} holds more than {MOST:,} files. Divide them among folders.")
    return nodes


def _node(place: Path, folder: str, mode: int) -> Node:
    path = below(folder, shown(place.name))
    if stat.S_ISDIR(mode):
        return on_disk(place, path)
    if stat.S_ISREG(mode):
        return file_on_disk(place, path)
    return Odd(path, shown(place.name), odd(mode))


def odd(mode: int) -> str:
    """Tell what a file is that is none, by its mode."""
    if stat.S_ISLNK(mode):
        return "is a link, and links are not followed. Hand in the file itself"
    return "is a pipe, a socket or a device. Hand in a plain file"


def _read(place: Path, path: str, most: int) -> bytes:
    try:
        with os.fdopen(os.open(place, os.O_RDONLY | _NO_LINK_NO_WAIT), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise NotHandedIn(f"{path} {odd(mode)}.")
            found = file.read(most + 1)
    except OSError as error:
        raise NotHandedIn(f"{path} cannot be read ({error.strerror}). Look at who may read it.") from None
    if len(found) > most:
        raise too_large(path, most)
    return found


def too_large(path: str, most: int) -> NotHandedIn:
    """Say that a file is too large."""
    return NotHandedIn(f"{path} has more than {most:,} bytes. Clear the outputs, or take out what is pasted in.")
