"""A learner's file, alive in a process of its own: called by name, answered with plain values."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Self

from memlab.harness.runner import scratch
from memlab.labs.laws import child

LIMIT = 5.0
"""Seconds that one call may take."""
LONGEST = 1_000_000
"""Bytes of one answer."""
SHOWN = 60
"""Characters of one argument, as a message shows it."""
NOTHING: Mapping[str, str] = {}


class Wrong(Exception):
    """A learner's file does not do what a law asks: one sentence that says what it did, and what was expected."""


@dataclass(frozen=True)
class Raised:
    """An exception of the learner's code, as `attempt` gives it; by a ValueError of its own a call `refuses`."""

    type: str
    says: str
    refuses: bool = False


class Work:
    """A learner's file in a child process. `folder` is where it stands, `printed` what the last call printed.

    `told` is what `fresh` laid out, and the calls since, as they are written. Once the process is gone, every call
    raises the Wrong that says how it went. To be used in a `with` statement.
    """

    def __init__(self, path: Path, made: str = "", limit: float = LIMIT) -> None:
        self._path = path.absolute()
        self._made = made
        self._limit = limit
        self._home = Path(tempfile.mkdtemp(prefix="memlab-lab-", dir=scratch()))
        self._desks = 0
        self._env: dict[str, str] = {}
        self._commands: dict[str, str] = {}
        self.over: Wrong | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self.folder = self._home
        self.printed = ""
        self.told: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def fresh(
        self,
        files: Iterable[str] | Mapping[str, str] = (),
        env: Mapping[str, str] = NOTHING,
        commands: Mapping[str, str] = NOTHING,
    ) -> None:
        """Begin in an empty folder, with the file loaded anew. Raises Wrong where it does not load.

        `files` are created in it, `env` is set on top of our own variables, `commands` (name to help text) are
        registered in the HELP of the file.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self._desks += 1
        self.folder = self._home / str(self._desks)
        self.folder.mkdir(parents=True)
        texts = files if isinstance(files, Mapping) else dict.fromkeys(files, "")
        for name, text in texts.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        self._env, self._commands, self.told = dict(env), dict(commands), _given(texts, env, commands)
        self._load()

    def again(self) -> None:
        """End the process and begin another in the same folder, as on another day: Python salts its hash() anew."""
        self._end()
        self.told.append("(a new process)")
        self._load()

    def another(self) -> None:
        """Make a second object of the learner's class, beside the first: it is called from now on."""
        self.told.append(f"(a second {self._made}())")
        reply = self._ask({"do": "another"}, f"{self._made}()")
        if "raised" in reply:
            raise Wrong(f"a second {self._made}() raised {reply['raised']}: {reply['says']}")

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - whatever the learner answers
        """Call a function of the learner's and give its value, tuples as lists.

        Raises Wrong where it raises, is not written yet, is not there, does not end, or gives no plain value.
        """
        answer = self.attempt(name, *args, **named)
        if isinstance(answer, Raised):
            raise Wrong(f"{shown(name, args, named)} raised {answer.type}: {answer.says}")
        return answer

    def attempt(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - whatever the learner answers
        """Call a function of the learner's, and give an exception of its code as Raised."""
        call = shown(name, args, named)
        self.told.append(call)
        reply = self._ask({"do": "call", "name": name, "args": args, "named": named}, call)
        if "odd" in reply:
            raise Wrong(f"{call} returned {reply['odd']}, expected a plain value: None, text, a number, a list")
        if "raised" not in reply:
            return reply["ok"]
        if reply["raised"] == "NotImplementedError":
            raise Wrong(f"{name} is not written yet: it raises NotImplementedError")
        if reply["raised"] == "AttributeError" and not self._ask({"do": "has", "name": name}, call).get("ok"):
            raise Wrong(f"{self._what()} has no {name}. Keep the name that it had: the interface is fixed")
        where = f" (line {reply['line']})" if reply["line"] else ""
        return Raised(reply["raised"], f"{reply['says']}{where}", reply["refuses"])

    def value(self, name: str) -> Any:  # noqa: ANN401 - whatever the learner keeps there
        """Give a value that the learner's file or object has. Raises Wrong where it has none."""
        reply = self._ask({"do": "value", "name": name}, name)
        if "ok" not in reply:
            raise Wrong(f"{self._what()} has no plain value {name}: {reply.get('odd') or reply.get('says')}")
        return reply["ok"]

    def takes(self, name: str, parameter: str) -> bool:
        """Tell if a function of the learner's takes a parameter by its name."""
        return bool(self._ask({"do": "takes", "name": name, "parameter": parameter}, name).get("ok"))

    def has(self, name: str) -> bool:
        """Tell if the learner's file has a function of this name."""
        return bool(self._ask({"do": "has", "name": name}, name).get("ok"))

    def close(self) -> None:
        """End the process and remove its folders."""
        self._end()
        shutil.rmtree(self._home, ignore_errors=True)

    def _what(self) -> str:
        return self._made or self._path.name

    def _load(self) -> None:
        asked = {"do": "fresh", "folder": str(self.folder), "env": self._env, "commands": self._commands}
        reply = self._ask(asked, f"loading {self._path.name}")
        if "raised" not in reply:
            return
        where = f", line {reply['line']}" if reply["line"] else ""
        raise Wrong(f"{self._path.name} does not load{where}: {reply['raised']}: {reply['says']}")

    def _ask(self, asked: Mapping[str, object], doing: str) -> dict[str, Any]:
        if self.over:
            raise self.over
        process = self._process or self._start()
        try:
            _stream(process.stdin).write(json.dumps(asked).encode() + b"\n")
            _stream(process.stdin).flush()
            line = self._line(doing)
        except BrokenPipeError:
            line = b""
        if not line:
            raise self._stop(f"{doing} ended Python itself (exit code {process.wait()}). A function returns or raises")
        reply: dict[str, Any] = json.loads(line)
        self.printed = reply["printed"]
        return reply

    def _line(self, doing: str) -> bytes:
        """Read one line, within the limit; b"" where the process has hung up."""
        try:
            line = self._lines.get(timeout=self._limit)
        except Empty:
            why = f"{doing} did not return within {self._limit:g} s. Is there a loop without an end?"
            raise self._stop(why) from None
        if len(line) > LONGEST:
            raise self._stop(f"{doing} gave more than {LONGEST:,} bytes, expected a short plain value")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the child: -P keeps our own folder from its imports; each has another hash salt, yet repeats."""
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
            [sys.executable, "-s", "-P", child.__file__, str(self._path), self._made],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._home,
            env=os.environ | {"PYTHONHASHSEED": str(self._desks + len(self.told) + 1)},
        )
        self._lines = SimpleQueue()
        Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True).start()
        return self._process

    def _stop(self, why: str) -> Wrong:
        self._end()
        self.over = Wrong(why)
        return self.over

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):  # what was not read any more
            _stream(self._process.stdin).close()
        self._process = None


def _listen(stream: Any, lines: SimpleQueue[bytes]) -> None:  # noqa: ANN401 - the pipe that Popen was asked for
    """Take line after line from a pipe: a thread can wait for one on every platform, and the caller for so long."""
    with stream:
        while line := stream.readline(LONGEST + 1):
            lines.put(line)
    lines.put(b"")


def shown(name: str, args: Iterable[object], named: Mapping[str, object]) -> str:
    """Write a call as it stands in code: recall('which package manager')."""
    words = [_short(one) for one in args] + [f"{key}={_short(one)}" for key, one in named.items()]
    return f"{name}({', '.join(words)})"


def _given(texts: Mapping[str, str], env: Mapping[str, str], commands: Mapping[str, str]) -> list[str]:
    """Tell what a folder begins with, in brackets, since nobody called it."""
    told = [f"{name} holds {_short(text)}" if text else f"{name} is there" for name, text in texts.items()]
    told += [f"${name} is {_short(value)}" for name, value in env.items()]
    told += [f"HELP[{name!r}] is {_short(page)}" for name, page in commands.items()]
    return [f"({one})" for one in told]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]}...{text[-1]}"


def _stream(stream: Any) -> Any:  # noqa: ANN401 - a pipe that Popen was asked for is there
    assert stream is not None  # noqa: S101 - both were asked for
    return stream
