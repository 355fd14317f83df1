"""A learner's process and its supervisor, with isolation around them, and a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from memlab.sandbox import child_loop, learner_bounds, learner_child, learner_fallbacks, sandbox_folder, supervisor
from memlab.sandbox.channel import ChildProcessFailed, too_long
from memlab.sandbox.inside import limits, seccomp
from memlab.sandbox.protocol import NumberedRequests, Shape, ended, parse
from memlab.sandbox.sandbox_folder import UnusableFile
from memlab.sandbox.standalone import program, sources
from memlab.sandbox.supervisor_process import SupervisorProcess, result_of

LEARNER_MODULES = (child_loop, limits, seccomp, learner_bounds, learner_fallbacks, learner_child)
"""The program of a learner's process."""
FLAGS = ("-S", "-s", "-P")
"""No site packages, and no folder of ours among the imports: a file in the current folder shadows nothing."""
PATIENCE = 10.0
"""Seconds that the supervisor has for an action of its own."""
HOME, TEMPORARY = "home", "tmp"
"""Folders of a sandbox: for all that a learner's file writes, and for temporary files."""
MODULES_FOLDER, DATA_FOLDER = "modules", "data"
"""The folders in one that is provided: modules to import, and files to read from the current folder."""
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables without which numerical packages start more threads than a sandbox allows."""
USER = "student"
"""The user's name in a sandbox."""
SHAPES: tuple[Shape, ...] = (
    {"ok": None, "printed": str},
    {"not_plain": str, "printed": str},
    {"raised": str, "message": str, "line": int, "is_refusal": bool, "printed": str},
)


class SandboxNotStarted(OSError):
    """A sandbox did not start. No code of the learner had run in it, so it is not the learner's error."""


def variables(scratch: str, provided: str = "") -> dict[str, str]:
    """Return the whole environment of a learner's process whose only writable folder is `scratch`.

    `provided` is the path of the provided folder inside the sandbox.
    """
    places = {"PYTHONPATH": f"{provided}/{MODULES_FOLDER}", sandbox_folder.DATA: f"{provided}/{DATA_FOLDER}"}
    return (places | ONE_THREAD if provided else {}) | {
        "HOME": f"{scratch}/{HOME}",
        "TMPDIR": f"{scratch}/{TEMPORARY}",
        "PATH": "/usr/bin:/bin",
        "USER": USER,
        "LOGNAME": USER,
        "LANG": "C.UTF-8",
        "LOCPATH": "/usr/lib/locale",  # without the archive of the machine's other locales
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@dataclass(frozen=True)
class SourceFile:
    """A learner's file: its text, its name, and the class whose object receives the calls ("" for none)."""

    source: str
    name: str
    class_name: str


class Sandbox(Protocol):
    """A learner's process and the folder for all that its file writes."""

    def start_child(self, file: SourceFile, salt: int) -> None:
        """End the learner's previous process and start a new one; Python salts its hash() with a number.

        Raises SandboxNotStarted the first time, and later ChildProcessFailed.
        """

    def supervise(self, action: str, **arguments: object) -> Any:  # noqa: ANN401 - a path, a list of them, base64
        """Run an action on the folder and return its result. Raises UnusableFile and ChildProcessFailed."""

    def ask(self, request: Mapping[str, object], limit: float) -> dict[str, Any]:
        """Send a request to the learner's process. Raises ChildProcessFailed if no valid reply comes in time."""

    def end(self) -> None:
        """End all processes, and remove the folder."""


class SupervisedSandbox:
    """A supervisor and the learner's process beside it.

    `python` is the command that runs Python, after the command that isolates it; `home` is the path, inside the
    sandbox, of the folder for all that the learner's file writes; `env` is the whole environment. `first` is source
    code for the supervisor to run first, `before` for the learner's process to run before the learner's file: it names
    the modules `limits` and `seccomp`. `user` is the plain uid of both processes, if we are root. `on_end` is called at
    the end.
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
        child = {"sources": sources(LEARNER_MODULES), "start": f"{before}learner_child.run_executed()"}
        self._settings = json.dumps(child).encode() + b"\n"
        self._has_started = False
        self._requests = NumberedRequests(*SHAPES)
        self._supervisor = SupervisorProcess([*python, *FLAGS, "-c", code, home], env, user)

    def start_child(self, file: SourceFile, salt: int) -> None:
        """See Sandbox.start_child."""
        try:
            self.supervise("start_child", salt=salt)
            self.ask(first_request(file), PATIENCE)
        except (ChildProcessFailed, UnusableFile) as error:
            if self._has_started:
                raise ChildProcessFailed(f"could not be started again: {error}") from None
            raise SandboxNotStarted(f"a sandbox could not be started: its supervisor {error}") from None
        self._has_started = True

    def supervise(self, action: str, **arguments: object) -> Any:  # noqa: ANN401 - a path, a list of them, base64
        """See Sandbox.supervise."""
        line = self._settings + b"S" + json.dumps({"do": action} | arguments).encode()
        self._settings = b""
        reply = self._supervisor.channel.exchange(line, PATIENCE)
        if not reply.startswith(b"S"):
            raise ChildProcessFailed("ended the process that supervises it")
        return result_of(reply[1:])

    def ask(self, request: Mapping[str, object], limit: float) -> dict[str, Any]:
        """See Sandbox.ask."""
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


def first_request(file: SourceFile, variables: Mapping[str, str] | None = None) -> dict[str, object]:
    """Return the request that gives a file to its process, and the variables if they are not those of the process."""
    return {"do": "set_file", **asdict(file), "variables": variables}
