"""The supervisor program as a process, and the channel to it."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from memlab.sandbox.channel import Channel, ChildProcessFailed
from memlab.sandbox.protocol import parse
from memlab.sandbox.sandbox_folder import UnusableFile
from memlab.sandbox.supervisor import kill_group

GRACE = 1.0
"""Seconds that a supervisor has to end by itself, with its children, after the channel is closed."""
LONGEST = 1_500_000
"""Bytes of one answer: more than the supervisor passes on from a child."""


class SupervisorProcess:
    """Starts a supervisor in a session of its own; `user` is the plain uid, and gid, which only root can choose.

    It talks to the supervisor over pipes, or over a socket, which can also pass file descriptors.
    """

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], user: int | None = None, *, over_socket: bool = False
    ) -> None:
        near, far = socket.socketpair() if over_socket else (None, None)
        self._process = subprocess.Popen(  # noqa: S603 - the caller's command
            command,
            stdin=subprocess.PIPE if far is None else far.fileno(),
            stdout=subprocess.PIPE if far is None else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if far is None else None,
            bufsize=0,
            cwd=os.sep,
            env=dict(env),
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        if near is not None and far is not None:
            far.close()
            self.channel = Channel.over(near, LONGEST)
        else:
            assert self._process.stdin is not None  # noqa: S101 - a pipe was requested above
            assert self._process.stdout is not None  # noqa: S101 - likewise
            self.channel = Channel(self._process.stdout, self._process.stdin, LONGEST)

    def is_running(self) -> bool:
        """Return whether the process is running."""
        return self._process.poll() is None

    def end(self, grace: float = GRACE) -> None:
        """End the supervisor and its children, except those that left its session."""
        self.channel.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()


def result_of(reply: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return what an action of the supervisor returned. Raises UnusableFile and ChildProcessFailed."""
    message = parse(reply)
    if "unusable" in message:
        raise UnusableFile(f"{message['unusable']}")
    if "ok" not in message:
        raise ChildProcessFailed("ended the process that supervises it")
    return message["ok"]
