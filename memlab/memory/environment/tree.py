"""Searches the tree below a root folder for paths that end in a given path, and for .gitignore patterns."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

TICK = 2_000_000_000
"""Nanoseconds: no file system stores modification times more coarsely."""
MOST_PATHS = 100_000
"""A larger tree is not searched to its end."""
MOST_STARS = 4
"""A pattern of .gitignore with more stars is left out, because matching it could take very long."""
SKIPPED_FOLDERS = frozenset({".git", "node_modules", "site-packages", "__pycache__", "venv", ".venv", "build", "dist"})
"""Folders of generated and installed files: they are not searched."""


class TreeTooLargeError(Exception):
    """The tree has more than MOST_PATHS paths."""


class Folder(NamedTuple):
    """A folder: its path relative to the root ("" or "a/b/"), its subfolders and its files, sorted by name."""

    place: str
    folders: tuple[str, ...]
    files: tuple[str, ...]


def walk(root: str) -> Iterator[Folder]:
    """Yield the root and the folders below it, without links and SKIPPED_FOLDERS. Raises TreeTooLargeError."""
    waiting, seen = [""], 0
    while waiting:
        place = waiting.pop()
        try:
            folders, files = _scan(root + "/" + place, *cache_key(root + "/" + place))
        except OSError:
            continue
        seen += len(folders) + len(files)
        if seen > MOST_PATHS:
            raise TreeTooLargeError
        yield Folder(place, folders, files)
        waiting += [f"{place}{name}/" for name in reversed(folders) if name not in SKIPPED_FOLDERS]


def ending_in(folders: Iterable[Folder], path: str) -> Iterator[str]:
    """Yield the paths of a tree whose last names are those of a path.

    "_test.go" also matches the name a_test.go. `folders` come from `walk`.
    """
    above, _, last = path.rpartition("/")
    partial = last.startswith("_") or re.match(r"\.[^.]+\.", last)
    for place, inner, files in folders:
        if not above or f"/{place}".endswith(f"/{above}/"):
            if partial:
                yield from (place + name for name in (*inner, *files) if name.endswith(last))
            elif last in files or last in inner:
                yield place + last


def is_ignored(root: str, folders: Iterable[Folder], path: str) -> bool:
    """Return whether a pattern of a .gitignore file in the tree matches a path, or a part of it, at any depth."""
    for place, _, names in folders:
        if ".gitignore" in names:
            file, inner = f"{root}/{place}.gitignore", f"/{path.removeprefix(place)}/"
            with suppress(OSError):
                denials = [denied for pattern, denied in _patterns(file) if pattern.search(inner)]
                if denials and not denials[-1]:
                    return True
    return False


def _patterns(file: str) -> Iterator[tuple[re.Pattern[str], bool]]:
    """Yield the patterns of a .gitignore file, each with whether "!" negates it; without those that match all."""
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines() if not line.startswith("#") and re.search(r"\w", line)]
    for line in lines:
        if line.count("*") <= MOST_STARS:  # brackets are literal
            body = re.escape(line.removeprefix("!").strip("/"))
            body = body.replace(r"\*\*", ".*").replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
            yield re.compile(f"/{body}/"), line.startswith("!")


def cache_key(path: str) -> tuple[int, int]:
    """Return modification time and size: a cache key for a file or folder.

    Modification times are coarse, so a second change within one tick would not show. A file that changed less than a
    tick ago therefore gets a new key at every call.
    """
    status, now = os.stat(path), time.time_ns()  # noqa: PTH116 - called for every folder; Path.stat takes twice as long
    return (status.st_mtime_ns if now - status.st_mtime_ns > TICK else now), status.st_size


@lru_cache(maxsize=32_768)
def _scan(folder: str, changed: int, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the subfolders and files of a folder."""
    del changed, size
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: one.name)
    folders = (one.name for one in entries if one.is_dir(follow_symlinks=False))
    return tuple(folders), tuple(one.name for one in entries if one.is_file(follow_symlinks=False))
