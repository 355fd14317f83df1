"""Gives each sandbox its own plain user, if we are root: it cannot reach other sandboxes, and can be ended at once."""

from __future__ import annotations

import itertools
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NUMBERS = range(60_706, 61_184)
"""User ids that no current system assigns (see systemd's table), and that exist in containers as well."""
_turns = itertools.count(os.getpid())


def is_root() -> bool:
    """Return whether we are root. A learner's file never runs as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def is_readable(path: Path) -> bool:
    """Return whether a sandbox that hides no files can read a file: as root, whether every user can."""
    if not is_root():
        return True
    opens = all(folder.stat().st_mode & stat.S_IXOTH for folder in path.resolve().parents)
    return opens and bool(path.stat().st_mode & stat.S_IROTH)


@contextmanager
def plain_user() -> Iterator[int | None]:
    """Reserve a user id that no other sandbox of this machine uses; None if we are not root. Raises OSError.

    A socket named after the number reserves it; the system closes the socket when our process ends. All processes of
    the user are ended before and after.
    """
    if not is_root():
        yield None
        return
    if sys.platform != "linux":
        raise OSError("as root, grading works on Linux only: run it as a plain user")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock:
        number = _reserve(lock)
        end_all(number)
        try:
            yield number
        finally:
            end_all(number)


def end_all(user: int) -> None:
    """End all processes of a user at once: as that user, send one signal to every process it may signal."""
    shell = ["/bin/sh", "-c", "kill -s KILL -- -1"]
    try:
        subprocess.run(  # noqa: S603 - the command is constant
            shell, user=user, group=user, extra_groups=[], cwd=os.sep, env={}, stderr=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        raise OSError(f"root cannot become the plain user {user} here: {error.strerror}") from None


def _reserve(lock: socket.socket) -> int:
    for _ in NUMBERS:
        number = NUMBERS[next(_turns) % len(NUMBERS)]
        with suppress(OSError):  # the number is in use
            lock.bind(f"\0memlab-user-{number}")
            return number
    raise OSError(f"all {len(NUMBERS)} user ids for sandboxes are in use: use fewer --jobs")
