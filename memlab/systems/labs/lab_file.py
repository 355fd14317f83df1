"""Runs a lab's file: the interface, and an implementation that loads it as a new module in this process."""

from __future__ import annotations

import inspect
import json
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Protocol

from memlab.memory.text import Refused
from memlab.memory.world import ScriptedWorld, World
from memlab.terms import Event

MODULE = "memlab_lab"
LONGEST_SLUG = 100
PACKAGE = Path(__file__).resolve().parents[2]
FOLDERS = (PACKAGE / "data" / "labs", PACKAGE.parent / "labs")
"""Where the labs are: inside an installed package, or beside it in a checkout."""


def published_file(lab: str) -> Path:
    """Return the path of the published design of a lab ("lab06")."""
    for folder in FOLDERS:
        if (path := folder / lab / "published.py").exists():
            return path
    folders = ", ".join(map(str, FOLDERS))
    raise FileNotFoundError(f"the published design of {lab} is in none of {folders}: reinstall memlab")


class LabFile(Protocol):
    """The interface of a lab's file. Its functions run in the root of the world."""

    def write(self, path: str, text: str) -> None:
        """Write a file into that folder, as a user would; also allowed before begin()."""

    def begin(self) -> None:
        """Load the file again, and create the object whose methods are called, if there is one."""

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - a lab may return anything
        """Call a function and return its result. Its errors are not caught."""

    def takes(self, name: str, parameter: str) -> bool:
        """Return whether a function has a parameter of this name."""

    def follow(self, world: World) -> None:
        """Update the environment of the lab's file to the current world."""


class InProcess:
    """A LabFile in this process; with `class_name`, the functions are the methods of an object of that class.

    `code` is the compiled file, if the caller has it.
    """

    def __init__(self, path: Path, class_name: str = "", code: CodeType | None = None) -> None:
        self._path = path
        self._code = code
        self._class_name = class_name
        self._module = ModuleType(MODULE)
        self._target: Any = None

    def write(self, path: str, text: str) -> None:
        place = Path(path)
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def begin(self) -> None:
        self._module = load(self._path, self._code)
        self._target = getattr(self._module, self._class_name)() if self._class_name else self._module

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - a lab may return anything
        return getattr(self._target, name)(*args, **named)

    def takes(self, name: str, parameter: str) -> bool:
        function = getattr(self._target, name)
        code = getattr(function, "__func__", function).__code__
        named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return parameter in named or bool(code.co_flags & inspect.CO_VARKEYWORDS)

    def follow(self, world: World) -> None:
        """See LabFile.follow. Here only the help texts in which the lab looks up flags must be updated."""
        known = getattr(self._module, "HELP", None)
        if isinstance(known, dict) and isinstance(world, ScriptedWorld):
            known.clear()
            known.update(help_pages(world))


def load(path: Path, code: CodeType | None = None) -> ModuleType:
    """Return a lab's file loaded as a new module; `print` is silent there, and `hash` equal in every process.

    Relative paths start at the current directory. Errors of the file are not caught.
    """
    module = ModuleType(MODULE)
    # The lab names what it promotes by hash(), which Python salts; the same run must write the same bytes.
    vars(module).update(__file__=str(path), print=lambda *_, **__: None, hash=_unsalted)
    sys.modules[MODULE] = module  # the dataclass decorator looks up the module
    try:
        exec(code or _compiled(path, path.stat().st_mtime_ns), vars(module))  # noqa: S102 - running the lab's file is the purpose
    finally:
        del sys.modules[MODULE]
    return module


def call_with_origin(lab: LabFile, name: str, event: Event, *args: str | list[str]) -> None:
    """Call a lab's function, with the event's source and session if it takes them. Raises Refused if the lab does."""
    origin = {field: getattr(event, field) for field in ("source", "session") if lab.takes(name, field)}
    with refusals():
        lab.call(name, *args, **origin)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a ValueError of the lab into Refused, except one about a file that cannot be decoded."""
    try:
        yield
    except (json.JSONDecodeError, UnicodeError):
        raise
    except ValueError as error:
        raise Refused(str(error)) from error


def help_pages(world: ScriptedWorld) -> dict[str, str]:
    """Return the help texts of a scripted world's commands by their names."""
    return {name: f"usage: {' '.join([name, *flags])}" for name, (flags, _) in world.commands.items()}


def slug(event: Event) -> str:
    """Return the name of a fact in the form that the labs require: lowercase words joined by dashes."""
    words = re.sub(r"[^a-z0-9]+", "-", (event.name or event.description or event.text).lower()).strip("-")
    return words[:LONGEST_SLUG] or "fact"


@cache
def _compiled(path: Path, changed: int) -> CodeType:
    del changed  # part of the key: a file that was edited is read again
    return compile(path.read_text(encoding="utf-8-sig"), str(path), "exec", dont_inherit=True)


def _unsalted(value: object) -> int:
    return zlib.crc32(value.encode()) if isinstance(value, str) else hash(value)
