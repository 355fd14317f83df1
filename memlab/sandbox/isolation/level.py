"""The interface of an isolation level, and helpers that the levels share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from memlab.sandbox.folders import temporary_folder
from memlab.sandbox.inside import disk, limits, seccomp
from memlab.sandbox.isolation.users import plain_user
from memlab.sandbox.isolation.view import View
from memlab.sandbox.sandbox import HOME, TEMPORARY, Sandbox
from memlab.sandbox.standalone import statement

Threat = Literal["network", "files", "processes", "memory", "cpu", "disk", "orphans", "kill"]
THREATS: Mapping[Threat, str] = {
    "network": "reach other machines, and the servers of this one",
    "files": "read and write what its user may",
    "processes": "start processes",
    "memory": "take more than 512 MB for its process",
    "cpu": "compute for more than a minute",
    "disk": "fill the disk, or memory that processes share",
    "orphans": "leave processes running after it ends",
    "kill": "send signals to processes of yours",
}
"""What a learner's file may do if a level does not prevent it."""
SHARED = ("/etc/ld.so.cache", "/usr/share/zoneinfo", "/usr/lib/locale/C.utf8")
"""What the standard library reads of the system."""
SUPERVISING = 8
"""Processes and threads of a sandbox around the learner's process, and some to spare."""


@dataclass(frozen=True)
class Wrapped:
    """How a Python process starts at a level: the command before it, and the source code that it runs first."""

    command: tuple[str, ...] = ()
    first: str = ""


class Level(Protocol):
    """A way to isolate a process."""

    @property
    def name(self) -> str:
        """The value of the option --isolation that selects this level."""

    @property
    def holds(self) -> frozenset[Threat]:
        """The threats that the level prevents on this machine."""

    def problem(self) -> str:
        """Try the level; return what is missing on this machine and how to get it, or "" if it works."""

    def python_version(self) -> str:
        """Return the version, or the image, of the Python that its sandboxes run."""

    def start_sandbox(self, provided: str = "") -> Sandbox:
        """Start a new sandbox, which can read a `provided` folder. Raises OSError if that does not work here."""


class SystemLevel(Level, Protocol):
    """A level at which memory systems can run, too: with the packages of this machine."""

    def wrap(self, view: View) -> Wrapped:
        """Return how to start a process that runs memory systems, with our own Python, and sees only this view."""

    def system_problem(self) -> str:
        """Try the level for memory systems; return what is missing and how to get it, or "" if it works."""


def watch_disk(scratch: str) -> str:
    """Return source code with which a supervisor creates the folders in `scratch` and monitors their size."""
    return statement(disk, f"watch({scratch!r}, {HOME!r}, {TEMPORARY!r})")


def limit_process(call: str, processes: int | None) -> str:
    """Return source code with which a learner's process sets its limits.

    On known machines, `call` to the module seccomp filters its system calls, and `processes` limits those of its user.
    On others it can start neither processes nor threads.
    """
    return f"limits.set_limits({processes})\nseccomp.{call}\n" if seccomp.known() else "limits.set_limits(0)\n"


def most_processes(user: int | None) -> int:
    """Return the maximum number of processes and threads of a sandbox's user; None is us, with all that we run."""
    others = limits.count_threads(os.getuid()) if user is None else 0
    return limits.THREADS + SUPERVISING + others


def limit_system(*, sockets: bool, processes: bool = False, shut: str = "") -> str:
    """Return source code with which a process of memory systems sets its limits; `shut` is run after them.

    On known machines it then filters system calls. `sockets` allows opening sockets, `processes` limits the number of
    processes of the user.
    """
    bounds = statement(limits, f"limit_system(processes={processes})") + shut
    return bounds + statement(seccomp, f"forbid_systems(sockets={sockets})") if seccomp.known() else bounds


def own_folder(resources: ExitStack) -> tuple[str, int | None]:
    """Make a temporary folder for a sandbox. As root, reserve a user who owns it. Return the folder and the user."""
    place = resources.enter_context(temporary_folder())
    user = resources.enter_context(plain_user())
    if user is not None:
        os.chown(place, user, user)
    return place, user


@contextmanager
def until_ended() -> Iterator[ExitStack]:
    """Collect resources to release when a sandbox ends; release them at once if it does not start."""
    resources = ExitStack()
    try:
        yield resources
    except BaseException:
        resources.close()
        raise
