"""The environment that claims are checked against: files, variables, command flags, symbols and targets."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from memlab.memory.trust import NOT_TRUSTED, rank


class Lookup(NamedTuple):
    """The result of one lookup: whether the thing exists, who put it there, and why if that is unknown."""

    presence: Literal["present", "absent", "unknown"]
    by: str = "user"
    reason: str = ""


@runtime_checkable
class World(Protocol):
    """Four lookups in the environment; none runs or imports anything."""

    def file(self, path: str) -> Lookup:
        """Look up a path relative to the root. A link that leads out of the root is unknown."""

    def variable(self, name: str) -> Lookup:
        """Look up an environment variable. An empty one is absent."""

    def flag(self, command: str, flag: str) -> Lookup:
        """Look up a flag (`--frozen`) in the registered help of a command; without help it is unknown."""

    def symbol(self, name: str) -> Lookup:
        """Look up a function or class (`charge`, `billing.charge`) in source files, preferring trusted authors."""


@runtime_checkable
class TreeWorld(World, Protocol):
    """A World with two more lookups, which are optional."""

    def anywhere(self, path: str) -> Lookup:
        """Look up a path in the folders below the root; unknown if git ignores it."""

    def target(self, runner: str, name: str) -> Lookup:
        """Look up a target of `make`, `just` or `task`, or a script of package.json, in its file at the root."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a world by one actor; None removes a thing. A complete world is a change to an empty one."""

    actor: str = "user"
    files: Mapping[str, str | None] = field(default_factory=dict)
    env: Mapping[str, str | None] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    links: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(slots=True)
class ScriptedWorld:
    """A world given as data. Every dictionary maps a name to (value, actor)."""

    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    env: dict[str, tuple[str, str]] = field(default_factory=dict)
    commands: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    links: dict[str, tuple[str, str]] = field(default_factory=dict)

    def change(self, change: Change) -> None:
        """Apply one change; None removes a thing."""
        for kind in ("files", "env", "commands", "links"):
            things = getattr(self, kind)
            for name, value in getattr(change, kind).items():
                if value is None:
                    things.pop(name, None)
                else:
                    things[name] = value, change.actor

    def file(self, path: str) -> Lookup:
        place = posixpath.normpath(path)
        if is_outside(place):
            return Lookup("unknown", reason=f"{path} is outside the root")
        for link, (target, by) in self.links.items():
            if f"{place}/".startswith(f"{link}/"):
                resolved = posixpath.normpath(posixpath.join(posixpath.dirname(link), target, place[len(link) + 1 :]))
                if is_outside(resolved):
                    return Lookup("unknown", by=by, reason=f"{link} is a link that leads out of the root")
                found = self._find(resolved)
                return found._replace(by=by) if found.presence == "present" else found
        return self._find(place)

    def _find(self, place: str) -> Lookup:
        if place == ".":
            return Lookup("present")
        if place in self.files:
            return Lookup("present", by=self.files[place][1])
        inside = [by for name, (_, by) in self.files.items() if name.startswith(place + "/")]
        return Lookup("present", by=max(inside, key=rank)) if inside else Lookup("absent")

    def variable(self, name: str) -> Lookup:
        value, by = self.env.get(name, ("", "user"))
        return Lookup("present", by=by) if value else Lookup("absent")

    def flag(self, command: str, flag: str) -> Lookup:
        if command not in self.commands:
            return Lookup("unknown", reason=f"the help of {command or 'the command'} is not registered")
        flags, by = self.commands[command]
        return Lookup("present", by=by) if flag in flags else Lookup("absent")

    def symbol(self, name: str) -> Lookup:
        files = ((path, symbols(text), by) for path, (text, by) in self.files.items() if path.endswith(".py"))
        return look_up_symbol(name, files)[0]


def is_outside(place: str) -> bool:
    """Return whether a normalised path is absolute, or leads out of the folder that it is relative to."""
    return place == ".." or place.startswith(("/", "../", "~"))


def defined_symbols(source: str) -> frozenset[str]:
    """Return the names of functions and classes in a Python source; none if it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


symbols = lru_cache(maxsize=1024)(defined_symbols)


def look_up_symbol(name: str, sources: Iterable[tuple[str, frozenset[str], str]]) -> tuple[Lookup, str]:
    """Look up a function or class in source files (path, defined names, author); return the path that defines it too.

    The part before a dot is a module or a class. Reading stops at the first file of a trusted author
    that defines it.
    """
    owner, _, last = name.rpartition(".")
    owner = owner.rpartition(".")[-1]
    lookup, defined_in = Lookup("unknown", reason="no source file that can be read defines anything"), ""
    for path, names, by in sources:
        if last in names and (not owner or owner in names or owner in path.removesuffix(".py").split("/")):
            lookup, defined_in = Lookup("present", by=by), path
            if rank(by) > NOT_TRUSTED:
                break
        elif names and lookup.presence == "unknown":
            lookup = Lookup("absent")
    return lookup, defined_in
