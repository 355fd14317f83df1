"""Runs a learner's file in its own process: calls its functions by name, and returns plain values."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from memlab.sandbox.call_text import format_call, format_surroundings
from memlab.sandbox.channel import ChildProcessFailed
from memlab.sandbox.sandbox import Sandbox, SourceFile, StartSandbox
from memlab.sandbox.sandbox_folder import UnusableFile
from memlab.sandbox.substitution import Substitute, substitute_bytes, substitute_texts
from memlab.sandbox.unisolated import start_unisolated

LIMIT = 5.0
"""Seconds that one call may take."""
TOTAL = 60.0
"""Seconds that all calls of one LearnerFile may take together."""
LONGEST_MESSAGE = 300
"""Characters of an exception's message that are kept."""
MOST_READ = 4_000_000
"""Bytes of files, as base64, that may be read between two calls."""
NOTHING: Mapping[str, str] = {}


class CheckFailed(Exception):
    """A learner's file fails a check. The message says what the file did and what was expected."""


class LoadingFailed(CheckFailed):
    """A learner's file does not load. `raised` is the type of the exception."""

    def __init__(self, message: str, raised: str) -> None:
        super().__init__(message)
        self.raised = raised


@dataclass(frozen=True)
class Raised:
    """An exception of the learner's code. `is_refusal` is true for a ValueError that the code raised itself."""

    type: str
    message: str
    is_refusal: bool = False


class LearnerFile:
    """A learner's file in a sandbox of its own. To be used in a `with` statement.

    `folder` is the file's current directory, `printed` what the last call printed, `calls` the lines that describe the
    calls since the last `reset`. `substitute` replaces words in everything that is sent, and back in everything
    that returns. After the process has ended, every call raises `failure`, a CheckFailed that says how; `timed_out` is
    true if it took too long, `out_of_memory` if a call raised MemoryError.
    """

    def __init__(
        self,
        path: Path,
        class_name: str = "",
        limit: float = LIMIT,
        start_sandbox: StartSandbox = start_unisolated,
        total: float = TOTAL,
    ) -> None:
        self._name = path.name
        self._class_name = class_name
        self._limit = limit
        self._total = total
        self._file = SourceFile(path.read_bytes().decode("utf-8", "surrogateescape"), path.name, class_name)
        self._start_sandbox = start_sandbox
        self._sandbox: Sandbox | None = None
        self._folders = self._starts = 0
        self._env: dict[str, str] = {}
        self._commands: dict[str, str] = {}
        self.substitute: Substitute = str
        self.failure: CheckFailed | None = None
        self.timed_out = self.out_of_memory = False
        self._deadline = time.monotonic() + total
        self._bytes_read = 0
        self.folder = ""
        self.printed = ""
        self.calls: list[str] = []
        self._takes: dict[tuple[str, str], bool] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset(
        self,
        files: Iterable[str] | Mapping[str, str] = (),
        env: Mapping[str, str] = NOTHING,
        commands: Mapping[str, str] = NOTHING,
    ) -> None:
        """Load the file again in an empty folder. Raises LoadingFailed, or CheckFailed if the process has ended.

        Creates `files`, sets the variables `env`, and adds `commands` (name to help text) to the file's HELP.
        """
        texts = files if isinstance(files, Mapping) else dict.fromkeys(files, "")
        self._env, self._commands, self.calls = dict(env), dict(commands), format_surroundings(texts, env, commands)
        self._make_folder(texts)
        self._load()

    def restart(self) -> None:
        """End the process and start another in the same folder, with another salt for hash()."""
        self.calls.append("(a new process)")
        self._start_child()
        self._load()

    def set_surroundings(self, env: Mapping[str, str], commands: Mapping[str, str]) -> None:
        """Set the variables and the entries of the file's HELP to exactly these."""
        self._env, self._commands = dict(env), dict(commands)
        self._ask({"do": "set_surroundings", "env": self._env, "commands": self._commands}, "set_surroundings")

    def new_object(self) -> None:
        """Make a second object of the learner's class. Later calls go to it."""
        self.calls.append(f"(a second {self._class_name}())")
        reply = self._ask({"do": "new_object"}, f"{self._class_name}()")
        if "raised" in reply:
            raise CheckFailed(f"a second {self._class_name}() raised {reply['raised']}: {reply['message']}")

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - any plain value
        """Call a function of the learner's; return its value, tuples as lists.

        Raises CheckFailed if it raises, is missing, is not written yet, takes too long, or returns no plain value.
        """
        answer = self.attempt(name, *args, **named)
        if isinstance(answer, Raised):
            raise CheckFailed(f"{format_call(name, args, named)} raised {answer.type}: {answer.message}")
        return answer

    def attempt(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - any plain value
        """Call a function as `call` does, but return an exception of the learner's code as Raised."""
        call = format_call(name, args, named)
        self.calls.append(call)
        reply = self._ask({"do": "call", "name": name, "args": args, "named": named}, call)
        if "not_plain" in reply:
            raise CheckFailed(
                f"{call} returned {reply['not_plain']}, expected a plain value: None, text, a number, a list"
            )
        if "raised" not in reply:
            return reply["ok"]
        if reply["raised"] == "NotImplementedError":
            raise CheckFailed(f"{name} is not written yet: it raises NotImplementedError")
        if reply["raised"] == "AttributeError" and not self.has_function(name):
            raise CheckFailed(f"{self._target} has no {name}. Keep the name that it had: the interface is fixed")
        return Raised(reply["raised"], f"{reply['message']}{_line_of(reply)}", reply["is_refusal"])

    def clear_arguments(self) -> None:
        """Empty the lists that were passed to the last call, as their caller may do after it."""
        self.calls.append("(the caller empties the list that it handed over)")
        self._ask({"do": "clear_arguments"}, "clear_arguments")

    def get(self, name: str) -> Any:  # noqa: ANN401 - any plain value
        """Return an attribute of the learner's file or object. Raises CheckFailed if there is none."""
        reply = self._ask({"do": "get", "name": name}, name)
        if "ok" not in reply:
            raise CheckFailed(
                f"{self._target} has no plain value {name}: {reply.get('not_plain') or reply.get('message')}"
            )
        return reply["ok"]

    def has_parameter(self, name: str, parameter: str) -> bool:
        """Return whether a function takes a parameter of this name; each process is asked once."""
        if (name, parameter) not in self._takes:
            reply = self._ask({"do": "has_parameter", "name": name, "parameter": parameter}, name)
            self._takes[name, parameter] = bool(reply.get("ok"))
        return self._takes[name, parameter]

    def has_function(self, name: str) -> bool:
        """Return whether there is a callable of this name."""
        return bool(self._ask({"do": "has_function", "name": name}, name).get("ok"))

    def read(self, path: str) -> bytes | None:
        """Read a file below the folder; None if there is none. Raises CheckFailed if it is not a regular file."""
        data = self._supervise(f"{path}", "read", path=path)
        self._bytes_read += len(data or "")
        if self._bytes_read > MOST_READ:
            raise CheckFailed(f"{self.calls[-1]} left files that are too large in total; expected a few small files")
        return None if data is None else substitute_bytes(base64.b64decode(data), self.substitute)

    def read_text(self, path: str) -> str | None:
        """Read a file as UTF-8, replacing invalid bytes; None if there is none."""
        data = self.read(path)
        return None if data is None else data.decode("utf-8", "replace")

    def list_files(self, under: str = ".") -> list[str]:
        """Return the paths of the regular files below a folder, relative to the current directory."""
        return [self.substitute(path) for path in self._supervise(under, "list_files", under=under)]

    def list_around(self) -> list[str]:
        """Return the names of all entries of the folder and, as ../name, of its parent folder."""
        return [self.substitute(path) for path in self._supervise("the folder", "list_around")]

    def write(self, path: str, content: str | bytes = b"") -> None:
        """Write a file below the folder; replace an existing one."""
        data = substitute_bytes(content.encode() if isinstance(content, str) else content, self.substitute)
        self._supervise(path, "write", path=path, data=base64.b64encode(data).decode())

    def remove(self, path: str) -> None:
        """Remove a file or a folder, if there is one."""
        self._supervise(path, "remove", path=path)

    def link(self, path: str, target: str, *, hard: bool = False) -> None:
        """Make a link below the folder. Raises CheckFailed if the system does not support it."""
        self._supervise(path, "link", path=path, target=target, hard=hard)

    def close(self) -> None:
        """End the processes and remove the folders."""
        if self._sandbox is not None:
            self._sandbox.end()
            self._sandbox = None

    @property
    def _target(self) -> str:
        return self._class_name or self._name

    def _make_folder(self, texts: Mapping[str, str]) -> None:
        self._folders += 1
        change = self.substitute
        files = {change(name): base64.b64encode(change(text).encode()).decode() for name, text in texts.items()}
        self.folder = self.substitute(self._supervise("the folder", "make_folder", number=self._folders, files=files))

    def _load(self) -> None:
        request = {"do": "load", "folder": self.folder, "env": self._env, "commands": self._commands}
        reply = self._ask(request, f"loading {self._name}")
        if reply.get("ok") is False:  # what was loaded before left threads or open files
            self._start_child()
            reply = self._ask(request, f"loading {self._name}")
        if "raised" in reply:
            where = f", line {reply['line']}" if reply["line"] else ""
            message = f"{self._name} does not load{where}: {reply['raised']}: {reply['message']}"
            raise LoadingFailed(message, reply["raised"])

    def _start_child(self) -> Sandbox:
        """Start the learner's process, or restart it with another hash salt; the salts are the same in every run."""
        sandbox = self._started()
        try:
            self._starts += 1
            self._takes.clear()
            sandbox.start_child(self._file, salt=self._starts)
        except ChildProcessFailed as error:
            raise self._fail(f"{self._name} {error}", timed_out=error.timed_out) from None
        return sandbox

    def _started(self) -> Sandbox:
        """Return the sandbox; start it before the first call."""
        if self.failure:
            raise self.failure
        if self._sandbox is None:
            self._sandbox = self._start_sandbox()
            self._start_child()
        return self._sandbox

    def _supervise(self, what: str, action: str, **arguments: object) -> Any:  # noqa: ANN401 - any JSON value
        sandbox = self._started()
        try:
            value = sandbox.supervise(action, **substitute_texts(arguments, self.substitute))
        except UnusableFile as error:
            last = self.calls[-1] if self.calls else self._name
            raise CheckFailed(f"{last} left {what}, which {error}; expected plain files of a sensible size") from None
        except ChildProcessFailed as error:
            raise self._fail(f"{self._name} {error}", timed_out=error.timed_out) from None
        self._check_time(f"reading {what}")
        return value

    def _ask(self, request: Mapping[str, object], doing: str) -> dict[str, Any]:
        sandbox, self._bytes_read = self._started(), 0
        try:
            reply = sandbox.ask(substitute_texts(request, self.substitute), self._limit)
        except ChildProcessFailed as error:
            raise self._fail(f"{doing} {error}", timed_out=error.timed_out) from None
        reply = substitute_texts(reply, self.substitute)
        self.out_of_memory |= reply.get("raised") == "MemoryError"
        self.printed, reply["message"] = reply["printed"], reply.get("message", "")[:LONGEST_MESSAGE]
        self._check_time(doing)
        return reply

    def _check_time(self, doing: str) -> None:
        if time.monotonic() > self._deadline:
            message = f"the calls of this check took over {self._total:g} s, the last was {doing}. Which is slow?"
            raise self._fail(message, timed_out=True)

    def _fail(self, message: str, *, timed_out: bool) -> CheckFailed:
        self.close()
        self.timed_out, self.failure = timed_out, CheckFailed(message)
        return self.failure


def _line_of(reply: Mapping[str, Any]) -> str:
    return f" (line {reply['line']})" if reply["line"] else ""
