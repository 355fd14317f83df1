"""A plain user for each room, where we are root: nothing that it starts can reach another room, and all of it ends."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

NUMBERS = range(60_706, 61_184)
"""User ids that no system of today gives to anybody (systemd's table of them), and that a container knows as well."""
_turns = itertools.count(os.getpid())


def root() -> bool:
    """Tell if we are root, which what a learner wrote never is."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def plain_user() -> Iterator[int | None]:
    """Hold a user id for a room, that no other room of this machine has meanwhile; None where we are no root.

    A number is held by a socket of its name, which the system closes with our process. Before and after, all
    processes of that user are ended. Raises OSError.
    """
    if not root():
        yield None
        return
    if sys.platform != "linux":
        raise OSError("as root only Linux can be graded on: be a plain user")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as held:
        number = _held(held)
        end_all(number)
        try:
            yield number
        finally:
            end_all(number)


def end_all(user: int) -> None:
    """End all processes of a user at once, by one signal to whatever it can reach."""
    shell = ["/bin/sh", "-c", "kill -s KILL -- -1"]
    try:
        subprocess.run(  # noqa: S603 - nothing in it is given
            shell, user=user, group=user, extra_groups=[], cwd=os.sep, env={}, stderr=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        raise OSError(f"root cannot become the plain user {user} here: {error.strerror}") from None


def _held(lock: socket.socket) -> int:
    for _ in NUMBERS:
        number = NUMBERS[next(_turns) % len(NUMBERS)]
        with suppress(OSError):  # somebody holds it
            lock.bind(f"\0memlab-user-{number}")
            return number
    raise OSError(f"all {len(NUMBERS)} user ids for rooms are in use: use fewer --jobs")
