"""Forks children from one preloaded process, the supervisor, which starts on first use and ends with this process."""

from __future__ import annotations

import atexit
import json
import os
import socket
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memlab.sandbox.channel import Channel, ChildProcessFailed
from memlab.sandbox.protocol import NumberedRequests, Shape, ended
from memlab.sandbox.supervisor import kill_group
from memlab.sandbox.supervisor_process import SupervisorProcess, result_of

PATIENCE = 5.0
"""Seconds to wait for an answer of the supervisor, which a child may have stopped or killed."""
START_LIMIT = 60.0
"""Seconds that a new supervisor has to answer: it imports the program first."""
LONGEST = 128 * 2**20
"""Bytes of one answer."""
NOT_STARTED = "did not start: its process ended first, with a message on stderr. `memlab doctor` tests the sandboxes"
GRACE = 0.2
"""Seconds that a child which closed its channel has to end, so that its exit code can be reported."""


@dataclass(frozen=True)
class Launch:
    """How a server starts: a command that ends in `supervise_many(run)`, its variables, the salt of `hash()`.

    `longest` is the maximum number of bytes of a reply. `has_own_processes` is true if the sandbox has process ids of
    its own (a PID namespace).
    """

    command: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    salt: int
    longest: int
    has_own_processes: bool = False


class ForkServer:
    """Starts children that run a program, and ends them."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self._owner = os.getpid()
        self._limit = START_LIMIT
        self._dropped: list[int] = []
        variables = dict(launch.variables) | {"PYTHONHASHSEED": str(launch.salt)}
        self._supervisor = SupervisorProcess(launch.command, variables, over_socket=True)
        atexit.register(self.close)

    def fork(self, path: str, *shapes: Shape) -> ForkedChild:
        """Start a child that may load the file at `path` ("" for none). Its replies must have one of these shapes."""
        while self._dropped:
            self.end_child(self._dropped.pop(), 0.0)
        near, far = socket.socketpair()
        with far:
            pid = self._request(far.fileno(), do="fork", path=path)
        return ForkedChild(self, pid, near, shapes)

    def end_child(self, pid: int, grace: float) -> int | None:
        """Wait at most `grace` seconds for a child to end, then kill it and all processes that it started.

        Return its exit code (minus the signal number for a signal), or None if it had to be killed.
        """
        return self._request(do="end", pid=pid, grace=grace)  # type: ignore[no-any-return] # an exit code

    def drop(self, pid: int) -> None:
        """End a child when the next one starts, so that the garbage collector does not wait for the supervisor."""
        self._dropped.append(pid)

    def is_ours(self) -> bool:
        """Return whether this process started the server; a forked copy of the process must not use it."""
        return self._owner == os.getpid()

    def is_usable(self) -> bool:
        """Return whether the server can start children for this process."""
        return self.is_ours() and self._supervisor.is_running()

    def close(self, grace: float = PATIENCE) -> None:
        """End the supervisor, and with it every child."""
        if self.is_ours():
            self._supervisor.end(grace)

    def _request(self, descriptor: int | None = None, **request: object) -> Any:  # noqa: ANN401 - any JSON value
        line, limit = json.dumps(request).encode(), self._limit
        self._limit = PATIENCE
        try:
            return result_of(self._supervisor.channel.exchange(line, limit, descriptor))
        except ChildProcessFailed as error:
            self.close(grace=0.0)
            if error.has_closed and limit == START_LIMIT:
                raise ChildProcessFailed(NOT_STARTED) from None
            raise


class ForkedChild:
    """One forked process and the channel to it. It is ended when nothing refers to it any more."""

    def __init__(self, server: ForkServer, pid: int, end: socket.socket, shapes: tuple[Shape, ...]) -> None:
        self._server = server
        self._pid = pid
        self._channel = Channel.over(end, server.launch.longest)
        self._requests = NumberedRequests(*shapes)
        self._finalizer = weakref.finalize(self, server.drop, pid)
        self._finalizer.atexit = False  # the server ends all remaining children

    def ask(self, request: Mapping[str, object], limit: float) -> dict[str, Any]:
        """Return the reply to a request. Raises ChildProcessFailed if no valid reply comes within `limit` seconds."""
        try:
            return self._requests.parse_reply(self._channel.exchange(self._requests.to_line(request), limit))
        except ChildProcessFailed as error:
            if error.has_closed:
                raise ended(self.end(GRACE)) from None
            raise

    def end(self, grace: float = 0.0) -> int | None:
        """Wait at most `grace` seconds for the process to end, then kill it and all processes that it started.

        Return its exit code (minus the signal number for a signal), or None if it had to be killed or this is unknown.
        """
        if self._finalizer.detach() is None or not self._server.is_ours():
            return None
        if grace:
            self._channel.close()
        try:  # without grace it is killed before its channel closes: it could still write when it reads the end
            return self._server.end_child(self._pid, grace)
        except ChildProcessFailed:  # the supervisor has ended, so it cannot end the child
            if not self._server.launch.has_own_processes:  # else its process id belongs to another process here
                kill_group(self._pid)
            return None
        finally:
            self._channel.close()


_servers: dict[str, ForkServer] = {}


def start_child(name: str, launch: Launch, path: str, *shapes: Shape) -> ForkedChild:
    """Start a child from the server of this name, or from a new one if that has ended or has another `launch`."""
    known = _servers.get(name)
    if known is not None and known.is_usable() and known.launch == launch:
        with suppress(ChildProcessFailed):  # the previous child may have ended or stopped the supervisor
            return known.fork(path, *shapes)
    if known is not None:
        known.close(grace=0.0)
    _servers[name] = ForkServer(launch)
    return _servers[name].fork(path, *shapes)
