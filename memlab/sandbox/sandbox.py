"""A learner's process and its supervisor, with or without isolation around them, and a folder."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from memlab.sandbox import child_loop, learner_child, sandbox_folder, supervisor
from memlab.sandbox.channel import ChildProcessFailed, too_long
from memlab.sandbox.folders import in_memory_folder
from memlab.sandbox.protocol import NumberedRequests, Shape, ended, parse
from memlab.sandbox.sandbox_folder import UnusableFile
from memlab.sandbox.standalone import program
from memlab.sandbox.supervisor_process import SupervisorProcess, result_of

FLAGS = ("-S", "-s", "-P")
"""No site packages, and no folder of ours among the imports: a file in the current folder shadows nothing."""
VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE")
"""Variables that a learner's process inherits. No other setting of a machine may change a check's result."""
PATIENCE = 10.0
"""Seconds that the supervisor has for an action of its own."""
SHAPES: tuple[Shape, ...] = (
    {"ok": None, "printed": str},
    {"not_plain": str, "printed": str},
    {"raised": str, "message": str, "line": int, "is_refusal": bool, "printed": str},
)


class SandboxNotStarted(OSError):
    """A sandbox did not start. No code of the learner had run in it, so it is not the learner's error."""


class Sandbox:
    """A supervisor and the learner's process beside it. To be used in a `with` statement.

    `python` is the command that runs Python, after the command that isolates it; `home` is the path, inside the
    sandbox, of the folder for all that the learner's file writes; `env` is the whole environment. `first` is source
    code for the supervisor to run first, `before` for the learner's process to run before the learner's file. `user` is
    the plain uid of both processes, if we are root. `on_end` is called at the end.
    """

    def __init__(  # noqa: PLR0913 - the parts of a sandbox
        self,
        python: Sequence[str],
        home: str,
        *,
        env: Mapping[str, str],
        first: str = "",
        before: str = "",
        user: int | None = None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        code = first + program(sandbox_folder, supervisor, call="supervise_one()")
        self._on_end = on_end
        self._before = before
        self._settings = b""
        self._has_started = False
        self._requests = NumberedRequests(*SHAPES)
        self._supervisor = SupervisorProcess([*python, *FLAGS, "-c", code, home], env, user)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def set_file(self, source: str, name: str, class_name: str) -> None:
        """Set the learner's file: its text, its name, and the class whose object receives the calls ("" for none)."""
        code = self._before + program(child_loop, learner_child, call="run()")
        settings = {"program": code, "arguments": [name, class_name], "input": source}
        self._settings = json.dumps(settings).encode() + b"\n"

    def start_child(self, salt: int) -> None:
        """End the learner's previous process and start a new one; Python salts its hash() with a number.

        Raises SandboxNotStarted the first time, and later ChildProcessFailed.
        """
        try:
            self.supervise("start_child", salt=salt)
        except (ChildProcessFailed, UnusableFile) as error:
            if self._has_started:
                raise ChildProcessFailed(f"could not be started again: {error}") from None
            raise SandboxNotStarted(f"a sandbox could not be started: its supervisor {error}") from None
        self._has_started = True

    def supervise(self, action: str, **arguments: object) -> Any:  # noqa: ANN401 - a path, a list of them, base64
        """Run an action in the supervisor and return its result. Raises UnusableFile and ChildProcessFailed."""
        line = self._settings + b"S" + json.dumps({"do": action} | arguments).encode()
        self._settings = b""
        reply = self._supervisor.channel.exchange(line, PATIENCE)
        if not reply.startswith(b"S"):
            raise ChildProcessFailed("ended the process that supervises it")
        return result_of(reply[1:])

    def ask(self, request: Mapping[str, object], limit: float) -> dict[str, Any]:
        """Send a request to the learner's process. Raises ChildProcessFailed if no valid reply comes in time."""
        return self._requests.parse_reply(self._pass_on(self._requests.to_line(request), limit))

    def end(self) -> None:
        """End both processes and all that they started, and remove the folder."""
        self._supervisor.end()
        self._on_end()

    def _pass_on(self, line: bytes, limit: float) -> bytes:
        reply = self._supervisor.channel.exchange(b"C" + line, limit)
        if reply.startswith(b"E"):
            report = parse(reply[1:])
            raise too_long(supervisor.LONGEST) if "longest" in report else ended(report.get("ended"))
        if not reply.startswith(b"C"):
            raise ChildProcessFailed("wrote into memlab's channel, or changed the code that answers")
        return reply[1:]


StartSandbox = Callable[[], Sandbox]


def start_unisolated() -> Sandbox:
    """Start a sandbox without isolation: for a learner's file on the learner's own machine."""
    home = tempfile.mkdtemp(prefix="memlab-lab-", dir=in_memory_folder())
    env = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    return Sandbox([sys.executable], home, env=env, on_end=lambda: shutil.rmtree(home, ignore_errors=True))
