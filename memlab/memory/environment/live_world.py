"""The real system as a World: files are read, nothing is run."""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path

from memlab.memory.environment import tree
from memlab.memory.environment.targets import FILES, find_target
from memlab.memory.trust import rank
from memlab.memory.world import Lookup, defined_symbols, is_outside, look_up_symbol

_OTHER_LANGUAGE = re.compile(r"\.(?:[jt]sx?|go|rs|java|kt|cs|c|cpp|rb|php|swift)$")


@dataclass(frozen=True, slots=True)
class LiveWorld:
    """A World: a root folder, environment variables, and the help texts of registered commands.

    If `env` is given and not empty, a variable that it lacks is absent; otherwise one that is not set is unknown.
    `commands` maps a command to its flags or to its help text. `by` maps a path relative to the root to its author, if
    that is not the user; a folder's author applies to everything in it.
    """

    root: Path
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)  # it contains secrets
    commands: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)
    _defined_in: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def file(self, path: str) -> Lookup:
        place = posixpath.normpath(path)
        if is_outside(place) or "\0" in place:
            return Lookup("unknown", reason=f"{path} is outside the root")
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

    def anywhere(self, path: str, folders: Iterable[tree.Folder] = ()) -> Lookup:
        """See TreeWorld.anywhere. Links are not searched. `folders` are those of the tree if it was walked already."""
        place, root = posixpath.normpath(path), str(self.root)
        try:
            found = max(map(self._author, tree.ending_in(folders or tree.walk(root), place)), key=rank, default=None)
            if found:
                return Lookup("present", by=found)
            if tree.SKIPPED_FOLDERS.intersection(place.split("/")) or tree.is_ignored(
                root, folders or tree.walk(root), place
            ):
                return Lookup("unknown", reason=f"{path} is generated or ignored by git")
        except tree.TreeTooLargeError:
            return Lookup("unknown", reason=f"the root has more than {tree.MOST_PATHS} paths")
        return Lookup("absent")

    def target(self, runner: str, name: str) -> Lookup:
        """See TreeWorld.target."""
        for file in FILES[runner]:
            found = self.file(file)
            try:
                text = (self.root / file).read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            return find_target(runner, name, text)._replace(by=found.by) if found.presence == "present" else found
        return Lookup("unknown", reason=f"there is no {FILES[runner][-1]}")

    def variable(self, name: str) -> Lookup:
        """See World.variable. An unset variable is absent only if `env` was given and is not empty, else unknown."""
        if self.env.get(name):
            return Lookup("present")
        given = self.env and self.env is not os.environ
        return Lookup("absent") if given else Lookup("unknown", reason=f"{name} is not set here")

    def flag(self, command: str, flag: str) -> Lookup:
        known = self.commands.get(command)
        if known is None:
            return Lookup("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", known) if isinstance(known, str) else known
        return Lookup("present") if flag in flags else Lookup("absent")

    def symbol(self, name: str) -> Lookup:
        """See World.symbol. Hidden folders, installed packages and links are not read."""
        last_time = [self._defined_in[name]] if name in self._defined_in else []
        lookup, defined_in = look_up_symbol(name, self._parsed(chain(last_time, self._sources())))
        if defined_in:
            self._defined_in[name] = defined_in
        return lookup

    def _parsed(self, places: Iterable[str]) -> Iterator[tuple[str, frozenset[str], str]]:
        for place in places:
            path = f"{self.root}/{place}"
            with suppress(OSError):
                yield place, _parse(path, *tree.cache_key(path)), self._author(place)

    def _sources(self) -> Iterator[str]:
        """Yield the Python files; none if sources of other languages outnumber them, or the tree is too large."""
        with suppress(tree.TreeTooLargeError):
            folders = [one for one in tree.walk(str(self.root)) if "/." not in f"/{one.place}"]
            python = [one.place + name for one in folders for name in one.files if name.endswith(".py")]
            others = sum(bool(_OTHER_LANGUAGE.search(name)) for one in folders for name in one.files)
            if len(python) >= others:
                yield from python

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


@lru_cache(maxsize=4096)
def _parse(path: str, changed: int, size: int) -> frozenset[str]:
    del changed, size
    return defined_symbols(Path(path).read_text(encoding="utf-8", errors="replace"))
