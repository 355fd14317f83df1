"""A learner's file, alive in a process of its own: called by name, answered with plain values."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memlab.harness.runner import scratch
from memlab.labs.laws import child
from memlab.labs.laws.channel import Channel, Lost

LIMIT = 5.0
"""Seconds that one call may take."""
TOTAL = 60.0
"""Seconds that all calls of one Work may take together."""
SAID = 300
"""Characters of an exception's words, as a message shows them."""
NEEDED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")
"""Variables of ours that a learner's process has: what else is set on a machine must not decide what holds."""
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
        self._channel: Channel | None = None
        self._spent = 0.0
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

        `files` are created in it, `env` is set, `commands` (name to help text) are
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

    def reuse(self) -> None:
        """Empty the lists that the last call was handed, as their owner may do afterwards."""
        self.told.append("(the caller empties the list that it handed over)")
        self._ask({"do": "reuse"}, "reuse")

    def value(self, name: str) -> Any:  # noqa: ANN401 - whatever the learner keeps there
        """Give a value that the learner's file or object has. Raises Wrong where it has none."""
        reply = self._ask({"do": "value", "name": name}, name)
        if "ok" not in reply:
            raise Wrong(f"{self._what()} has no plain value {name}: {reply.get('odd') or reply.get('says')}")
        return reply["ok"]

    def takes(self, name: str, parameter: str) -> bool:
        """Tell if a function of the learner's takes a parameter by its name."""
        return bool(self._ask({"do": "takes", "name": name, "parameter": parameter}, name).get("ok"))

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
        begun = time.monotonic()
        try:
            reply = self._begun().ask(asked, self._limit)
            printed, says = reply["printed"], reply.get("says", "")
            self.printed, reply["says"] = f"{printed}", f"{says}"[:SAID]
        except Lost as lost:
            raise self._stop(f"{doing} {lost}") from None
        except KeyError:
            raise self._stop(f"{doing} gave an answer of its own making") from None
        self._spent += time.monotonic() - begun
        if self._spent > TOTAL:
            raise self._stop(f"the calls of this check took {TOTAL:g} s together, up to {doing}. What takes so long?")
        return reply

    def _begun(self) -> Channel:
        """Give the child, started if need be: -P keeps our folder from its imports; its hash salt is new, yet repeats.

        It has none of our variables but those that a program needs to run at all.
        """
        if self._channel is None:
            command = [sys.executable, "-s", "-P", child.__file__, str(self._path), self._made]
            env = {name: os.environ[name] for name in NEEDED if name in os.environ}
            salt = {"PYTHONHASHSEED": str(self._desks + len(self.told) + 1)}
            self._channel = Channel(command, self._home, env | salt)
        return self._channel

    def _stop(self, why: str) -> Wrong:
        self._end()
        self.over = Wrong(why)
        return self.over

    def _end(self) -> None:
        if self._channel is not None:
            self._channel.end()
            self._channel = None


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
