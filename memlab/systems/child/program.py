"""The process of one memory system: loads it, then calls its verbs.

Imports little, since every child is forked from a process with these imports.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from memlab.memory.text import Refused
from memlab.memory.world import ScriptedWorld
from memlab.sandbox.child_loop import discard_output, redirect_output, serve
from memlab.systems.abilities import declared_limits
from memlab.systems.answers import context_of, failure, memories_of, one_line
from memlab.systems.event_json import event_from_json
from memlab.systems.labs.lab06 import Lab06
from memlab.systems.labs.lab07 import MIX_CLASS, Lab07
from memlab.systems.labs.lab_file import InProcess
from memlab.systems.user_class import Awaiter, build_object, verbs_of
from memlab.terms import Workspace

MODULE = "submission"
Message = dict[str, Any]


def run(descriptor: int, code: CodeType | None) -> None:
    """Answer requests on a socket until the parent closes it; `code` is the compiled file, if it compiles."""
    discard_output()
    with (
        open(descriptor, encoding="utf-8", closefd=False) as reading,
        open(descriptor, "w", encoding="utf-8", closefd=False) as writing,
    ):
        serve(reading, writing, ChildProgram(code).answer)


class ChildProgram:
    """A memory system and its workspace, kept up to date with the parent's clock, world and variables."""

    def __init__(self, code: CodeType | None) -> None:
        self._code = code
        self._now = 0.0
        self._world = ScriptedWorld()
        self._system: object = None
        self._awaited = Awaiter()

    def answer(self, request: Message) -> Message:
        """Load the system, or call one of its verbs; return the value, or how it failed."""
        if "load" in request:
            self._reference: Message = request["load"]
        name, doing = self._reference["name"], "loading" if "load" in request else f"{request['verb']}()"
        self._update(request)
        try:
            return {"ok": self._load() if "load" in request else self._call(request)}
        except Refused as refusal:
            return {"refused": one_line(str(refusal))}
        except BaseException as error:  # noqa: BLE001 - the failure of foreign code is the answer
            return {"failed": str(failure(name, doing, error))}

    def _update(self, request: Message) -> None:
        """Apply the updates that the parent sent, and return to the root if the system changed the folder."""
        self._now = request["now"]
        if "world" in request:
            new = world_from_json(request["world"])
            for part in ("files", "env", "commands", "links"):
                setattr(self._world, part, getattr(new, part))
        if "env" in request:
            os.environ.clear()
            os.environ.update(request["env"])
        os.chdir(self._reference["root"])

    def _call(self, request: Message) -> object:
        name, verb = self._reference["name"], request["verb"]
        function = getattr(self._system, verb)
        if verb == "observe":
            self._awaited(function(event_from_json(request["event"])))
            return None
        answer = self._awaited(function(request["query"], request["most"], *request.get("texts", ())))
        if verb != "recall":
            return context_of(name, answer, verb)
        return [(memory.text, memory.notes, memory.store) for memory in memories_of(name, answer)]

    def _load(self) -> Message:
        """Build the system; return the verbs that it has, and what it declares that it cannot do."""
        reference = self._reference
        if reference["output"]:
            redirect_output(reference["output"])
        root, directory = Path(reference["root"]), Path(reference["directory"])
        workspace = Workspace(directory, root, self._world, clock=lambda: self._now)
        sys.path[:0] = reference["folders"]
        if reference["interface"] == "lab06":
            self._system = Lab06(InProcess(Path(reference["path"]), code=self._code), workspace.world)
        elif reference["interface"] == "lab07":
            self._system = Lab07(InProcess(Path(reference["path"]), MIX_CLASS, self._code), workspace)
        else:
            make = _named_object(reference, self._code)
            self._system = build_object(reference["name"], make, workspace, self._awaited)
        return {"verbs": list(verbs_of(self._system)), "cannot": list(declared_limits(self._system))}


def _named_object(reference: Message, code: CodeType | None) -> Any:  # noqa: ANN401 - whatever has the name
    module = reference["module"]
    found: Any = importlib.import_module(module) if module else _module(reference["path"], code)
    for part in reference["attribute"].split("."):
        found = getattr(found, part)
    return found


def _module(path: str, code: CodeType | None) -> ModuleType:
    module = ModuleType(MODULE)
    module.__file__ = path
    sys.modules[MODULE] = module
    exec(code or compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - running the file is the purpose
    return module


def world_from_json(message: Message) -> ScriptedWorld:
    """Return the world from the message that `asdict` made of it."""
    commands = {name: (tuple(flags), by) for name, (flags, by) in message["commands"].items()}
    others = {kind: {name: tuple(pair) for name, pair in message[kind].items()} for kind in ("files", "env", "links")}
    return ScriptedWorld(commands=commands, **others)
