"""A learner's file, alive in a process of its own: called by name, answered with plain values."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from memlab.sandbox.call_text import given, shown
from memlab.sandbox.channel import ChildProcessFailed
from memlab.sandbox.sandbox import Sandbox, Start, Unreadable, here
from memlab.sandbox.substitution import Words, reworded, worded

LIMIT = 5.0
"""Seconds that one call may take."""
TOTAL = 60.0
"""Seconds that all calls of one Work may take together."""
SAID = 300
"""Characters of an exception's words, as a message shows them."""
MOST = 4_000_000
"""Bytes that are read between two calls, as base64."""
NOTHING: Mapping[str, str] = {}


class CheckFailed(Exception):
    """A learner's file does not do what a law asks: one sentence that says what it did, and what was expected."""


class Unloaded(CheckFailed):
    """A learner's file does not load: what loading it `raised`."""

    def __init__(self, says: str, raised: str) -> None:
        super().__init__(says)
        self.raised = raised


@dataclass(frozen=True)
class Raised:
    """An exception of the learner's code, as `attempt` gives it; by a ValueError of its own a call `refuses`."""

    type: str
    says: str
    refuses: bool = False


class Work:
    """A learner's file in a room of its own. `folder` is where it stands, `printed` what the last call printed.

    `told` is what `fresh` laid out, and the calls since, as they are written. Whoever puts `words` in has the file told
    everything in these, and its answers said in the law's again. Once the process is gone, every call raises `over`,
    the CheckFailed that says how it went; `late` says that it took too long, `full` that it asked for more memory than
    there is. To be used in a `with` statement.
    """

    def __init__(
        self, path: Path, made: str = "", limit: float = LIMIT, room: Start = here, total: float = TOTAL
    ) -> None:
        self._name = path.name
        self._made = made
        self._limit = limit
        self._total = total
        self._source = path.read_bytes()
        self._start = room
        self._room: Sandbox | None = None
        self._desks = 0
        self._env: dict[str, str] = {}
        self._commands: dict[str, str] = {}
        self.words: Words = str
        self.over: CheckFailed | None = None
        self.late = self.full = False
        self._end = time.monotonic() + total
        self._read = 0
        self.folder = ""
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
        """Begin in an empty folder, with the file loaded anew. Raises CheckFailed where it does not load.

        `files` are created in it, `env` is set, `commands` (name to help text) are
        registered in the HELP of the file.
        """
        texts = files if isinstance(files, Mapping) else dict.fromkeys(files, "")
        self._env, self._commands, self.told = dict(env), dict(commands), given(texts, env, commands)
        self._lay_out(texts)
        self._load()

    def again(self) -> None:
        """End the process and begin another in the same folder, as on another day: Python salts its hash() anew."""
        self.told.append("(a new process)")
        self._begin()
        self._load()

    def main(self) -> str:
        """Run the file as a program in an empty folder, and give what it printed. Raises CheckFailed where it fails."""
        self.told = [f"python {self._name}"]
        self._lay_out({})
        reply = self._ask({"do": "main", "folder": self.folder, "env": {}}, self.told[0])
        if "raised" in reply:
            raise CheckFailed(f"{self.told[0]} raised {reply['raised']}: {reply['says']}{_at(reply)}")
        return self.printed

    def surround(self, env: Mapping[str, str], commands: Mapping[str, str]) -> None:
        """Change what is around the file: these variables are set, and its HELP knows these commands, and no others."""
        self._env, self._commands = dict(env), dict(commands)
        self._ask({"do": "surround", "env": self._env, "commands": self._commands}, "surround")

    def another(self) -> None:
        """Make a second object of the learner's class, beside the first: it is called from now on."""
        self.told.append(f"(a second {self._made}())")
        reply = self._ask({"do": "another"}, f"{self._made}()")
        if "raised" in reply:
            raise CheckFailed(f"a second {self._made}() raised {reply['raised']}: {reply['says']}")

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - whatever the learner answers
        """Call a function of the learner's and give its value, tuples as lists.

        Raises CheckFailed where it raises, is not written yet, is not there, does not end, or gives no plain value.
        """
        answer = self.attempt(name, *args, **named)
        if isinstance(answer, Raised):
            raise CheckFailed(f"{shown(name, args, named)} raised {answer.type}: {answer.says}")
        return answer

    def attempt(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - whatever the learner answers
        """Call a function of the learner's, and give an exception of its code as Raised."""
        call = shown(name, args, named)
        self.told.append(call)
        reply = self._ask({"do": "call", "name": name, "args": args, "named": named}, call)
        if "odd" in reply:
            raise CheckFailed(f"{call} returned {reply['odd']}, expected a plain value: None, text, a number, a list")
        if "raised" not in reply:
            return reply["ok"]
        if reply["raised"] == "NotImplementedError":
            raise CheckFailed(f"{name} is not written yet: it raises NotImplementedError")
        if reply["raised"] == "AttributeError" and not self.has(name):
            raise CheckFailed(f"{self._what()} has no {name}. Keep the name that it had: the interface is fixed")
        return Raised(reply["raised"], f"{reply['says']}{_at(reply)}", reply["refuses"])

    def reuse(self) -> None:
        """Empty the lists that the last call was handed, as their owner may do afterwards."""
        self.told.append("(the caller empties the list that it handed over)")
        self._ask({"do": "reuse"}, "reuse")

    def value(self, name: str) -> Any:  # noqa: ANN401 - whatever the learner keeps there
        """Give a value that the learner's file or object has. Raises CheckFailed where it has none."""
        reply = self._ask({"do": "value", "name": name}, name)
        if "ok" not in reply:
            raise CheckFailed(f"{self._what()} has no plain value {name}: {reply.get('odd') or reply.get('says')}")
        return reply["ok"]

    def takes(self, name: str, parameter: str) -> bool:
        """Tell if a function of the learner's takes a parameter by its name."""
        return bool(self._ask({"do": "takes", "name": name, "parameter": parameter}, name).get("ok"))

    def has(self, name: str) -> bool:
        """Tell if there is something to call under a name."""
        return bool(self._ask({"do": "has", "name": name}, name).get("ok"))

    def read(self, path: str) -> bytes | None:
        """Read a file below the folder; None if there is none. Raises CheckFailed if it is no regular file."""
        found = self._do(f"{path}", "read", path=path)
        self._read += len(found or "")
        if self._read > MOST:
            raise CheckFailed(
                f"{self.told[-1]} left files that are too large together; expected files of a sensible size"
            )
        return None if found is None else reworded(base64.b64decode(found), self.words)

    def text(self, path: str) -> str | None:
        """Give a file as text, with what is no UTF-8 replaced; None where there is none."""
        data = self.read(path)
        return None if data is None else data.decode("utf-8", "replace")

    def files(self, under: str = ".") -> list[str]:
        """Name the files below a folder, from where the learner's file stands; links are none."""
        return [self.words(path) for path in self._do(under, "files", under=under)]

    def around(self) -> list[str]:
        """Name all that stands in the folder, and, as ../name, beside it."""
        return [self.words(path) for path in self._do("the folder", "around")]

    def lay(self, path: str, holds: str | bytes = b"") -> None:
        """Put a file below the folder, by hand, whatever stood there."""
        data = reworded(holds.encode() if isinstance(holds, str) else holds, self.words)
        self._do(path, "lay", path=path, data=base64.b64encode(data).decode())

    def remove(self, path: str) -> None:
        """Take away by hand what stands in a place, if anything does."""
        self._do(path, "remove", path=path)

    def link(self, path: str, target: str, *, hard: bool = False) -> None:
        """Put a link below the folder. Raises CheckFailed where the system makes none."""
        self._do(path, "link", path=path, target=target, hard=hard)

    def close(self) -> None:
        """End the processes and remove the folders."""
        if self._room is not None:
            self._room.end()
            self._room = None

    def _what(self) -> str:
        return self._made or self._name

    def _lay_out(self, texts: Mapping[str, str]) -> None:
        self._desks += 1
        files = {self.words(name): base64.b64encode(self.words(text).encode()).decode() for name, text in texts.items()}
        self.folder = self.words(self._do("the folder", "lay_out", number=self._desks, files=files))

    def _load(self) -> None:
        asked = {"do": "fresh", "folder": self.folder, "env": self._env, "commands": self._commands}
        reply = self._ask(asked, f"loading {self._name}")
        if "raised" in reply:
            where = f", line {reply['line']}" if reply["line"] else ""
            says = f"{self._name} does not load{where}: {reply['raised']}: {reply['says']}"
            raise Unloaded(says, reply["raised"])

    def _begin(self) -> Sandbox:
        """Start the learner's process, anew if there is one: its hash salt is new, yet repeats."""
        room = self._entered()
        try:
            room.begin(salt=self._desks + len(self.told) + 1)
        except ChildProcessFailed as lost:
            raise self._stop(f"{self._name} {lost}", late=lost.late) from None
        return room

    def _entered(self) -> Sandbox:
        """Give the room, begun if need be."""
        if self.over:
            raise self.over
        if self._room is None:
            self._room = self._start()
            self._room.take(self._source.decode("utf-8", "surrogateescape"), self._name, self._made)
            self._begin()
        return self._room

    def _do(self, what: str, act: str, **asked: object) -> Any:  # noqa: ANN401 - what the supervisor gives
        room = self._entered()
        try:
            found = room.do(act, **worded(asked, self.words))
        except Unreadable as unreadable:
            last = self.told[-1] if self.told else self._name
            raise CheckFailed(
                f"{last} left {what}, which {unreadable}; expected plain files of a sensible size"
            ) from None
        except ChildProcessFailed as lost:
            raise self._stop(f"{self._name} {lost}", late=lost.late) from None
        self._in_time(f"reading {what}")
        return found

    def _ask(self, asked: Mapping[str, object], doing: str) -> dict[str, Any]:
        room = self._entered()
        self._read = 0
        try:
            reply = worded(room.ask(worded(asked, self.words), self._limit), self.words)
        except ChildProcessFailed as lost:
            raise self._stop(f"{doing} {lost}", late=lost.late) from None
        self.full |= reply.get("raised") == "MemoryError"
        self.printed, reply["says"] = reply["printed"], reply.get("says", "")[:SAID]
        self._in_time(doing)
        return reply

    def _in_time(self, doing: str) -> None:
        if time.monotonic() > self._end:
            took = f"the calls of this check took {self._total:g} s together, up to {doing}. What takes so long?"
            raise self._stop(took, late=True)

    def _stop(self, why: str, *, late: bool) -> CheckFailed:
        self.close()
        self.late = late
        self.over = CheckFailed(why)
        return self.over


def _at(reply: Mapping[str, Any]) -> str:
    return f" (line {reply['line']})" if reply["line"] else ""
