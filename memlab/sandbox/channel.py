"""A child process that answers lines: within a time, within a size, and ended with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

LONGEST = 1_500_000
"""Bytes of one line that comes back."""
GRACE = 1.0
"""Seconds in which a child that is hung up on is to end by itself, with what it started."""
PAGE = 4_096
"""Bytes that every pipe holds."""
HANGS_UP = b""
"""What closes the asking side."""


class ChildProcessFailed(Exception):
    """A child gave no answer. The message ends a sentence: what it did instead. `timed_out` if its time was over."""

    def __init__(self, says: str, *, timed_out: bool = False) -> None:
        super().__init__(says)
        self.timed_out = timed_out


class Channel:
    """One child. A long line is written and every line is read by threads: no child can hold up who asks it."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str], user: int | None = None) -> None:
        """Start a child; `user` is the plain uid, and gid, that it runs as, which only root can choose."""
        self._process = subprocess.Popen(  # noqa: S603 - the caller names the command
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        assert self._process.stdin is not None  # noqa: S101 - asked for above
        assert self._process.stdout is not None  # noqa: S101 - likewise
        self._asking: IO[bytes] = self._process.stdin
        self._questions: SimpleQueue[bytes] = SimpleQueue()
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=_tell, args=(self._asking, self._questions), daemon=True).start()
        Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True).start()

    def ask(self, question: bytes, limit: float) -> bytes:
        """Send a line and return the answer. Raises ChildProcessFailed if none comes within `limit` seconds."""
        if len(question) < PAGE:  # it fits into a pipe that is empty, as this is: every question was answered
            _write(self._asking, question + b"\n")
        else:
            self._questions.put(question + b"\n")
        try:
            line = self._lines.get(timeout=limit)
        except Empty:
            raise ChildProcessFailed(
                f"did not return within {limit:g} s. Is there a loop without an end?", timed_out=True
            ) from None
        if not line:
            raise ChildProcessFailed("ended Python itself. A function returns or raises")
        if len(line) > LONGEST:
            raise ChildProcessFailed(f"gave more than {LONGEST:,} bytes, expected a short plain value")
        return line

    def end(self) -> None:
        """Hang up, and end the child and all that it started, unless that has left its session."""
        self._questions.put(HANGS_UP)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()


def _tell(stream: IO[bytes], questions: SimpleQueue[bytes]) -> None:
    """Write line after line into a pipe: a child that reads nothing fills it, and then only this thread waits."""
    with suppress(OSError), stream:
        while (question := questions.get()) is not HANGS_UP:
            _write(stream, question)


def _write(stream: IO[bytes], line: bytes) -> None:
    with suppress(OSError, ValueError):  # the child is gone; nothing comes back either
        stream.write(line)
        stream.flush()


def _listen(stream: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Take line after line from a pipe: a thread can wait for one on every platform, and the caller for so long."""
    with stream:
        while line := stream.readline(LONGEST + 1):
            lines.put(line)
    lines.put(b"")
