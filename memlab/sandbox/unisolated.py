"""Runs a learner's file on the learner's own machine, in a process forked from a template: bounded, not isolated."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from memlab.sandbox import forked_children, learner_template, sandbox_folder, supervisor
from memlab.sandbox.channel import ChildProcessFailed
from memlab.sandbox.folders import in_memory_folder
from memlab.sandbox.fork_server import ForkedChild, Launch, start_child
from memlab.sandbox.sandbox import (
    FLAGS,
    HOME,
    LEARNER_MODULES,
    PATIENCE,
    SHAPES,
    TEMPORARY,
    Sandbox,
    SandboxNotStarted,
    SourceFile,
    SupervisedSandbox,
    first_request,
    variables,
)
from memlab.sandbox.sandbox_folder import SandboxFolder
from memlab.sandbox.standalone import program
from memlab.sandbox.supervisor_process import result_of

INHERITED = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE") if os.name == "nt" else ()
"""Variables that a learner's process inherits. No setting of a machine may change a check's result."""
TEMPLATES = 4
"""Processes to copy, each with its own salt of hash() and its own addresses."""


class ForkedSandbox:
    """A learner's process that is a copy of a template, which has loaded no file and knows no check, and a folder."""

    def __init__(self) -> None:
        self._scratch = _make_scratch()
        self._actions = SandboxFolder(f"{self._scratch}/{HOME}").actions()
        self._child: ForkedChild | None = None

    def start_child(self, file: SourceFile, salt: int) -> None:
        """See Sandbox.start_child."""
        is_first = self._child is None
        self._end_child()
        try:
            number = salt % TEMPLATES
            self._child = start_child(f"learner {number}", _template(number), "", *SHAPES)
            self._child.ask(first_request(file, _variables(self._scratch)), PATIENCE)
        except ChildProcessFailed as error:
            if is_first:
                raise SandboxNotStarted(f"a process could not be started: it {error}") from None
            raise ChildProcessFailed(f"could not be started again: {error}") from None

    def supervise(self, action: str, **arguments: object) -> Any:  # noqa: ANN401 - a path, a list of them, base64
        """See Sandbox.supervise."""
        return result_of(supervisor.act(json.dumps({"do": action} | arguments).encode(), self._actions))

    def ask(self, request: Mapping[str, object], limit: float) -> dict[str, Any]:
        """See Sandbox.ask."""
        assert self._child is not None  # noqa: S101 - a process is started before it is asked
        return self._child.ask(request, limit)

    def end(self) -> None:
        """See Sandbox.end."""
        self._end_child()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()


def start_unisolated() -> Sandbox:
    """Start a sandbox without isolation."""
    return ForkedSandbox() if hasattr(os, "fork") else start_anew()


def start_anew() -> Sandbox:
    """Start a sandbox without isolation that starts a new Python each time, for operating systems without fork."""
    scratch = _make_scratch()
    remove = partial(shutil.rmtree, scratch, True)  # noqa: FBT003 - it ignores errors
    return SupervisedSandbox([sys.executable], f"{scratch}/{HOME}", env=_variables(scratch), on_end=remove)


def _make_scratch() -> str:
    scratch = tempfile.mkdtemp(prefix="memlab-lab-", dir=in_memory_folder())
    for folder in (HOME, TEMPORARY):
        Path(scratch, folder).mkdir()
    return scratch


def _variables(scratch: str) -> dict[str, str]:
    return variables(scratch) | {name: os.environ[name] for name in INHERITED if name in os.environ}


@cache
def _template(number: int) -> Launch:
    """Return how to start a template: without site packages, and without memlab among its modules."""
    modules = (sandbox_folder, supervisor, forked_children, *LEARNER_MODULES, learner_template)
    code = program(*modules, call="run()")
    env = tuple(_variables(tempfile.gettempdir()).items())
    return Launch((sys.executable, *FLAGS, "-c", code), env, number + 1, supervisor.LONGEST)
