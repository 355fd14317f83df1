"""The real system as a World: files are read, nothing is run."""

from __future__ import annotations

import os
import posixpath
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path

from memlab.memory.trust import NOT_TRUSTED, rank
from memlab.memory.world import Lookup, defined_symbols, defines_symbol, normal_path

TICK = 2_000_000_000
"""Nanoseconds: no file system stores modification times more coarsely."""
_SKIPPED_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "build", "dist"})


@dataclass(frozen=True, slots=True)
class LiveWorld:
    """A World: a root folder, environment variables, and the help texts of registered commands.

    `commands` maps a command to its flags or to its help text. `by` maps a path relative to the root to its author, if
    that is not the user; a folder's author applies to everything in it.
    """

    root: Path
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)  # it contains secrets
    commands: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)
    _defined_in: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def file(self, path: str) -> Lookup:
        place = normal_path(path)
        if place.startswith(("/", "..", "~")) or "\0" in place:
            return Lookup("unknown", reason=f"{path} lies outside the root")
        try:
            leads_out = self._leads_out(place)
        except (FileNotFoundError, NotADirectoryError):
            there = self.root.is_dir()
            return Lookup("absent") if there else Lookup("unknown", reason=f"the root {self.root} is no folder")
        except (OSError, RuntimeError) as error:
            return Lookup("unknown", reason=f"{path} cannot be looked at: {error}")
        if leads_out:
            return Lookup("unknown", by=self._author(place), reason=f"{place} is a link that leads out of the root")
        return Lookup("present", by=self._author(place))

    def variable(self, name: str) -> Lookup:
        return Lookup("present") if self.env.get(name) else Lookup("absent")

    def flag(self, command: str, flag: str) -> Lookup:
        known = self.commands.get(command)
        if known is None:
            return Lookup("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", known) if isinstance(known, str) else known
        return Lookup("present") if flag in flags else Lookup("absent")

    def symbol(self, name: str) -> Lookup:
        """See World.symbol. Hidden folders, installed packages and links are not read."""
        lookup = Lookup("unknown", reason="there are no source files to read")
        within = os.path.join(self.root, "")  # noqa: PTH118 - the prefix of every path in it
        last_time = [self._defined_in[name]] if name in self._defined_in else []
        for path in chain(last_time, _source_files(str(self.root))):
            place = path.removeprefix(within)
            try:
                names = _parse(path, *_stamp(path))
            except OSError:
                continue
            if defines_symbol(place, names, name):
                lookup = Lookup("present", by=self._author(place))
                if rank(lookup.by) > NOT_TRUSTED:
                    self._defined_in[name] = path
                    return lookup
            elif lookup.presence == "unknown":
                lookup = Lookup("absent")
        return lookup

    def _leads_out(self, place: str) -> bool:
        """Return whether a link on the path leads out of the root. Raises OSError if nothing exists there."""
        step = os.fspath(self.root)
        for part in place.split("/"):
            step = f"{step}/{part}"
            if stat.S_ISLNK(os.lstat(step).st_mode):  # most paths have no link, and this runs at every recall
                root = self.root.resolve()
                return not (root / place).resolve(strict=True).is_relative_to(root)
        return False

    def _author(self, place: str) -> str:
        while place and self.by:
            if place in self.by:
                return self.by[place]
            place = posixpath.dirname(place)
        return "user"


def _source_files(folder: str) -> Iterator[str]:
    """Yield the source files below a folder, sorted by name."""
    try:
        folders, files = _scan(folder, *_stamp(folder))
    except OSError:
        return
    yield from files
    for inner in folders:
        yield from _source_files(inner)


def _stamp(path: str) -> tuple[int, int]:
    """Return modification time and size: a cache key for a file or folder.

    Modification times are coarse, so a second change within one tick would not show. A file that changed less than a
    tick ago therefore gets a new stamp at every call.
    """
    status, now = os.stat(path), time.time_ns()  # noqa: PTH116 - called for every source file; Path.stat takes twice as long
    return (status.st_mtime_ns if now - status.st_mtime_ns > TICK else now), status.st_size


@lru_cache(maxsize=4096)
def _scan(folder: str, changed: int, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the subfolders and the source files of a folder."""
    del changed, size
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: one.name)
    inner = [one for one in entries if one.is_dir(follow_symlinks=False)]
    folders = (one.path for one in inner if one.name not in _SKIPPED_FOLDERS and not one.name.startswith("."))
    files = (one.path for one in entries if one.is_file(follow_symlinks=False) and one.name.endswith(".py"))
    return tuple(folders), tuple(files)


@lru_cache(maxsize=4096)
def _parse(path: str, changed: int, size: int) -> frozenset[str]:
    del changed, size
    return defined_symbols(Path(path).read_text(encoding="utf-8", errors="replace"))
