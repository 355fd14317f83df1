"""Validates names in a scripted world: a disk, an environment and a shell must accept them; no path leaves the root."""

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
"""Bytes of one part of a path, and of the path."""
KINDS = ("files", "env", "commands", "links")
_COMMAND = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MACHINES = re.compile(r"PATH|HOME|SHELL|TMPDIR|IFS|ENV|BASH_ENV|(LD|DYLD|PYTHON|PYTEST).*")
"""Variables that change how processes run: a world that sets one would break the evaluated systems."""


def _path(path: str) -> str:
    parts = path.split("/")
    if path.startswith("~") or "\\" in path or any(part in {"", ".", ".."} for part in parts) or not _fits(path):
        raise ValueError(f"{short_repr(path)} is no path below the world's root. Write a path such as 'scripts/a.sh'")
    return path


def _target(path: str) -> str:
    if not path or not _fits(path):
        raise ValueError(f"{short_repr(path)} is no valid link target. Write a path such as '../shared/a.sh'")
    return path


def _fits(path: str) -> bool:
    sizes = [len(part.encode()) for part in path.split("/")]
    return path.isprintable() and sum(sizes) <= LONGEST_PATH and max(sizes) <= LONGEST_PART


def _command(name: str) -> str:
    return _matching(_COMMAND, name, "command name: use 1 to 64 letters, digits and . _ + -, such as 'pnpm'")


def _flag(flag: str) -> str:
    return _matching(_FLAG, flag, "flag: write one or two dashes, then letters and digits, such as '--frozen'")


def _matching(form: re.Pattern[str], name: str, words: str) -> str:
    if not form.fullmatch(name):
        raise ValueError(f"{short_repr(name)} is no valid {words}")
    return name


def _variable(name: str) -> str:
    _matching(_VARIABLE, name, "variable name: use letters, digits and _, as in 'DB_URL'")
    if _MACHINES.fullmatch(name):
        raise ValueError(f"{name} changes how processes on this machine run. Use another variable")
    return name


def _value(value: str) -> str:
    if "\0" in value:
        raise ValueError(f"{short_repr(value)} contains a NUL byte. Remove it")
    return value


def _after_substitution(check: Callable[[str], str]) -> AfterValidator:
    """Check texts without variables: a file is validated when it is read, and again when it is sampled."""
    return AfterValidator(lambda text: text if VARIABLE.search(text) else check(text))


WorldPath = Annotated[str, _after_substitution(_path)]
LinkTarget = Annotated[str, _after_substitution(_target)]
Command = Annotated[str, _after_substitution(_command)]
Flag = Annotated[str, _after_substitution(_flag)]
Variable = Annotated[str, _after_substitution(_variable)]
Value = Annotated[str, _after_substitution(_value)]


def world_errors(world: ScriptedWorld, change: Change) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, name, error) for what a disk cannot hold after a change, or what is removed but does not exist."""
    for kind in KINDS:
        for name, value in getattr(change, kind).items():
            if value is None and name not in getattr(world, kind):
                yield kind, name, f"there is no {name!r} to remove at this point"
    after = copy.deepcopy(world)
    after.change(change)
    new = change.files.keys() | change.links.keys()
    for kind, there, other in (("files", after.files, after.links), ("links", after.links, after.files)):
        for name in there:
            if name in other and name in new:
                yield kind, name, f"{name!r} is both a file and a link. Remove one first, with null"
            for place in _above(name):
                if place in {*after.files, *after.links} and {name, place} & new:
                    yield kind, name, f"{name!r} is below {place!r}, which is no folder. Rename one of the two"


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:count]) for count in range(1, len(parts)))
