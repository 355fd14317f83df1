"""What isolates what a learner wrote from the machine that grades it: one interface, whatever does it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Literal, Protocol

from memlab.grading.isolation.inside import text
from memlab.labs.laws.room import Room

Threat = Literal["network", "files", "processes", "memory", "cpu", "disk", "orphans", "kill"]
THREATS: Mapping[Threat, str] = {
    "network": "it reaches no other machine, and no server of this one",
    "files": "it reads and writes no file of yours",
    "processes": "it starts no process",
    "memory": "it takes no more than 512 MB",
    "cpu": "it computes for no more than a minute",
    "disk": "it fills no more than 64 MB",
    "orphans": "it leaves nothing running behind",
    "kill": "it sends no signal to processes of yours",
}
"""What a learner's file could do, and what holds where a level bounds it."""
HOME, TEMPORARY = "home", "tmp"
"""The two folders of a room's scratch: what the learner's file is to keep, and what it throws away."""


class Level(Protocol):
    """A way to isolate: its name, and what it holds here."""

    @property
    def name(self) -> str:
        """Its name, as an option takes it."""

    @property
    def holds(self) -> frozenset[Threat]:
        """What it bounds."""

    def lacking(self) -> str:
        """Say what is missing for it to work here, and how to get it; nothing where it works, as was tried."""

    def python(self) -> str:
        """Tell the Python that its rooms run."""

    def room(self) -> Room:
        """Give a fresh room. Raises OSError where that does not work here."""


def variables(scratch: str) -> dict[str, str]:
    """Give the whole environment of a room whose only writable folder is `scratch`."""
    return {
        "HOME": f"{scratch}/{HOME}",
        "TMPDIR": f"{scratch}/{TEMPORARY}",
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def watched(scratch: str, *, alone: bool) -> str:
    """Give the source by which a supervisor makes the folders of `scratch` and watches over what is in them."""
    return text("disk", f"\nkeep({scratch!r}, {HOME!r}, {TEMPORARY!r}, alone={alone})")
