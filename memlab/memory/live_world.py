"""The real system as a World: read, and never run."""

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
"""In nanoseconds: no file system keeps the time of a change more coarsely."""
_NOT_OURS = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "build", "dist"})


@dataclass(frozen=True, slots=True)
class LiveWorld:
    """The real system, looked at and never run: a root, an environment, and the help of commands a person registered.

    `commands` maps a command to its flags, or to the text of its help; `by` says who wrote a file, for a root in which
    others than the user leave files (paths relative to the root, folders with all that is in them).
    """

    root: Path
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)  # it holds secrets
    commands: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)
    _defined_in: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def file(self, path: str) -> Lookup:
        """See World.file."""
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
        """See World.variable."""
        return Lookup("present") if self.env.get(name) else Lookup("absent")

    def flag(self, command: str, flag: str) -> Lookup:
        """See World.flag."""
        known = self.commands.get(command)
        if known is None:
            return Lookup("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", known) if isinstance(known, str) else known
        return Lookup("present") if flag in flags else Lookup("absent")

    def symbol(self, name: str) -> Lookup:
        """See World.symbol. Hidden folders, installed packages and links are not read."""
        sight = Lookup("unknown", reason="there are no source files to read")
        within = os.path.join(self.root, "")  # noqa: PTH118 - the prefix of every path in it
        last_time = [self._defined_in[name]] if name in self._defined_in else []
        for path in chain(last_time, _sources(str(self.root))):
            place, names = path.removeprefix(within), _names(path)
            if names is not None and defines_symbol(place, names, name):
                sight = Lookup("present", by=self._author(place))
                if rank(sight.by) > NOT_TRUSTED:
                    self._defined_in[name] = path
                    return sight
            elif names is not None and sight.presence == "unknown":
                sight = Lookup("absent")
        return sight

    def _leads_out(self, place: str) -> bool:
        """Tell whether a link on the way to a path leads out of the root. Raises OSError if nothing is there."""
        step = os.fspath(self.root)
        for part in place.split("/"):
            step = f"{step}/{part}"
            if stat.S_ISLNK(os.lstat(step).st_mode):  # most paths hold none, and each is asked at every recall
                root = self.root.resolve()
                return not (root / place).resolve(strict=True).is_relative_to(root)
        return False

    def _author(self, place: str) -> str:
        while place and self.by:
            if place in self.by:
                return self.by[place]
            place = posixpath.dirname(place)
        return "user"


def _sources(folder: str) -> Iterator[str]:
    """Yield the source files below a folder, in the order of their names."""
    try:
        folders, files = _listed(folder, *_stamp(folder))
    except OSError:
        return
    yield from files
    for inner in folders:
        yield from _sources(inner)


def _names(path: str) -> frozenset[str] | None:
    """Name what a source file defines; None if it cannot be read."""
    try:
        return _parsed(path, *_stamp(path))
    except OSError:
        return None


def _stamp(path: str) -> tuple[int, int]:
    """Give when a file or a folder has changed, and its size: it is read again when they are others.

    File systems keep the time of a change in ticks, within which a second change would not show: so what has changed
    just now has another stamp whenever it is asked.
    """
    status, now = os.stat(path), time.time_ns()  # noqa: PTH116 - asked of every source file; Path.stat takes twice as long
    return (status.st_mtime_ns if now - status.st_mtime_ns > TICK else now), status.st_size


@lru_cache(maxsize=4096)
def _listed(folder: str, changed: int, size: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List the folders, and the source files, that lie in a folder."""
    del changed, size
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: one.name)
    inner = [one for one in entries if one.is_dir(follow_symlinks=False)]
    folders = (one.path for one in inner if one.name not in _NOT_OURS and not one.name.startswith("."))
    files = (one.path for one in entries if one.is_file(follow_symlinks=False) and one.name.endswith(".py"))
    return tuple(folders), tuple(files)


@lru_cache(maxsize=4096)
def _parsed(path: str, changed: int, size: int) -> frozenset[str]:
    del changed, size
    return defined_symbols(Path(path).read_text(encoding="utf-8", errors="replace"))
