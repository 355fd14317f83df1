"""A lab's file, wherever it runs; in this process it is a module object of its own, loaded anew for every build."""

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
PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = (PACKAGE / "data" / "labs", PACKAGE.parent / "labs")
"""Where the labs lie: inside an installed package, or beside it in a checkout."""


def published_file(lab: str) -> Path:
    """Find the published design of a lab ("lab06")."""
    for folder in FOLDERS:
        if (path := folder / lab / "published.py").exists():
            return path
    raise FileNotFoundError(f"the published design of {lab} is in none of {', '.join(map(str, FOLDERS))}: reinstall")


class LabFile(Protocol):
    """A lab's file as its adapter needs it. Its functions stand in the folder where the world stands."""

    def write(self, path: str, text: str) -> None:
        """Write a file into that folder, as a person does; also before the lab's file begins."""

    def begin(self) -> None:
        """Load the file anew, and make the object that its functions belong to, if they belong to one."""

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - whatever the lab answers
        """Call a function. What it raises goes through, a ValueError of its own as one."""

    def takes(self, name: str, parameter: str) -> bool:
        """Tell whether a function takes a parameter by its name."""

    def follow(self, world: World) -> None:
        """Keep what is around the file in step with the world: what nobody else keeps."""


class InProcess:
    """A lab's file in this process; with `made`, its functions are the methods of an object of that class."""

    def __init__(self, path: Path, made: str = "") -> None:
        self._path = path
        self._made = made
        self._module = ModuleType(MODULE)
        self._target: Any = None

    def write(self, path: str, text: str) -> None:
        """See LabFile.write."""
        place = Path(path)
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def begin(self) -> None:
        """See LabFile.begin."""
        self._module = load(self._path)
        self._target = getattr(self._module, self._made)() if self._made else self._module

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - whatever the lab answers
        """See LabFile.call."""
        return getattr(self._target, name)(*args, **named)

    def takes(self, name: str, parameter: str) -> bool:
        """See LabFile.takes."""
        function = getattr(self._target, name)
        code = getattr(function, "__func__", function).__code__
        named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return parameter in named or bool(code.co_flags & inspect.CO_VARKEYWORDS)

    def follow(self, world: World) -> None:
        """See LabFile.follow: the world stands here for real, but for the help in which the lab looks flags up."""
        known = getattr(self._module, "HELP", None)
        if isinstance(known, dict) and isinstance(world, ScriptedWorld):
            known.clear()
            known.update(help_pages(world))


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


def tell(lab: LabFile, name: str, event: Event, *args: str | list[str]) -> None:
    """Call a lab's function, saying who speaks and in which session where it takes that.

    Raises Refused where the lab declines.
    """
    with refusals():
        lab.call(name, *args, **{who: getattr(event, who) for who in ("source", "session") if lab.takes(name, who)})


@contextmanager
def refusals() -> Iterator[None]:
    """Take a ValueError of the lab's own for a refusal; one that says that a file cannot be read goes through."""
    try:
        yield
    except (json.JSONDecodeError, UnicodeError):
        raise
    except ValueError as no:
        raise Refused(str(no)) from no


def help_pages(world: ScriptedWorld) -> dict[str, str]:
    """Give the help of a scripted world's commands, by their names."""
    return {name: f"usage: {' '.join([name, *flags])}" for name, (flags, _) in world.commands.items()}


def slug(event: Event) -> str:
    """Name a fact as the labs ask: lowercase words joined by dashes."""
    words = re.sub(r"[^a-z0-9]+", "-", (event.name or event.description or event.text).lower()).strip("-")
    return words[:LONGEST_SLUG] or "fact"


@cache
def _compiled(path: Path, changed: int) -> CodeType:
    del changed  # part of the key: a file that was edited is read again
    return compile(path.read_text(encoding="utf-8-sig"), str(path), "exec", dont_inherit=True)


def _silence(*words: object, **options: object) -> None:
    del words, options


def _unsalted(value: object) -> int:
    return zlib.crc32(value.encode()) if isinstance(value, str) else hash(value)
