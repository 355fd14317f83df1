"""What isolates what a learner wrote from the machine that grades it: one interface, whatever does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Literal, Protocol

from memlab.sandbox.isolation.inside import disk, limits, seccomp
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
"""What a learner's file may do where a level does not hold it."""
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

    def problem(self) -> str:
        """Say what is missing for it to work here, and how to get it; nothing where it works, as was tried."""

    def python_version(self) -> str:
        """Tell the Python that its rooms run."""

    def start_sandbox(self) -> Sandbox:
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


def watched(scratch: str) -> str:
    """Give the source by which a supervisor makes the folders of `scratch` and watches over what is in them."""
    return statement(disk, f"keep({scratch!r}, {HOME!r}, {TEMPORARY!r})")


def bounded(*, pretend: bool) -> str:
    """Give the source by which a learner's process bounds itself, with a filter of calls where they are known.

    The filter may pretend what changes a file by its path.
    """
    bounds = statement(limits, "bound()")
    return bounds + statement(seccomp, f"forbid(pretend={pretend})") if seccomp.known() else bounds


@contextmanager
def until_ended() -> Iterator[ExitStack]:
    """Collect what a room keeps until it ends; where it does not even begin, all of it goes at once."""
    kept = ExitStack()
    try:
        yield kept
    except BaseException:
        kept.close()
        raise
