"""Where a learner's file lives: a supervisor process, with or without a sandbox around it, and a folder in it."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memlab.sandbox import child, supervisor
from memlab.sandbox.channel import Channel, ChildProcessFailed
from memlab.sandbox.folders import in_memory_folder

FLAGS = ("-S", "-s", "-P")
"""No site packages, and none of our folders among the imports: a file in the folder shadows nothing."""
NEEDED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")
"""Variables of ours that a learner's process has: what else is set on a machine must not decide what holds."""
DEEPEST = 25
"""Levels of an answer."""
DIGITS = 31
"""Letters of a number in an answer."""
PATIENCE = 10.0
"""Seconds that the supervisor has for what it does itself."""
SHAPES = {
    frozenset({"ok", "printed"}),
    frozenset({"odd", "printed"}),
    frozenset({"raised", "says", "line", "refuses", "printed"}),
}
"""The keys of an answer, beside the number of its question."""
ENDS = {
    "SIGXCPU": "its computing time was used up",
    "SIGKILL": "from outside, as where memory is short, or by itself",
    "SIGSEGV": "it touched memory that is not its own, or its stack was full",
}
"""What it means that a signal ended a process."""
TYPES: Mapping[str, type] = {"odd": str, "raised": str, "says": str, "line": int, "refuses": bool, "printed": str}


class UnreadableFile(Exception):
    """What the learner's file left in its folder is no file of sensible size: why, as the end of a sentence."""


class SandboxNotStarted(OSError):
    """A room did not begin, and nothing of the learner's was at work in it yet: it is no fault of theirs."""


class Sandbox:
    """A supervisor and the learner's process beside it. To be used in a `with` statement.

    `python` is the command that runs Python, whatever sandbox stands before it; `home` is the folder, as it is called
    inside, in which all that the learner's file writes lies; `env` is the whole environment. `first` is source that the
    supervisor runs before anything else, `before` what the learner's process runs before the learner's file.
    `user` is the plain uid of it all, where we are root. `ended` is called when all is over.
    """

    def __init__(  # noqa: PLR0913 - what a sandbox consists of
        self,
        python: Sequence[str],
        home: str,
        *,
        env: Mapping[str, str],
        first: str = "",
        before: str = "",
        user: int | None = None,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        code = f"exec({first!r})\nexec({_source(supervisor.__file__)!r})"
        command = [*python, *FLAGS, "-c", code, home]
        self._ended = ended
        self._before = before
        self._asked = 0
        self._begun = False
        self._channel = Channel(command, Path(os.sep), env, user)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def set_file(self, source: str, name: str, made: str) -> None:
        """Take the learner's file in: its text, its name, and the class that calls go to an object of."""
        given = {"source": source, "name": name, "made": made, "before": self._before, "child": _source(child.__file__)}
        self._given = json.dumps(given).encode() + b"\n"

    def start_child(self, salt: int) -> None:
        """Start the learner's process, anew if there is one; Python salts its hash() with a number.

        Raises SandboxNotStarted the first time, and later ChildProcessFailed.
        """
        try:
            self.supervise("start_child", salt=salt)
        except (ChildProcessFailed, UnreadableFile) as error:
            if self._begun:
                raise ChildProcessFailed(f"could not be begun again: {error}") from None
            raise SandboxNotStarted(f"a room could not be begun: its supervisor {error}") from None
        self._begun = True

    def supervise(self, action: str, **arguments: object) -> Any:  # noqa: ANN401 - a path, a list of them, bytes as base64
        """Have the supervisor do something itself. Raises UnreadableFile and ChildProcessFailed."""
        line = self._given + b"S" + json.dumps({"do": action} | arguments).encode()
        self._given = b""
        reply = self._channel.ask(line, PATIENCE)
        if not reply.startswith(b"S"):
            raise ChildProcessFailed("ended what watches over it")
        told = _loads(reply[1:])
        if "unfit" in told:
            raise UnreadableFile(f"{told['unfit']}")
        if "ok" not in told:
            raise ChildProcessFailed("ended what watches over it")
        return told["ok"]

    def ask(self, question: Mapping[str, object], limit: float) -> dict[str, Any]:
        """Ask the learner's process. Raises ChildProcessFailed if no valid answer comes in time."""
        self._asked += 1
        line = json.dumps({**question, "number": self._asked}).encode()
        reply = self._channel.ask(b"W" + line, limit)
        if reply.startswith(b"L"):
            raise _lost(_loads(reply[1:]))
        answer = _loads(reply[1:]) if reply.startswith(b"W") else {}
        if answer.pop("number", None) != self._asked or not _sound(answer):
            raise ChildProcessFailed("wrote into the channel by which it is asked, or changed what answers")
        return answer

    def end(self) -> None:
        """End both processes and all that they started, and remove the folder."""
        self._channel.end()
        self._ended()


StartSandbox = Callable[[], Sandbox]


def start_unisolated() -> Sandbox:
    """Give a room without a sandbox: for a learner's file on the learner's own machine."""
    home = tempfile.mkdtemp(prefix="memlab-lab-", dir=in_memory_folder())
    env = {name: os.environ[name] for name in NEEDED if name in os.environ}
    return Sandbox([sys.executable], home, env=env, ended=lambda: shutil.rmtree(home, ignore_errors=True))


def _source(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _lost(told: Mapping[str, Any]) -> ChildProcessFailed:
    """Tell how a learner's process ended."""
    if "long" in told:
        return ChildProcessFailed(f"gave more than {supervisor.LONGEST:,} bytes, expected a short plain value")
    code = told.get("ended")
    if not isinstance(code, int):
        return ChildProcessFailed("ended Python itself. A function returns or raises")
    if code < 0:
        name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
        why = f" ({ENDS[name]})" if name in ENDS else ""
        return ChildProcessFailed(
            f"was ended by {name}{why}. A function returns or raises", timed_out=name == "SIGXCPU"
        )
    return ChildProcessFailed(f"ended Python itself (exit code {code}). A function returns or raises")


def _loads(line: bytes) -> dict[str, Any]:
    """Parse an answer. Raises ChildProcessFailed for duplicate keys, NaN, huge numbers, surrogates or deep nesting."""
    try:
        found = json.loads(line, object_pairs_hook=_once, parse_constant=_refuse, parse_int=_int, parse_float=_float)
        _shallow(found, DEEPEST)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ChildProcessFailed("wrote into the channel by which it is asked, or changed the json that answers")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _refuse(text: str) -> float:
    raise ValueError(text)


def _int(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError("a huge number")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that is none")
    return number


def _shallow(value: object, depth: int) -> None:
    if not depth:
        raise ValueError("too deep")
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for key, one in value.items():
            key.encode()
            _shallow(one, depth - 1)
    elif isinstance(value, list):
        for one in value:
            _shallow(one, depth - 1)


def _sound(answer: Mapping[str, Any]) -> bool:
    return frozenset(answer) in SHAPES and all(
        type(value) is TYPES[key] for key, value in answer.items() if key in TYPES
    )
