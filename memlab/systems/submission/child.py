"""The life of one judged system in a process of its own: load, then answer one message after the other.

Imports little: every child is a copy of what is imported here.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from memlab.memory.text import Refused
from memlab.memory.world import ScriptedWorld
from memlab.systems.answers import SystemFailed, context_of, failure, memories_of, one_line
from memlab.systems.lab06 import Lab06
from memlab.systems.lab07 import MIX_CLASS, Lab07
from memlab.systems.lab_file import InProcess
from memlab.systems.submission.wire import Message, Wire, event_from_json, world_from_json
from memlab.terms import Workspace

MODULE = "submission"
VERBS = ("observe", "recall", "assemble")


def live(wire: Wire, code: CodeType | None) -> None:
    """Load the system that the first message names, then serve its verbs until the other side hangs up."""
    _silence()
    try:
        first = wire.receive()
        home = Home(first)
        try:
            system = _load(first, home.workspace, code)
        except BaseException as error:  # noqa: BLE001 - the judged system's failure is the answer
            return wire.send({"failed": str(failure(first["name"], "loading", error))})
        wire.send({"ok": [verb for verb in VERBS if callable(getattr(system, verb, None))]})
        _serve(wire, home, system, first["name"])
    except (EOFError, OSError):
        return None  # memlab hung up


class Home:
    """The workspace on this side: kept in step with the parent's clock, world and variables."""

    def __init__(self, first: Message) -> None:
        self._now = 0.0
        self._root = first["root"]
        self._world = ScriptedWorld()
        self.workspace = Workspace(Path(first["directory"]), Path(self._root), self._world, clock=lambda: self._now)
        self.follow(first)

    def follow(self, message: Message) -> None:
        """Take over what the parent sent along, and stand in the root again, wherever the system went."""
        self._now = message["now"]
        if "world" in message:
            new = world_from_json(message["world"])
            for part in ("files", "env", "commands", "links"):
                setattr(self._world, part, getattr(new, part))
        if "env" in message:
            os.environ.clear()
            os.environ.update(message["env"])
        os.chdir(self._root)


def compiled(path: str) -> CodeType:
    """Compile a submitted file; raises what compile() raises."""
    return compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)


def _serve(wire: Wire, home: Home, system: object, name: str) -> None:
    me = os.getpid()
    while True:
        message = wire.receive()
        home.follow(message)
        reply = _answer(system, name, message)
        if os.getpid() != me:
            return  # the system forked, and this is the copy: one of them must fall silent
        wire.send(reply)


def _answer(system: object, name: str, message: Message) -> Message:
    verb = message["verb"]
    try:
        answer = getattr(system, verb)(*_arguments(message))
        if verb == "recall":
            return {"ok": [(one.text, one.notes, one.store) for one in memories_of(name, answer)]}
        return {"ok": context_of(name, answer) if verb == "assemble" else None}
    except Refused as refusal:
        return {"refused": one_line(str(refusal))}
    except BaseException as error:  # noqa: BLE001 - the judged system's failure is the answer
        return {"failed": str(failure(name, f"{verb}()", error))}


def _arguments(message: Message) -> list[Any]:
    if message["verb"] == "observe":
        return [event_from_json(message["event"])]
    return [message["query"], message["most"]]


def _load(first: Message, workspace: Workspace, code: CodeType | None) -> object:
    sys.path[:0] = first["folders"]
    if first["interface"] == "lab06":
        return Lab06(InProcess(Path(first["path"])), workspace.world)
    if first["interface"] == "lab07":
        return Lab07(InProcess(Path(first["path"]), MIX_CLASS), workspace)
    module = importlib.import_module(first["module"]) if first["module"] else _module(first["path"], code)
    make: Any = module
    for part in first["attribute"].split("."):
        make = getattr(make, part)
    if not callable(make):
        kind = type(make).__name__
        raise SystemFailed(
            f"{first['name']!r} is an object of type {kind}. Name its class, or a function that makes one."
        )
    system: object = make(workspace) if _wants_workspace(make) else make()
    if wrong := _wrong(system):
        raise SystemFailed(f"{first['name']!r} {wrong}.")
    return system


def _module(path: str, code: CodeType | None) -> ModuleType:
    module = ModuleType(MODULE)
    module.__file__ = path
    sys.modules[MODULE] = module
    exec(code or compiled(path), vars(module))  # noqa: S102 - to run the submitted file is the task
    return module


def _wants_workspace(make: Callable[..., object]) -> bool:
    parameters = inspect.signature(make).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        one.kind in positional and (one.default is inspect.Parameter.empty or one.name == "workspace")
        for one in parameters
    )


def _wrong(system: object) -> str:
    """Say what keeps an object from being a memory system; "" where nothing does."""
    verbs = {verb: one for verb in VERBS if callable(one := getattr(system, verb, None))}
    lacking = "observe(event)" if "observe" not in verbs else "recall(query, k) or assemble(task, budget)"
    if "observe" not in verbs or len(verbs) == 1:
        return f"has no {lacking}; a system has observe, and recall or assemble or both"
    waiting = [f"{verb}()" for verb, one in verbs.items() if inspect.iscoroutinefunction(one)]
    return f"has an async {', '.join(waiting)}, which nobody would await; a verb is a plain function" if waiting else ""


def _silence() -> None:
    """Send whatever the system prints to nowhere: only the wire is read."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
