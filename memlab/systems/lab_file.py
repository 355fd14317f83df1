"""A lab's file as a module object of its own: loaded anew for every build, in the folder where the world stands."""

from __future__ import annotations

import inspect
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from memlab.memory.naming import Refused
from memlab.memory.world import ScriptedWorld, World
from memlab.terms import Event

MODULE = "memlab_lab"
LONGEST_SLUG = 100
PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = (PACKAGE / "data" / "labs", PACKAGE.parent / "labs")
"""Where the labs lie: inside an installed package, or beside it in a checkout."""


def published(lab: str) -> Path:
    """Find the published design of a lab ("lab06")."""
    for folder in FOLDERS:
        if (path := folder / lab / "published.py").exists():
            return path
    raise FileNotFoundError(f"the published design of {lab} is in none of {', '.join(map(str, FOLDERS))}: reinstall")


def load(path: Path) -> ModuleType:
    """Run a lab's file in a fresh module, silently and with a `hash` that is the same in every process.

    Its relative paths are taken from the current directory. Whatever the file raises goes through.
    """
    module = ModuleType(MODULE)
    # The lab names what it promotes by hash(), which Python salts; the same run must write the same bytes.
    vars(module).update(__file__=str(path), print=_silence, hash=_unsalted)
    sys.modules[MODULE] = module  # a dataclass looks its module up while it is being made
    try:
        exec(_compiled(path, path.stat().st_mtime_ns), vars(module))  # noqa: S102 - to run the lab's file is the task
    finally:
        del sys.modules[MODULE]
    return module


def call(function: Callable[..., Any], event: Event, *args: str | list[str]) -> Any:  # noqa: ANN401 - whatever the lab answers
    """Call a lab's function, saying who speaks and in which session where its signature asks.

    Raises Refused where the lab declines.
    """
    asked = _asked(getattr(function, "__func__", function))
    with refusals():
        return function(*args, **{name: getattr(event, name) for name in asked})


@contextmanager
def refusals() -> Iterator[None]:
    """Take a ValueError of the lab's own for a refusal; one that says that a file cannot be read goes through."""
    try:
        yield
    except (json.JSONDecodeError, UnicodeError):
        raise
    except ValueError as no:
        raise Refused(str(no)) from no


def register_commands(lab: ModuleType, world: World) -> None:
    """Write the help of a scripted world's commands into the lab's `HELP`, if it has one: there it looks flags up."""
    pages = getattr(lab, "HELP", None)
    if isinstance(pages, dict) and isinstance(world, ScriptedWorld):
        pages.clear()
        pages.update({name: f"usage: {' '.join([name, *flags])}" for name, (flags, _) in world.commands.items()})


def slug(event: Event) -> str:
    """Name a fact as the labs ask: lowercase words joined by dashes."""
    words = re.sub(r"[^a-z0-9]+", "-", (event.name or event.description or event.text).lower()).strip("-")
    return words[:LONGEST_SLUG] or "fact"


@cache
def _compiled(path: Path, changed: int) -> CodeType:
    del changed  # part of the key: a file that was edited is read again
    return compile(path.read_text(encoding="utf-8-sig"), str(path), "exec", dont_inherit=True)


def _asked(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return ("source", "session")
    return tuple(name for name in ("source", "session") if name in takes)


def _silence(*words: object, **options: object) -> None:
    del words, options


def _unsalted(value: object) -> int:
    return zlib.crc32(value.encode()) if isinstance(value, str) else hash(value)
