"""The parent's end of a channel to a process: sends a line, receives a line, with limits on time and size."""

from __future__ import annotations

import os
import socket
import weakref
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Self

BUFFER = 2**16


class ChildProcessFailed(Exception):
    """A process gave no valid answer. The message says what it did instead, as the end of a sentence.

    `timed_out` is true if it took too long, `has_closed` if it closed its end of the channel.
    """

    def __init__(self, message: str, *, timed_out: bool = False, has_closed: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.has_closed = has_closed


class Channel:
    """Sends lines and receives one line for each. A process that reads or writes nothing cannot block the caller.

    A thread does both, since not every system can wait for a pipe with a time limit. It reads only when an answer is
    expected: other output of a process stays in the system's buffer. After an error a channel can only be closed.
    """

    def __init__(self, reading: IO[bytes], writing: IO[bytes], longest: int, end: socket.socket | None = None) -> None:
        """Start the thread. `writing` is unbuffered, `longest` counts bytes, `end` is the socket under both streams."""
        self._longest = longest
        self._lines = _Lines(reading, writing, longest, end)
        self._finalizer = weakref.finalize(self, self._lines.close)
        self._finalizer.atexit = False

    @classmethod
    def over(cls, end: socket.socket, longest: int) -> Self:
        """Return a channel over one end of a pair of sockets."""
        number = end.fileno()
        reading, writing = open(number, "rb", BUFFER, closefd=False), open(number, "wb", 0, closefd=False)  # noqa: SIM115 - descriptors, which the socket closes
        return cls(reading, writing, longest, end)

    def exchange(self, line: bytes, limit: float, descriptor: int | None = None) -> bytes:
        """Send a line, and a file descriptor along with it; return the answer without its line break.

        Raises ChildProcessFailed if there is none within `limit` seconds.
        """
        self._lines.requests.put((line + b"\n", descriptor))
        try:
            answer = self._lines.answers.get(timeout=limit)
        except Empty:
            raise ChildProcessFailed(
                f"did not return within {limit:g} s. Is there a loop without an end?", timed_out=True
            ) from None
        if not answer:
            raise ChildProcessFailed("ended Python itself. A function returns or raises", has_closed=True)
        if len(answer) > self._longest:
            raise too_long(self._longest)
        return answer.removesuffix(b"\n")

    def close(self) -> None:
        """Close this end. The other process then reads end of file."""
        self._finalizer()


def too_long(longest: int) -> ChildProcessFailed:
    """Return the error for an answer of more than `longest` bytes."""
    return ChildProcessFailed(f"gave more than {longest:,} bytes, expected a short plain value")


class _Lines:
    """The thread of a channel, and what it works on. It does not refer to the channel, which can be dropped."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes], longest: int, end: socket.socket | None) -> None:
        self.requests: SimpleQueue[tuple[bytes, int | None] | None] = SimpleQueue()
        self.answers: SimpleQueue[bytes] = SimpleQueue()
        self._reading = reading
        self._writing = writing
        self._longest = longest
        self._end = end
        self._owner = os.getpid()
        self._is_writing = False
        Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        """End the thread and close the channel, even while it waits for an answer."""
        if self._owner != os.getpid():  # a forked copy of the parent must not close the channel
            return
        self.requests.put(None)
        with suppress(OSError):
            if self._end is not None:
                self._end.shutdown(socket.SHUT_RDWR)
            elif not self._is_writing:
                self._writing.close()

    def _run(self) -> None:
        while (request := self.requests.get()) is not None:
            self._is_writing = True
            with suppress(OSError, ValueError):  # the process has ended, so there is no answer
                self._write(*request)
            self._is_writing = False
            try:
                line = self._reading.readline(self._longest + 1)
            except OSError:
                line = b""
            self.answers.put(line)
        with suppress(OSError):
            self._writing.close()
        self._reading.close()
        if self._end is not None:
            self._end.close()

    def _write(self, line: bytes, descriptor: int | None) -> None:
        if self._end is not None and descriptor is not None:
            sent = socket.send_fds(self._end, [line], [descriptor])
            line = line[sent:]
        rest = memoryview(line)
        while rest:
            rest = rest[self._writing.write(rest) :]
