"""The bounds of a learner's process, the same for `memlab lab check` and for the grader, and the sentences about them.

An audit hook refuses what a sandbox may prevent only by an error without an explanation, or not at all. It is no
protection: code that means harm can avoid it, and isolation must hold without it.
"""

from __future__ import annotations

import errno
import os
import sys

from memlab.sandbox.inside.limits import FILE, FILES, MEMORY

PROCESSES = frozenset(
    {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "pty.spawn"}
)
"""Audit events of starting a process or another program; os.system does nothing and reports that by its result."""
PATHS = {"open": 1, "os.listdir": 1, "os.scandir": 1, "os.mkdir": 1, "os.rename": 2, "os.link": 2, "os.symlink": 2}
"""Audit events of using files: how many of their arguments are paths."""
SHARED = ("/usr/share/zoneinfo",)
DEVICES = (os.devnull, "/dev/urandom")
MEGABYTES = MEMORY >> 20
ERRORS = {
    errno.EMFILE: f"at most {FILES} open files",
    errno.EFBIG: f"at most {FILE >> 20} MB in a file",
    errno.EPERM: "no other process and no network",
}


class FolderBound:
    """Refuses processes, and files outside of a sandbox's folder, while `is_active`."""

    def __init__(self) -> None:
        self.is_active = True
        self._python = tuple(place for place in sys.path if place)
        self._allowed: tuple[str, ...] = ()

    def allow(self, scratch: str) -> None:
        """Allow the files of this folder from now on, and those of Python."""
        self._allowed = (scratch, os.path.realpath(scratch), *self._python, *SHARED, *DEVICES)

    def check(self, event: str, arguments: tuple[object, ...]) -> None:
        """Raise PermissionError for what no submission may do. To be added as an audit hook."""
        if not self.is_active:
            return
        if event in PROCESSES:
            raise PermissionError(f"the lab allows no other process ({event})")
        if self._allowed and (count := PATHS.get(event)):
            for path in arguments[:count]:
                if isinstance(path, str | bytes) and not self._is_allowed(os.fsdecode(path)):
                    raise PermissionError(f"the lab allows files of the current folder, not {os.fsdecode(path)!r}")

    def _is_allowed(self, path: str) -> bool:
        try:
            place = os.path.abspath(path)
        except OSError:  # the current folder was removed
            return True
        return any(place == one or place.startswith(one + os.sep) for one in self._allowed)


def explain(error: BaseException) -> str:
    """Return the bound that an exception met, as the end of a sentence about it; "" if it met none."""
    if isinstance(error, MemoryError):
        bound = f"at most {MEGABYTES} MB of memory"
    elif isinstance(error, RuntimeError) and "start new thread" in str(error):
        bound = f"about 50 threads, whose stacks fit into {MEGABYTES} MB"
    elif type(error).__module__ == "locale":
        bound = "the locale C.UTF-8 only"
    elif isinstance(error, OSError):
        bound = ERRORS.get(error.errno or 0, "")
    else:
        return ""
    return bound and f"the lab allows {bound}"
