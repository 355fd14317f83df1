"""Finds the Python that runs a learner's file, which a plain user must be able to read, and lists its files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memlab.sandbox.isolation.users import plain_user

LEAST = (3, 11)
MINORS = range(20, 10, -1)
SECONDS = 20
FACTS = """
import importlib, json, os, pkgutil, sys, sysconfig
paths = sysconfig.get_paths()
stdlib = {os.path.realpath(paths[one]) for one in ("stdlib", "platstdlib")}
for one in pkgutil.iter_modules([path for path in sys.path if path.endswith("lib-dynload")]):
    try:
        importlib.import_module(one.name)
    except Exception:
        pass
try:
    mapped = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if line.count("/") and ".so" in line}
except OSError:
    mapped = set()
libraries = sorted(one for one in mapped if not any(one.startswith(folder + os.sep) for folder in stdlib))
print(json.dumps({"path": os.path.realpath(sys.executable), "version": sys.version_info[:3],
                  "stdlib": sorted(stdlib), "libraries": libraries}))
"""
"""A program that prints where a Python is, its version, the folders of its modules, and the libraries they load."""


@dataclass(frozen=True)
class Interpreter:
    """A Python: its file, its version, the folders of its standard library and the shared libraries that it needs."""

    path: str
    version: str
    stdlib: tuple[str, ...]
    libraries: tuple[str, ...]

    @property
    def modules(self) -> list[str]:
        """The entries of the standard library's folders, without the folders of installed packages."""
        inside = (one for folder in self.stdlib for one in Path(folder).iterdir())
        return sorted(str(one) for one in inside if one.name not in PACKAGES)


PACKAGES = ("site-packages", "dist-packages")


@cache
def interpreter() -> Interpreter:
    """Return the Python for sandboxes: ours if a plain user can read it, else one of the system. Raises OSError."""
    with plain_user() as user:
        for path in _candidates():
            facts = _facts(path, user)
            if facts is not None and tuple(facts["version"]) >= LEAST:
                version = ".".join(str(one) for one in facts["version"])
                return Interpreter(facts["path"], version, tuple(facts["stdlib"]), tuple(facts["libraries"]))
    least = ".".join(str(one) for one in LEAST)
    raise OSError(f"no Python {least} or later here can be read by a plain user: apt install python3")


def _candidates() -> Iterator[str]:
    ours = getattr(sys, "_base_executable", sys.executable)
    yield os.path.realpath(ours)
    yield "/usr/bin/python3"
    names = ["python3", *(f"python3.{minor}" for minor in MINORS)]
    yield from filter(None, map(shutil.which, names))


def _facts(path: str, user: int | None) -> dict[str, Any] | None:
    """Return the facts that a Python prints when this user runs it; None if the user cannot."""
    try:
        done = subprocess.run(  # noqa: S603 - a Python of this machine
            [path, "-I", "-S", "-c", FACTS],
            cwd=os.sep,
            env={},
            capture_output=True,
            timeout=SECONDS,
            check=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except (OSError, subprocess.SubprocessError):
        return None
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts
