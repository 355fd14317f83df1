"""What reality can confirm: files, variables, the flags of registered commands, the symbols of source files."""

from __future__ import annotations

import ast
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol, TypeVar

Presence = Literal["present", "absent", "unknown"]
V = TypeVar("V")
_NOT_OURS = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "build", "dist"})


@dataclass(frozen=True, slots=True)
class Sight:
    """What looking at one thing gave: is it there, who put it there, and why it cannot be told."""

    presence: Presence
    by: str = "user"
    reason: str = ""


class World(Protocol):
    """Four questions to reality; none of them runs or imports what it asks about."""

    def file(self, path: str) -> Sight:
        """Look for a path, relative to the root. A link that leads out of the root is unknown."""

    def variable(self, name: str) -> Sight:
        """Look for an environment variable. Set but empty is absent."""

    def flag(self, command: str, flag: str) -> Sight:
        """Look for a flag (`--frozen`) in the registered help of a command; unregistered is unknown."""

    def symbol(self, name: str) -> Sight:
        """Look for a function or class (`charge`, `billing.charge`) in the source files."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one actor does to a world; None takes a thing away. A whole world is a change to nothing."""

    actor: str = "user"
    files: Mapping[str, str | None] = field(default_factory=dict)
    env: Mapping[str, str | None] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    links: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(slots=True)
class ScriptedWorld:
    """A world given as data. Every dictionary holds (value, actor)."""

    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    env: dict[str, tuple[str, str]] = field(default_factory=dict)
    commands: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    links: dict[str, tuple[str, str]] = field(default_factory=dict)

    def change(self, change: Change) -> None:
        """Apply one change; a thing set to None is gone."""
        _apply(self.files, change.files, change.actor)
        _apply(self.env, change.env, change.actor)
        _apply(self.commands, change.commands, change.actor)
        _apply(self.links, change.links, change.actor)

    def file(self, path: str) -> Sight:
        """See World.file."""
        place = posixpath.normpath(path)
        if place.startswith(("/", "..", "~")):
            return Sight("unknown", reason=f"{path} lies outside the root")
        if place in self.links:
            return self._follow(place)
        if place in self.files:
            return Sight("present", by=self.files[place][1])
        inside = [by for name, (_, by) in self.files.items() if name.startswith(place + "/")]
        return Sight("present", by=inside[0]) if inside else Sight("absent")

    def _follow(self, place: str) -> Sight:
        target, by = self.links[place]
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        if resolved.startswith(("/", "..")):
            return Sight("unknown", by=by, reason=f"{place} is a link that leads out of the root")
        return Sight("present", by=by) if resolved in self.files else Sight("absent")

    def variable(self, name: str) -> Sight:
        """See World.variable."""
        value, by = self.env.get(name, ("", "user"))
        return Sight("present", by=by) if value else Sight("absent")

    def flag(self, command: str, flag: str) -> Sight:
        """See World.flag."""
        if command not in self.commands:
            return Sight("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags, by = self.commands[command]
        return Sight("present", by=by) if flag in flags else Sight("absent")

    def symbol(self, name: str) -> Sight:
        """See World.symbol."""
        sources = [(path, source, by) for path, (source, by) in self.files.items() if path.endswith(".py")]
        return _seen(name, sources)


@lru_cache(maxsize=1024)
def symbols(source: str) -> frozenset[str]:
    """Name the functions and classes that a Python source defines; a source that does not parse has none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def _apply(stock: dict[str, tuple[V, str]], changes: Mapping[str, V | None], actor: str) -> None:
    for name, value in changes.items():
        if value is None:
            stock.pop(name, None)
        else:
            stock[name] = (value, actor)


def _seen(name: str, sources: Iterable[tuple[str, str, str]]) -> Sight:
    """Look for a name in (path, source, actor) of source files; the part before its dot is a module or a class."""
    owner, _, last = name.rpartition(".")
    owner = owner.rpartition(".")[-1]
    sight = Sight("unknown", reason="there are no source files to read")
    for path, source, by in sources:
        names = symbols(source)
        if last in names and (not owner or owner in names or owner in path.removesuffix(".py").split("/")):
            return Sight("present", by=by)
        sight = Sight("absent")
    return sight


@dataclass(frozen=True, slots=True)
class LiveWorld:
    """The real system, looked at and never run: a root, an environment, and the help of commands a person registered.

    `commands` maps a command to its flags, or to the text of its help; `by` says who wrote a file, for a root in which
    others than the user leave files (paths relative to the root, folders with all that is in them).
    """

    root: Path
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    commands: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    by: Mapping[str, str] = field(default_factory=dict)

    def file(self, path: str) -> Sight:
        """See World.file."""
        place = posixpath.normpath(path)
        if place.startswith(("/", "..", "~")) or "\0" in place:
            return Sight("unknown", reason=f"{path} lies outside the root")
        root = self.root.resolve()
        try:
            found = (root / place).resolve(strict=True)
        except (FileNotFoundError, NotADirectoryError):
            return Sight("absent")
        except (OSError, RuntimeError) as error:
            return Sight("unknown", reason=f"{path} cannot be looked at: {error}")
        if not found.is_relative_to(root):
            return Sight("unknown", by=self._author(place), reason=f"{place} is a link that leads out of the root")
        return Sight("present", by=self._author(place))

    def variable(self, name: str) -> Sight:
        """See World.variable."""
        return Sight("present") if self.env.get(name) else Sight("absent")

    def flag(self, command: str, flag: str) -> Sight:
        """See World.flag."""
        known = self.commands.get(command)
        if known is None:
            return Sight("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags = re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", known) if isinstance(known, str) else known
        return Sight("present") if flag in flags else Sight("absent")

    def symbol(self, name: str) -> Sight:
        """See World.symbol. Hidden folders and installed packages are not read."""
        return _seen(name, self._sources())

    def _sources(self) -> Iterator[tuple[str, str, str]]:
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(one for one in folders if one not in _NOT_OURS and not one.startswith("."))
            for file in sorted(files):
                if file.endswith(".py"):
                    path = Path(folder, file)
                    place = path.relative_to(self.root).as_posix()
                    yield place, path.read_text(encoding="utf-8", errors="replace"), self._author(place)

    def _author(self, place: str) -> str:
        while place:
            if place in self.by:
                return self.by[place]
            place = posixpath.dirname(place)
        return "user"
