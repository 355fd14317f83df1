"""Starts untrusted processes, and ends them with all processes that they started. It runs none of their code.

It executes an interpreter for a learner's file, in a sandbox or not, and passes requests on to it. The supervisor of
memory systems is in forked_children.

Imports nothing but the standard library: memlab may not be installed where it runs.
"""

from __future__ import annotations

import json
import marshal
import os
import signal
import subprocess
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

from memlab.sandbox.sandbox_folder import DATA, SandboxFolder, UnusableFile

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes as long as starting Python
    from collections.abc import Callable, Mapping
    from typing import IO, Any

    Request = Mapping[str, Any]
    Actions = Mapping[str, Callable[[Request], object]]
LONGEST = 1_000_000
"""Bytes of one answer of an executed child."""
GRACE = 0.5
"""Seconds that a child which closed its output has to end, so that its exit code can be reported."""
DUMPABLE, SUBREAPER = 4, 36
RUN = """\
import marshal, os, sys
data = b""
while len(data) < {size} and (more := os.read(0, {size} - len(data))):
    data += more
names = {{}}
modules, start = marshal.loads(data)
for name, code in modules:
    module = sys.modules[name] = names[name.rpartition(".")[2]] = type(sys)(name)
    exec(code, vars(module))
for name, _ in modules:
    del sys.modules[name]
exec(start, names)
"""
"""What a child runs: it reads compiled modules from its input, which nothing can import later, and a call of them."""


class ExecutedChild:
    """A child that executes an interpreter of its own, without site packages.

    `settings` has the sources of its modules by name, each after those that it imports, and what it then runs. They are
    compiled once for all children.
    """

    def __init__(self, settings: Request) -> None:
        modules = [(name, compile(source, name, "exec")) for name, source in settings["sources"].items()]
        self._program = marshal.dumps((modules, compile(settings["start"], "start", "exec")))
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def start(self, request: Request) -> None:
        """End the previous child and start a new one; `hash()` is salted with a number."""
        self.end()
        self._process = subprocess.Popen(  # noqa: S603 - our own Python
            [sys.executable, "-S", "-s", "-P", "-c", RUN.format(size=len(self._program))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=sys.argv[1],
            env=dict(os.environ) | {"PYTHONHASHSEED": str(request["salt"])},
            start_new_session=True,
            bufsize=0,
        )
        self._rest = b""
        self._send(self._program)

    def ask(self, line: bytes) -> bytes:
        """Pass a request on; return C and the answer, or E and how the child ended."""
        if self._process is None:
            return b'E{"ended": null}'
        self._send(line)
        answer = self._rest
        while b"\n" not in answer and len(answer) <= LONGEST:
            more = os.read(self._process.stdout.fileno(), 65536)  # type: ignore[union-attr] # a pipe was requested above
            if not more:
                return b"E" + json.dumps({"ended": self._status()}).encode()
            answer += more
        if len(answer) > LONGEST:
            return b'E{"longest": %d}' % LONGEST
        answer, _, self._rest = answer.partition(b"\n")
        return b"C" + answer

    def end(self) -> None:
        """Kill the child and the processes that it started, except those that left its session."""
        if self._process is None:
            return
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr] # a pipe was requested above
        self._process = None

    def _send(self, line: bytes) -> None:
        with suppress(OSError):  # the child has closed its input, which is noticed when its answer is read
            while line:
                line = line[os.write(self._process.stdin.fileno(), line) :]  # type: ignore[union-attr] # a pipe was requested above

    def _status(self) -> int | None:
        """Return the exit code, or minus the signal; None if the child closed its pipe but still runs."""
        assert self._process is not None  # noqa: S101 - a pipe was requested above
        try:
            return self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return None


def kill_group(pid: int) -> None:
    """Kill all processes of a group, where the system has groups."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)


def act(line: bytes, actions: Actions, **more: object) -> bytes:
    """Return the reply to a request for an action of this process."""
    request = json.loads(line) | more
    try:
        reply = {"ok": actions[request["do"]](request)}
    except UnusableFile as error:
        reply = {"unusable": str(error)}
    except (OSError, ValueError, RecursionError) as error:
        reply = {"unusable": f"cannot be used ({type(error).__name__}: {error})"}
    return json.dumps(reply).encode()


def control_process(option: int, value: int) -> None:
    """Call prctl(2), where the system has it."""
    with suppress(ImportError, AttributeError, OSError):  # only Linux has it
        import ctypes  # noqa: PLC0415 - not everywhere

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def supervise_one() -> None:
    """Answer requests on standard input until it is closed: C... is passed on to the child, S... is for this process.

    The first line has the settings of the child; the argument is its folder.
    """
    control_process(DUMPABLE, 0)  # a child of the same user must not read the memory and pipes of this process
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    child = ExecutedChild(json.loads(requests.readline()))
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(requests, lines, child), daemon=True).start()
    folder = SandboxFolder(sys.argv[1], os.environ.get(DATA, ""))
    actions = {"start_child": child.start} | folder.actions()
    while True:
        line = lines.get()
        replies.write((child.ask(line[1:]) if line.startswith(b"C") else b"S" + act(line[1:], actions)) + b"\n")
        replies.flush()


def _read(requests: IO[bytes], lines: SimpleQueue[bytes], child: ExecutedChild) -> None:
    """Read requests. When the parent closes the channel, even during a request, end the child and this process."""
    for line in requests:
        lines.put(line)
    child.end()
    os._exit(0)
