"""The interface of a level of isolation, and what the levels share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Literal, Protocol

from memlab.sandbox.folders import temporary_folder
from memlab.sandbox.isolation.inside import disk, limits, seccomp
from memlab.sandbox.isolation.users import plain_user
from memlab.sandbox.sandbox import Sandbox
from memlab.sandbox.standalone import statement

Threat = Literal["network", "files", "processes", "memory", "cpu", "disk", "orphans", "kill"]
THREATS: Mapping[Threat, str] = {
    "network": "reach other machines, and the servers of this one",
    "files": "read and write what its user may",
    "processes": "start processes",
    "memory": "take more than 512 MB for its process",
    "cpu": "compute for more than a minute",
    "disk": "fill the disk, or memory that processes share",
    "orphans": "leave something running behind",
    "kill": "send signals to processes of yours",
}
"""What a learner's file may do if a level does not prevent it."""
HOME, TEMPORARY = "home", "tmp"


class Level(Protocol):
    """A way to isolate a process."""

    @property
    def name(self) -> str:
        """The name, as the option --isolation takes it."""

    @property
    def holds(self) -> frozenset[Threat]:
        """The threats that it prevents here."""

    def problem(self) -> str:
        """Return what is missing here, and how to get it; "" if it works, which was tried."""

    def python_version(self) -> str:
        """Return the Python that its sandboxes run."""

    def start_sandbox(self) -> Sandbox:
        """Start a new sandbox. Raises OSError if that does not work here."""


def variables(scratch: str) -> dict[str, str]:
    """Return the whole environment of a sandbox whose only writable folder is `scratch`."""
    return {
        "HOME": f"{scratch}/{HOME}",
        "TMPDIR": f"{scratch}/{TEMPORARY}",
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def watch_disk(scratch: str) -> str:
    """Return the source by which a supervisor makes the folders in `scratch` and watches their size."""
    return statement(disk, f"watch({scratch!r}, {HOME!r}, {TEMPORARY!r})")


def limit_process(*, pretend: bool) -> str:
    """Return the source by which a learner's process limits itself, and filters system calls on known machines.

    With `pretend`, calls that change a file by its path seem to succeed and do nothing.
    """
    bounds = statement(limits, "set_limits()")
    return bounds + statement(seccomp, f"forbid(pretend={pretend})") if seccomp.known() else bounds


def own_folder(resources: ExitStack) -> tuple[str, int | None]:
    """Make a temporary folder for a sandbox, which is its user's own if we are root; return both."""
    place = resources.enter_context(temporary_folder())
    user = resources.enter_context(plain_user())
    if user is not None:
        os.chown(place, user, user)
    return place, user


@contextmanager
def until_ended() -> Iterator[ExitStack]:
    """Collect the resources of a sandbox until it ends; release them at once if it does not start."""
    resources = ExitStack()
    try:
        yield resources
    except BaseException:
        resources.close()
        raise
