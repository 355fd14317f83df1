"""A child process that answers lines of JSON: within a time, within a size, and ended with all that it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

LONGEST = 1_000_000
"""Bytes of one answer."""
GRACE = 0.5
"""Seconds in which a child that has hung up is to end by itself, so that it can be said how."""


class Lost(Exception):
    """A child gave no answer: what it did instead, as the end of a sentence."""


class Channel:
    """One child. What it prints and what it leaves running never reaches its answers."""

    def __init__(self, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the caller names the command
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        assert self._process.stdin is not None  # noqa: S101 - asked for above
        assert self._process.stdout is not None  # noqa: S101 - likewise
        self._asking = self._process.stdin
        Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True).start()

    def ask(self, question: Mapping[str, object], limit: float) -> dict[str, Any]:
        """Send a question and give the answer. Raises Lost where none comes within `limit` seconds, or no sound one."""
        with suppress(BrokenPipeError):  # then nothing comes back either
            self._asking.write(json.dumps(question).encode() + b"\n")
            self._asking.flush()
        try:
            line = self._lines.get(timeout=limit)
        except Empty:
            raise Lost(f"did not return within {limit:g} s. Is there a loop without an end?") from None
        if not line:
            raise Lost(f"ended Python itself{self._how()}. A function returns or raises")
        if len(line) > LONGEST:
            raise Lost(f"gave more than {LONGEST:,} bytes, expected a short plain value")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Lost("wrote into the channel by which it is asked, or changed the json that answers")
        return answer

    def end(self) -> None:
        """End the child and all that it started, unless that has left its session."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # what was not read any more
            self._asking.close()

    def _how(self) -> str:
        try:
            return f" (exit code {self._process.wait(GRACE)})"
        except subprocess.TimeoutExpired:
            return ""


def _listen(stream: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    """Take line after line from a pipe: a thread can wait for one on every platform, and the caller for so long."""
    with stream:
        while line := stream.readline(LONGEST + 1):
            lines.put(line)
    lines.put(b"")
