"""Forked copies of this process, which may be killed, and what they report."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

PATIENCE = 60.0
"""Seconds without a report after which a process is killed."""


class Report:
    """The pipes to the process that forked this one: lines to it, and a sign to start from it."""

    def __init__(self, writing: int, starting: int) -> None:
        self._writing = writing
        self._starting = starting

    def __call__(self, line: str) -> None:
        """Send a line, without its line break."""
        os.write(self._writing, line.encode() + b"\n")

    def wait_for_start(self) -> None:
        """Wait until the other process calls `start`, or ends."""
        os.read(self._starting, 1)


def fork(act: Callable[[], object]) -> int:
    """Run an act in a forked copy of this process; return its process id.

    Its exit code is 0, or 1 for an exception, which is printed.
    """
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        act()
        code = 0
    except BaseException:  # noqa: BLE001 - the child must not continue as a second copy of its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


class ReportingProcess:
    """A forked copy of this process that runs an act, and the lines that it reports."""

    def __init__(self, act: Callable[[Report], object]) -> None:
        self._reading, writing = os.pipe()
        starting, self._start = os.pipe()
        self._buffer = b""

        def reporting() -> None:
            os.close(self._reading)
            os.close(self._start)
            act(Report(writing, starting))

        self._pid = fork(reporting)
        os.close(writing)
        os.close(starting)

    def start(self) -> None:
        """Let the process continue from `Report.wait_for_start`."""
        with suppress(BrokenPipeError):  # it has ended
            os.write(self._start, b"x")

    def read(self, most: int) -> list[str]:
        """Return the next lines, at most so many; fewer if the process ends, or reports nothing for PATIENCE."""
        while self._buffer.count(b"\n") < most and select.select([self._reading], [], [], PATIENCE)[0]:
            read = os.read(self._reading, 2**16)
            if not read:
                break
            self._buffer += read
        *lines, rest = self._buffer.split(b"\n", most)
        self._buffer = rest
        return [line.decode() for line in lines]

    def end(self, number: int = signal.SIGKILL, after: float = 0.0) -> None:
        """Send a signal after so many seconds, and wait for the end; a process that survives it is killed."""
        time.sleep(after)
        os.kill(self._pid, number)
        if number != signal.SIGKILL and not select.select([self._reading], [], [], PATIENCE)[0]:
            os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._reading)
        os.close(self._start)
