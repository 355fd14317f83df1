"""A lean process that forks a child for every build: ready in a millisecond, and nothing of memlab's is inherited."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import signal
import socket
import time
from pathlib import Path
from types import CodeType

from memlab.systems.submission import child
from memlab.systems.submission.wire import Wire

REQUEST = 2**16
"""Bytes of one request: a path and little else."""
ADOPT = 36
"""Linux's PR_SET_CHILD_SUBREAPER: what a child leaves behind becomes a child of this process."""


CHILDREN = Path("/proc/thread-self/children")
"""Where Linux lists the children of this process."""


def serve(descriptor: int) -> None:
    """Answer requests on an inherited socket until it is closed; then end every child that still lives."""
    control = socket.socket(fileno=descriptor)
    living: set[int] = set()
    with contextlib.suppress(AttributeError, OSError):  # no such call elsewhere than on Linux
        ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)
    gc.freeze()  # a collection in a child would copy every page that it looks at
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, REQUEST, 1)
        if not data:
            break
        request = json.loads(data)
        if descriptors:
            pid = _fork(control, descriptors[0], request["path"])
            living.add(pid)
            reply: dict[str, object] = {"pid": pid}
        else:
            living.discard(request["end"])
            reply = _end(request["end"], request["grace"])
            _end_orphans(living)
        control.sendall(json.dumps(reply).encode())
    for pid in living:
        _end(pid, 0.0)
    _end_orphans(set())


def _fork(control: socket.socket, descriptor: int, path: str) -> int:
    code = _compiled(path) if path else None
    pid = os.fork()
    if pid:
        os.close(descriptor)
        return pid
    try:
        os.setsid()  # one group, so that all that the child starts can be ended with it
        control.close()
        child.live(Wire(socket.socket(fileno=descriptor)), code)
    finally:
        os._exit(0)


def _end(pid: int, grace: float) -> dict[str, object]:
    """Wait `grace` seconds for a child to end by itself, then end it and all of its group."""
    deadline = time.monotonic() + grace
    ended, status = os.waitpid(pid, os.WNOHANG)
    while not ended and time.monotonic() < deadline:
        time.sleep(0.002)
        ended, status = os.waitpid(pid, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if not ended:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return {"status": os.waitstatus_to_exitcode(status) if ended else None}


def _end_orphans(living: set[int]) -> None:
    """End what left its child's group before the child was ended, and what that had started in turn."""
    with contextlib.suppress(OSError):
        while orphans := {int(pid) for pid in CHILDREN.read_text(encoding="ascii").split()} - living:
            for pid in orphans:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


_seen: dict[str, tuple[tuple[int, int], CodeType]] = {}


def _compiled(path: str) -> CodeType | None:
    """Compile a file once for all its children; what does not compile is left to the child, which can say why."""
    try:
        state = Path(path).stat()
        stamp = (state.st_mtime_ns, state.st_size)
        if path not in _seen or _seen[path][0] != stamp:
            _seen[path] = (stamp, child.compiled(path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _seen[path][1]
