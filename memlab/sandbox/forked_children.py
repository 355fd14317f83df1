"""Forks children from a process that has already imported a program, so that a child starts in a millisecond.

One comparison builds thousands of memory systems, and the checks of a lab start a learner's file many times. Children
run one after the other in the same sandbox, so nothing of one may remain for the next: no process, and no file outside
its workspace.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import CodeType
from typing import Any

from memlab.sandbox.sandbox_folder import remove
from memlab.sandbox.supervisor import DUMPABLE, SUBREAPER, act, control_process, kill_group

Request = Mapping[str, Any]
Run = Callable[[int, CodeType | None], None]
LONGEST_REQUEST = 2**16
"""Bytes of one request to fork or to end a child."""
CHILDREN = "/proc/thread-self/children"
"""Where Linux lists the children of this process."""
TEMPORARY = ("/tmp", "/dev/shm")  # noqa: S108 - of the sandbox alone
PULSE = 0.1
"""Seconds between two counts of the processes in a sandbox."""
MOST = 512
"""The maximum number of processes and threads in a sandbox; above it, all of them are killed."""


class ForkedChildren:
    """Children that are copies of this process; each runs `run(descriptor, code)` of an imported program."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._living: set[int] = set()
        self._compiled: dict[str, tuple[tuple[int, int], CodeType]] = {}
        self._is_alone = os.getpid() == 1
        self._initial = frozenset(_temporary_files()) if self._is_alone else frozenset()

    def fork(self, request: Request) -> int:
        """Start a child that serves a socket and may load the file at `path`; return its process id."""
        code = self._code(request["path"])
        pid = os.fork()
        if pid:
            os.close(request["descriptor"])
            self._living.add(pid)
            return pid
        try:
            os.setsid()  # its own group, so that all processes that it starts can be ended with it
            control_process(DUMPABLE, 1)
            self._run(request["descriptor"], code)
        finally:
            os._exit(0)

    def end(self, request: Request) -> int | None:
        """Wait at most `grace` seconds for a child to end, then kill it and all processes that it started.

        Return its exit code (minus the signal number for a signal), or None if it had to be killed.
        """
        pid = request["pid"]
        self._living.discard(pid)
        status = _end(pid, request["grace"])
        self._end_orphans()
        return status

    def end_all(self) -> None:
        """End every child."""
        while self._living:
            _end(self._living.pop(), 0.0)
        self._end_orphans()

    def end_if_too_many(self) -> None:
        """Kill all processes of a sandbox if there are too many, for example after a fork bomb."""
        if self._is_alone and self._living and _threads() > MOST:
            os.kill(-1, signal.SIGKILL)

    def _end_orphans(self) -> None:
        """End processes that left a child's group before the child was ended, and all processes that they started."""
        if self._is_alone and not self._living:
            self._end_everything()
            return
        with suppress(OSError):
            while orphans := self._children() - self._living:
                for pid in orphans:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)

    def _end_everything(self) -> None:
        """End all other processes of the sandbox at once, and remove the temporary files that they left."""
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
        for path in [*_temporary_files()]:
            if path not in self._initial:
                remove(path)

    def _children(self) -> set[int]:
        with open(CHILDREN, encoding="ascii") as file:
            return {int(pid) for pid in file.read().split()}

    def _code(self, path: str) -> CodeType | None:
        """Compile a file once for all its children; None if it does not compile; the child then reports why."""
        try:
            found = os.stat(path)
            stamp = (found.st_mtime_ns, found.st_size)
            if self._compiled.get(path, ((), None))[0] != stamp:
                with open(path, "rb") as file:
                    self._compiled[path] = (stamp, compile(file.read(), path, "exec", dont_inherit=True))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return self._compiled[path][1]


def supervise_many(run: Run) -> None:
    """Answer requests on a socket, which is standard input, until it is closed; then end all children."""
    control = socket.socket(fileno=0)
    control_process(SUBREAPER, 1)  # orphaned processes of a child become children of this process
    control_process(DUMPABLE, 0)  # no child may change this process, from which the next one is forked
    gc.freeze()  # a garbage collection in a child would copy every page that it visits
    children = ForkedChildren(run)
    actions = {"fork": children.fork, "end": children.end}
    while True:
        while not select.select([control], [], [], PULSE)[0]:
            children.end_if_too_many()
        line, descriptors, _, _ = socket.recv_fds(control, LONGEST_REQUEST, 1)
        if not line:
            return children.end_all()
        control.sendall(act(line, actions, descriptor=descriptors[0] if descriptors else None) + b"\n")


def _end(pid: int, grace: float) -> int | None:
    """Wait `grace` seconds for a child to end by itself, then end it and all of its group."""
    deadline = time.monotonic() + grace
    ended, status = os.waitpid(pid, os.WNOHANG)
    while not ended and time.monotonic() < deadline:
        time.sleep(0.002)
        ended, status = os.waitpid(pid, os.WNOHANG)
    kill_group(pid)
    if not ended:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) if ended else None


def _threads() -> int:
    """Return the number of processes and threads that are visible here, 0 if that is unknown."""
    found = 0
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError):  # it has ended
                found += os.stat(f"/proc/{name}/task").st_nlink - 2
    return found


def _temporary_files() -> Iterator[str]:
    """Yield the entries of the temporary folders, outermost first, but nothing that is mounted there."""
    folders = [(folder, os.stat(folder).st_dev) for folder in TEMPORARY if os.path.isdir(folder)]
    while folders:
        folder, device = folders.pop()
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                if found.st_dev == device:
                    yield entry.path
                    if entry.is_dir(follow_symlinks=False):
                        folders.append((entry.path, device))
