"""Runs a memory system in its own process: `path/to/file.py:Name`, or the object that an entry point names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TypeGuard

from memlab.memory.text import Refused
from memlab.memory.world import ScriptedWorld
from memlab.sandbox.channel import ChildProcessFailed
from memlab.sandbox.folders import workspaces_folder
from memlab.sandbox.fork_server import Launch, start_child
from memlab.sandbox.protocol import Shape
from memlab.systems.abilities import ABILITIES
from memlab.systems.answers import SystemFailed, one_line
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.file_reference import FileReference, parse_reference
from memlab.systems.child.launch import HIDDEN
from memlab.systems.child.printed import Printed
from memlab.systems.child.program import Message
from memlab.systems.entry import Entry
from memlab.systems.fallback import complete
from memlab.terms import Event, Memory, MemorySystem, Workspace

LIMIT = 10.0
"""Seconds that loading, and each call of a verb, may take."""
STRIKES = 3
"""Calls over the limit after which a system is not tried again: failing every cell that way would take hours."""
LONGEST_ERROR = 1000
BEST = Confinement()
SHAPES: tuple[Shape, ...] = ({"ok": None}, {"failed": str}, {"refused": str})


def from_path(name: str, limit: float = LIMIT, confinement: Confinement = BEST) -> Entry:
    """Return the Entry of `path/to/file.py:Name`. Raises UnknownSystem if the file or the name is wrong."""
    reference = parse_reference(name)
    build = _builder(name, reference, limit, confinement).build
    return Entry(name, f"Your own, from {reference.path}.", "yours", build, child=True)


def from_object(name: str, entry_point: str, limit: float = LIMIT, confinement: Confinement = BEST) -> Entry:
    """Return the Entry of an entry point's object reference, `package.module:Name`."""
    module, _, attribute = entry_point.partition(":")
    reference = FileReference(attribute.strip(), module=module.strip())
    about = f"Installed as {entry_point}."
    return Entry(name, about, "yours", _builder(name, reference, limit, confinement).build, child=True)


@dataclass
class ChildSystemBuilder:
    """Builds the system in a new process for every cell."""

    name: str
    reference: FileReference
    limit: float
    confinement: Confinement = BEST
    strikes: int = field(default=0, init=False)
    cannot: tuple[str, ...] | None = field(default=None, init=False)

    def build(self, workspace: Workspace) -> MemorySystem:
        """Start a process, load the system there, add the missing verb. Raises SystemFailed."""
        if self.strikes >= STRIKES:
            raise SystemFailed(
                f"{self.name!r} was over the limit of {self.limit:g} s {STRIKES} times and is not tried again. "
                "Make it faster, or raise the time limit."
            )
        child = ChildSystem(self, workspace)
        return complete(self.name, child, child.verbs)


_builder = cache(ChildSystemBuilder)  # one for each reference, since it counts timeouts over all cells


_launches: dict[tuple[Confinement, FileReference, str, str], Launch] = {}


def _launch(confinement: Confinement, reference: FileReference, workspace: Workspace) -> Launch:
    """Return how to start a system's server; computed once, since that looks through the system's folder."""
    key = (confinement, reference, str(workspace.directory.parents[2]), workspaces_folder())
    if key not in _launches:
        _launches[key] = confinement.launch(reference, workspace)
    return _launches[key]


def _variables(workspace: Workspace) -> dict[str, str]:
    """Return the variables that name folders. The machine's own folders are not in the sandbox, or belong to others."""
    temporary = workspace.directory.parent / "tmp" if _is_shared(workspace) else workspace.directory
    temporary.mkdir(exist_ok=True)
    return {"HOME": str(workspace.directory), "TMPDIR": str(temporary)}


def _is_shared(workspace: Workspace) -> bool:
    """Return whether a workspace is in the folder of all workspaces of this process."""
    return workspace.directory.is_relative_to(workspaces_folder())


def _is_loaded(reply: object) -> TypeGuard[dict[str, list[str]]]:
    """Return whether a reply has the verbs of a system and what it cannot do."""
    return (
        isinstance(reply, dict)
        and reply.keys() == {"verbs", "cannot"}
        and all(isinstance(one, list) and all(isinstance(word, str) for word in one) for one in reply.values())
        and set(reply["cannot"]) <= set(ABILITIES)
    )


class ChildSystem:
    """The three verbs of a memory system in another process. Every failure of that process becomes SystemFailed.

    After the process has ended, every call raises an error that says how.
    """

    def __init__(self, builder: ChildSystemBuilder, workspace: Workspace) -> None:
        self._builder = builder
        if not isinstance(workspace.world, ScriptedWorld):
            raise TypeError(f"a child needs a ScriptedWorld, which can be sent, not {type(workspace.world).__name__}")
        self._world = workspace.world
        self._clock = workspace.clock
        self._sent: tuple[object, ...] = ()
        self._failure: SystemFailed | None = None
        self.isolation = builder.confinement.name
        self._own_variables = _variables(workspace)
        launch = _launch(builder.confinement, builder.reference, workspace)
        self._child = start_child(f"{builder.name} {builder.confinement}", launch, builder.reference.path, *SHAPES)
        self._printed = Printed(self._own_variables["TMPDIR"] if _is_shared(workspace) else "")
        place = {"name": builder.name, "directory": str(workspace.directory), "root": str(workspace.root)}
        try:
            loaded = self._ask({"load": asdict(builder.reference) | place | {"output": self._printed.path}}, "loading")
        except SystemFailed as failed:
            failed.printed = self.printed()
            raise
        if not _is_loaded(loaded):
            raise self._fail("loading", "sent a reply of another shape")
        self.verbs, self.cannot = frozenset(loaded["verbs"]), tuple(loaded["cannot"])
        if builder.cannot not in {None, self.cannot}:
            raise self._fail(
                "loading", f"declared cannot = {self.cannot}, and {builder.cannot} before: it must never change"
            )
        builder.cannot = self.cannot
        self.window = self._window if "window" in self.verbs else None

    def observe(self, event: Event) -> None:
        """Send one event. Raises Refused if the system does."""
        self._ask({"verb": "observe", "event": asdict(event)}, "observe()")

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        answer = self._ask({"verb": "recall", "query": query, "most": k}, "recall()")
        try:
            items: list[tuple[str, list[str], str]] = list(answer)  # type: ignore[call-overload] # checked by the next line
            return [Memory(text, store=store, notes=tuple(notes)) for text, notes, store in items]
        except (TypeError, ValueError):
            raise self._fail("recall()", "sent a reply of another shape") from None

    def assemble(self, task: str, budget: int) -> object:
        return self._ask({"verb": "assemble", "query": task, "most": budget}, "assemble()")

    def _window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> object:
        texts = {"texts": [list(turns), list(results)]}
        return self._ask({"verb": "window", "query": task, "most": budget} | texts, "window()")

    def printed(self) -> str:
        """Return what the process printed since the last call, the last 2,000 bytes of it."""
        return self._printed.read_new()

    def close(self) -> None:
        """End the process and all it started."""
        self._child.end()

    def _ask(self, message: Message, doing: str) -> object:
        if self._failure is not None:
            raise self._failure
        try:
            reply = self._child.ask(message | self._changes(), self._builder.limit)
        except ChildProcessFailed as error:
            self._builder.strikes += error.timed_out
            raise self._fail(doing, str(error)) from None
        if "refused" in reply:
            raise Refused(one_line(reply["refused"]))
        if "failed" in reply:
            raise SystemFailed(reply["failed"][:LONGEST_ERROR])
        return reply["ok"]

    def _fail(self, doing: str, what: str) -> SystemFailed:
        self._child.end()
        self._failure = SystemFailed(f"{doing} of {self._builder.name!r} {what}")
        return self._failure

    def _changes(self) -> Message:
        """Return what to send with the next call: the time, and world and variables if they changed."""
        message: Message = {"now": self._clock()}
        world = self._world
        parts = (world.files, world.env, world.commands, world.links)
        if parts != self._sent:
            self._sent = tuple(dict(part) for part in parts)
            scripted = {name: value for name, (value, _) in world.env.items()}
            inherited = {name: value for name, value in os.environ.items() if name not in HIDDEN}
            message |= {"world": asdict(world), "env": inherited | self._own_variables | scripted}
        return message
