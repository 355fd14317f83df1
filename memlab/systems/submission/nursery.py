"""The parent's side of the server: one per process, started when first needed, ended with the process."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import weakref
from pathlib import Path

from memlab.systems.submission.wire import Wire

ABOVE = str(Path(__file__).resolve().parents[3])
"""The folder that holds the package: the server must find it, installed or not."""
START = """\
import sys
sys.path.append(sys.argv[1])
from memlab.systems.submission.server import serve
serve(int(sys.argv[2]))
"""
REPLY = 4096
PATIENCE = 5.0
"""Seconds that the server may take to answer: a child can stop it, as it can kill it."""


class ForkServer:
    """Starts children and ends them."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._left: list[int] = []
        self._control, far = socket.socketpair()
        self._control.settimeout(PATIENCE)
        with far:
            self._server = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                [sys.executable, "-P", "-c", START, ABOVE, str(far.fileno())],
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env=os.environ | {"PYTHONHASHSEED": "0"},  # or a set of strings would have another order in each run
            )
        atexit.register(self.close)

    def start(self, path: str) -> Child:
        """Start a child that will load the file at `path` (or none, for "")."""
        while self._left:
            self.end(self._left.pop(), 0.0)
        near, far = socket.socketpair()
        with far:
            socket.send_fds(self._control, [json.dumps({"path": path}).encode()], [far.fileno()])
        return Child(self, int(self._reply()["pid"] or 0), Wire(near))

    def end(self, pid: int, grace: float) -> str:
        """End a child and all it started, after `grace` seconds; say how it ended by itself, "" if it had not."""
        self._control.sendall(json.dumps({"end": pid, "grace": grace}).encode())
        status = self._reply()["status"]
        if status is None:
            return ""
        return f"exit code {status}" if status >= 0 else f"signal {signal.Signals(-status).name}"

    def leave(self, pid: int) -> None:
        """End a child when the next one starts: what the garbage collector calls must not talk to the server."""
        self._left.append(pid)

    def alive(self) -> bool:
        """Tell whether this process owns the server and can still ask it."""
        return self.owner == os.getpid() and self._server.poll() is None

    def close(self) -> None:
        """End the server, and with it every child."""
        self._control.close()
        if self.owner == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(timeout=5)

    def _reply(self) -> dict[str, int | None]:
        try:
            data = self._control.recv(REPLY)
        except TimeoutError:
            data = b""
        if not data:
            self._server.kill()
            self._server.wait()
            raise ConnectionError("the process that starts children has ended")
        reply: dict[str, int | None] = json.loads(data)
        return reply


class Child:
    """One process and the wire to it; it is ended when nobody holds it any more."""

    def __init__(self, home: ForkServer, pid: int, wire: Wire) -> None:
        self.wire = wire
        self._home = home
        self._pid = pid
        self._watch = weakref.finalize(self, _abandon, home, pid, wire)
        self._watch.atexit = False  # the nursery ends all that is left

    def end(self, grace: float = 0.0) -> str:
        """End it and all it started, after `grace` seconds; say how it ended by itself, "" if it had not."""
        if self._watch.detach() is None or self._home.owner != os.getpid():
            return ""
        self.wire.close()
        try:
            return self._home.end(self._pid, grace)
        except OSError:  # the server is gone, so nobody else is left to end what it started
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)
            return ""


def _abandon(home: ForkServer, pid: int, wire: Wire) -> None:
    wire.close()
    home.leave(pid)


_nurseries: list[ForkServer] = []


def start(path: str) -> Child:
    """Start a child by this process's own server, or by a new one if there is none or if it has ended."""
    if _nurseries and _nurseries[-1].alive():
        with contextlib.suppress(OSError):  # the child before may have ended the server, or stopped it
            return _nurseries[-1].start(path)
    _nurseries[:] = [ForkServer()]
    return _nurseries[-1].start(path)
