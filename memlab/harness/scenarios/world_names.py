"""What may stand in a world: names that a disk, an environment and a shell can hold, and that lead nowhere else."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Annotated

from pydantic import AfterValidator

from memlab.harness.scenarios.errors import short_repr
from memlab.harness.scenarios.variables import VARIABLE
from memlab.memory.world import Change, ScriptedWorld

LONGEST_PART, LONGEST_PATH = 200, 1000
"""Bytes of one part of a path, and of all of it."""
KINDS = ("files", "env", "commands", "links")
_COMMAND = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MACHINES = re.compile(r"PATH|HOME|SHELL|TMPDIR|IFS|ENV|BASH_ENV|(LD|DYLD|PYTHON|PYTEST).*")
"""Variables that decide how a process runs: a world that sets one would break whatever is judged in it."""


def _path(path: str) -> str:
    parts = path.split("/")
    if path.startswith("~") or "\\" in path or any(part in {"", ".", ".."} for part in parts) or not _fits(path):
        raise ValueError(f"{short_repr(path)} is no path below the world's root. Write one such as 'scripts/a.sh'")
    return path


def _target(path: str) -> str:
    if not path or not _fits(path):
        raise ValueError(f"{short_repr(path)} is no path that a link can lead to. Write one such as '../shared/a.sh'")
    return path


def _fits(path: str) -> bool:
    sizes = [len(part.encode()) for part in path.split("/")]
    return path.isprintable() and sum(sizes) <= LONGEST_PATH and max(sizes) <= LONGEST_PART


def _command(name: str) -> str:
    if not _COMMAND.fullmatch(name):
        raise ValueError(
            f"{short_repr(name)} is no command's name: 1 to 64 letters, digits and . _ + -, such as 'pnpm'"
        )
    return name


def _flag(flag: str) -> str:
    if not _FLAG.fullmatch(flag):
        raise ValueError(
            f"{short_repr(flag)} is no flag: one or two dashes, then letters and digits, such as '--frozen'"
        )
    return flag


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(f"{short_repr(name)} is no variable's name: letters, digits and _, such as 'DATABASE_URL'")
    if _MACHINES.fullmatch(name):
        raise ValueError(f"{name} decides how every process on this machine runs. Name a variable of your own")
    return name


def _value(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"{short_repr(value)} holds a NUL, which no variable can. Remove it")
    return value


def _once_filled(check: Callable[[str], str]) -> AfterValidator:
    """Check what holds no blank: a file is validated as it is written, and again when it is sampled."""
    return AfterValidator(lambda text: text if VARIABLE.search(text) else check(text))


WorldPath = Annotated[str, _once_filled(_path)]
LinkTarget = Annotated[str, _once_filled(_target)]
Command = Annotated[str, _once_filled(_command)]
Flag = Annotated[str, _once_filled(_flag)]
Variable = Annotated[str, _once_filled(_variable)]
Value = Annotated[str, _once_filled(_value)]


def world_errors(world: ScriptedWorld, change: Change) -> Iterator[tuple[str, str, str]]:
    """Say what of a change cannot stand on disk after it, or is not there to be taken away: (kind, name, why)."""
    for kind in KINDS:
        for name, value in getattr(change, kind).items():
            if value is None and name not in getattr(world, kind):
                yield kind, name, f"there is no {name!r} to take away at this moment"
    after = copy.deepcopy(world)
    after.change(change)
    new = change.files.keys() | change.links.keys()
    for kind, there, other in (("files", after.files, after.links), ("links", after.links, after.files)):
        for name in there:
            if name in other and name in new:
                yield kind, name, f"{name!r} is a file and a link at once. Take one away first, with null"
            for place in _above(name):
                if place in {*after.files, *after.links} and {name, place} & new:
                    yield kind, name, f"{name!r} lies below {place!r}, which is no folder. Rename one of the two"


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:count]) for count in range(1, len(parts)))
