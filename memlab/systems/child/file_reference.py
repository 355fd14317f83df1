"""Parses `path/to/file.py:Name`; the file is read, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memlab.systems.entry import UnknownSystem, did_you_mean

Interface = Literal["memlab", "lab06", "lab07"]
MOST_NAMES = 12
"""Names that a message lists."""
EXAMPLE = "A system is given as path/to/file.py:Name"


@dataclass(frozen=True, slots=True)
class FileReference:
    """A name that a child process loads: `attribute` of an importable `module` or, without one, of the file at `path`.

    `folders` are added to the front of the import path. `interface` is that of a memory system or of a lab's file.
    """

    attribute: str
    path: str = ""
    module: str = ""
    folders: tuple[str, ...] = ()
    interface: Interface = "memlab"


def parse_reference(given: str) -> FileReference:
    """Return the file and the name in it. Raises UnknownSystem, which lists the valid names."""
    place, colon, attribute = given.rpartition(":")
    if not colon:
        place, attribute = given, ""
    path = Path(place).expanduser().resolve()
    tree = _parsed(path, given)
    names = _names(tree)
    if attribute.split(".")[0] not in names and "*" not in names:
        bound = [name for name in names if not name.startswith("_")]
        imported = {
            name for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom) for name, _ in _bound(one)
        }
        defined = [name for name in bound if name not in imported] or bound
        wrong = f"{place} defines no {attribute!r}" if attribute else f"{given!r} names no class after a colon"
        raise UnknownSystem(
            f"{wrong}.{did_you_mean(attribute, defined)} It defines: {', '.join(defined) or 'nothing'}. {EXAMPLE}."
        )
    interface = _interface(attribute, names)
    package = _package(path) if interface == "memlab" else []
    above = path.parents[len(package)]
    folders = tuple(dict.fromkeys([str(above), str(Path.cwd())]))
    return FileReference(attribute, str(path), ".".join([*package, path.stem]) if package else "", folders, interface)


def _package(path: Path) -> list[str]:
    """Return the packages that a file is in, outermost first, so that its relative imports work."""
    names: list[str] = []
    for folder in path.parents:
        if not (folder / "__init__.py").is_file() or "." in folder.name:
            break
        names.insert(0, folder.name)
    return names


def _parsed(path: Path, given: str) -> ast.Module:
    if not path.is_file():
        files = sorted(file.name for file in path.parent.glob("*.py") if file.is_file())
        near = ", ".join(files[:MOST_NAMES]) + (" ..." if len(files) > MOST_NAMES else "")
        raise UnknownSystem(
            f"there is no file {path} (from {given!r}).{did_you_mean(path.name, files)} "
            f"Python files there: {near or 'none'}. {EXAMPLE}."
        )
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        what = str(getattr(error, "msg", error)) or type(error).__name__
        raise UnknownSystem(f"{path}:{line}: this is not Python: {what}. Correct it.") from None


def _names(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Return the names that a module binds, with their methods for classes; `*` for a star import.

    A class may be defined in steps, `class Mine(Mine)`, as in a notebook: its methods are those of all steps.
    """
    names: dict[str, frozenset[str]] = {}
    for statement in tree.body:
        for name, methods in _bound(statement):
            names[name] = names.get(name, frozenset()) | methods
    return names


def _bound(statement: ast.stmt) -> Iterator[tuple[str, frozenset[str]]]:
    none: frozenset[str] = frozenset()
    if isinstance(statement, ast.ClassDef):
        yield statement.name, frozenset(one.name for one in statement.body if isinstance(one, ast.FunctionDef))
    elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        yield statement.name, none
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from ((one.asname or one.name.split(".")[0], none) for one in statement.names)
    elif isinstance(statement, ast.If | ast.Try | ast.With):
        for one in ast.iter_child_nodes(statement):
            yield from _bound(one) if isinstance(one, ast.stmt) else ()
    else:
        stored = (one for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        yield from ((one.id, none) for one in stored)


def _interface(attribute: str, names: dict[str, frozenset[str]]) -> Interface:
    """Return the interface: that of a lab for `memory_mix.py:MemoryMix` and `memory_store.py:recall_and_trust`."""
    methods = names.get(attribute, frozenset())
    if {"set_task", "log_episode", "assemble"} <= methods and "observe" not in methods:
        return "lab07"
    if attribute == "recall_and_trust" and "write_memory" in names:
        return "lab06"
    return "memlab"
