"""What reality can confirm: files, variables, the flags of registered commands, the symbols of source files."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, TypeVar

from memlab.memory.trust import NOT_TRUSTED, rank

Presence = Literal["present", "absent", "unknown"]
V = TypeVar("V")
normal_path = lru_cache(maxsize=4096)(posixpath.normpath)


class Lookup(NamedTuple):
    """What looking at one thing gave: is it there, who put it there, and why it cannot be told."""

    presence: Presence
    by: str = "user"
    reason: str = ""


class World(Protocol):
    """Four questions to reality; none of them runs or imports what it asks about."""

    def file(self, path: str) -> Lookup:
        """Look for a path, relative to the root. A link that leads out of the root is unknown."""

    def variable(self, name: str) -> Lookup:
        """Look for an environment variable. Set but empty is absent."""

    def flag(self, command: str, flag: str) -> Lookup:
        """Look for a flag (`--frozen`) in the registered help of a command; unregistered is unknown."""

    def symbol(self, name: str) -> Lookup:
        """Look for a function or class (`charge`, `billing.charge`) in the source files, those of the trusted first."""


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

    def file(self, path: str) -> Lookup:
        """See World.file."""
        place = normal_path(path)
        if place.startswith(("/", "..", "~")):
            return Lookup("unknown", reason=f"{path} lies outside the root")
        if place in self.links:
            return self._follow(place)
        if place == ".":
            return Lookup("present")
        if place in self.files:
            return Lookup("present", by=self.files[place][1])
        inside = [by for name, (_, by) in self.files.items() if name.startswith(place + "/")]
        return Lookup("present", by=max(inside, key=rank)) if inside else Lookup("absent")

    def _follow(self, place: str) -> Lookup:
        target, by = self.links[place]
        resolved = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        if resolved.startswith(("/", "..")):
            return Lookup("unknown", by=by, reason=f"{place} is a link that leads out of the root")
        return Lookup("present", by=by) if resolved in self.files else Lookup("absent")

    def variable(self, name: str) -> Lookup:
        """See World.variable."""
        value, by = self.env.get(name, ("", "user"))
        return Lookup("present", by=by) if value else Lookup("absent")

    def flag(self, command: str, flag: str) -> Lookup:
        """See World.flag."""
        if command not in self.commands:
            return Lookup("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags, by = self.commands[command]
        return Lookup("present", by=by) if flag in flags else Lookup("absent")

    def symbol(self, name: str) -> Lookup:
        """See World.symbol."""
        sight = Lookup("unknown", reason="there are no source files to read")
        for path, (source, by) in self.files.items():
            if path.endswith(".py"):
                if defines_symbol(path, symbols(source), name):
                    sight = Lookup("present", by=by)
                    if rank(by) > NOT_TRUSTED:
                        return sight
                elif sight.presence == "unknown":
                    sight = Lookup("absent")
        return sight


@lru_cache(maxsize=1024)
def symbols(source: str) -> frozenset[str]:
    """Name the functions and classes that a Python source defines; a source that does not parse has none."""
    return defined_symbols(source)


def defined_symbols(source: str) -> frozenset[str]:
    """Parse a Python source, without a cache, and return the names of its functions and classes."""
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


def defines_symbol(place: str, names: frozenset[str], name: str) -> bool:
    """Tell whether a source file defines a name; the part before its dot is a module or a class."""
    owner, _, last = name.rpartition(".")
    owner = owner.rpartition(".")[-1]
    return last in names and (not owner or owner in names or owner in place.removesuffix(".py").split("/"))
