"""The parent's end of a channel to a process: sends a line, receives a line, with limits on time and size."""

from __future__ import annotations

import os
import select
import socket
import time
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

    It reads only when an answer is expected: other output of a process stays in the system's buffer. After an error a
    channel can only be closed.
    """

    def __init__(self, reading: IO[bytes], writing: IO[bytes], longest: int, end: socket.socket | None = None) -> None:
        """Take two streams, of which `writing` is unbuffered; `longest` counts bytes, `end` is their socket."""
        self._longest = longest
        make = _PolledLines if hasattr(select, "poll") else _ThreadedLines
        self._lines: _PolledLines | _ThreadedLines = make(reading, writing, longest, end)
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
        answer = self._lines.exchange(line + b"\n", limit, descriptor)
        if answer is None:
            raise ChildProcessFailed(f"did not return within {limit:g} s. Is there an endless loop?", timed_out=True)
        if not answer:
            raise ChildProcessFailed("ended Python itself. A function must return or raise", has_closed=True)
        if len(answer) > self._longest:
            raise too_long(self._longest)
        return answer.removesuffix(b"\n")

    def close(self) -> None:
        """Close this end. The other process then reads end of file."""
        self._finalizer()


def too_long(longest: int) -> ChildProcessFailed:
    """Return the error for an answer of more than `longest` bytes."""
    return ChildProcessFailed(f"gave more than {longest:,} bytes, expected a short plain value")


class _PolledLines:
    """Exchanges lines by waiting for the descriptors. An exchange costs a tenth of one through a thread."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes], longest: int, end: socket.socket | None) -> None:
        self._reading = reading
        self._writing = writing
        self._longest = longest
        self._end = end
        self._owner = os.getpid()
        self._rest = b""
        os.set_blocking(reading.fileno(), False)
        os.set_blocking(writing.fileno(), False)

    def exchange(self, line: bytes, limit: float, descriptor: int | None) -> bytes | None:
        """Return the answer, b"" if the other end was closed, None if there is none in time."""
        deadline = time.monotonic() + limit
        try:
            with suppress(BrokenPipeError, ConnectionError):  # the process has ended; it may have answered before
                self._write(line, deadline, descriptor)
            return self._read(deadline)
        except TimeoutError:
            return None
        except (OSError, ValueError):
            return b""

    def close(self) -> None:
        """Close the channel, except in a forked copy of the process that opened it."""
        if self._owner != os.getpid():
            return
        with suppress(OSError):
            if self._end is not None:
                self._end.shutdown(socket.SHUT_RDWR)
        for one in (self._writing, self._reading, self._end):
            with suppress(OSError):
                if one is not None:
                    one.close()

    def _write(self, line: bytes, deadline: float, descriptor: int | None) -> None:
        if self._end is not None and descriptor is not None:
            line = line[socket.send_fds(self._end, [line], [descriptor]) :]
        rest = memoryview(line)
        number = self._writing.fileno()
        while rest:
            try:
                rest = rest[os.write(number, rest) :]
            except BlockingIOError:
                _wait(number, select.POLLOUT, deadline)

    def _read(self, deadline: float) -> bytes:
        number, pieces, size = self._reading.fileno(), [self._rest], len(self._rest)
        while b"\n" not in pieces[-1] and size <= self._longest:
            _wait(number, select.POLLIN, deadline)
            pieces.append(os.read(number, BUFFER))
            size += len(pieces[-1])
            if not pieces[-1]:
                break
        line, newline, self._rest = b"".join(pieces).partition(b"\n")
        return line + newline


def _wait(number: int, event: int, deadline: float) -> None:
    """Wait until a descriptor is ready or closed. Raises TimeoutError."""
    poll = select.poll()
    poll.register(number, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise TimeoutError


class _ThreadedLines:
    """Exchanges lines in a thread, for systems that cannot wait for a pipe with a time limit.

    The thread does not refer to the channel, which can be dropped.
    """

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

    def exchange(self, line: bytes, limit: float, descriptor: int | None) -> bytes | None:
        """Return the answer, b"" if the other end was closed, None if there is none in time."""
        self.requests.put((line, descriptor))
        try:
            return self.answers.get(timeout=limit)
        except Empty:
            return None

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
