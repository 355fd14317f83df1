"""Anyone's own memory: `path/to/file.py:Name` or an installed entry point, judged in a process of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache

from memlab.memory.text import Refused
from memlab.memory.world import ScriptedWorld
from memlab.systems.answers import SystemFailed, one_line
from memlab.systems.entry import Entry
from memlab.systems.fallback import complete
from memlab.systems.submission.nursery import start
from memlab.systems.submission.source_file import Target, target_in_file
from memlab.systems.submission.wire import Garbled, Message, event_to_json, world_to_json
from memlab.terms import Event, Memory, MemorySystem, Workspace

LIMIT = 10.0
"""Seconds that loading, and each call of a verb, may take."""
STRIKES = 3
"""Calls over the limit after which a system is not tried again: failing every cell that way would take hours."""
TELLING = frozenset({"PYTEST_CURRENT_TEST", "_", "PWD", "OLDPWD"})
"""Variables of memlab's own process that say which scenario is played, or from where."""
LONGEST_ERROR = 1000
GRACE = 0.2
"""Seconds that a child which hung up has to end by itself, so that the error can say how."""


def from_path(name: str, limit: float = LIMIT) -> Entry:
    """Make an Entry of `path/to/file.py:Name`; raises UnknownSystem where the file or the name is wrong."""
    target = target_in_file(name)
    return Entry(name, f"Your own, from {target.path}.", "yours", _submission(name, target, limit).build, child=True)


def from_object(name: str, reference: str, limit: float = LIMIT) -> Entry:
    """Make an Entry of an entry point's object reference, `package.module:Name`."""
    module, _, attribute = reference.partition(":")
    target = Target(attribute.strip(), module=module.strip())
    return Entry(name, f"Installed as {reference}.", "yours", _submission(name, target, limit).build, child=True)


@cache
def _submission(name: str, target: Target, limit: float) -> Submission:
    """Make one Submission for all that is resolved alike: it counts the strikes."""
    return Submission(name, target, limit)


@dataclass
class Submission:
    """What is built anew, in a new process, for every cell."""

    name: str
    target: Target
    limit: float
    strikes: int = field(default=0, init=False)

    def build(self, workspace: Workspace) -> MemorySystem:
        """Start a process, load the system there, stand in for a missing verb. Raises SystemFailed."""
        if self.strikes >= STRIKES:
            raise SystemFailed(
                f"{self.name!r} was over the limit of {self.limit:g} s {STRIKES} times and is not tried again."
            )
        child = ChildSystem(self, workspace)
        return complete(self.name, child, child.verbs)


class ChildSystem:
    """A memory system in another process, behind the three verbs; whatever it does wrong becomes SystemFailed.

    Once the process is gone, every call raises the error that says how it went.
    """

    def __init__(self, submission: Submission, workspace: Workspace) -> None:
        self._submission = submission
        self._surroundings = Surroundings(workspace)
        self._over: SystemFailed | None = None
        target = submission.target
        self._child = start(target.path)
        first = {
            "name": submission.name,
            "path": target.path,
            "module": target.module,
            "attribute": target.attribute,
            "interface": target.interface,
            "folders": target.folders,
            "directory": str(workspace.directory),
            "root": str(workspace.root),
        }
        verbs = self._ask(first, "loading")
        if not isinstance(verbs, list) or not all(isinstance(verb, str) for verb in verbs):
            raise self._end("sent a reply that makes no sense during loading")
        self.verbs = frozenset(verbs)

    def observe(self, event: Event) -> None:
        """Send one event. Raises Refused as the system did."""
        self._ask({"verb": "observe", "event": event_to_json(event)}, "observe()")

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Ask a question."""
        answer = self._ask({"verb": "recall", "query": query, "most": k}, "recall()")
        try:
            items: list[tuple[str, list[str], str]] = list(answer)  # type: ignore[call-overload] # or garbage
            return [Memory(text, store=store, notes=tuple(notes)) for text, notes, store in items]
        except (TypeError, ValueError):
            raise self._end("sent a reply that makes no sense during recall()") from None

    def assemble(self, task: str, budget: int) -> object:
        """Ask for a context."""
        return self._ask({"verb": "assemble", "query": task, "most": budget}, "assemble()")

    def close(self) -> None:
        """End the process and all it started."""
        self._child.end()

    def _ask(self, message: Message, doing: str) -> object:
        if self._over is not None:
            raise self._over
        limit = self._submission.limit
        try:
            self._child.wire.send(message | self._surroundings.now(), limit)
            reply = self._child.wire.receive(limit)
        except TimeoutError:
            self._submission.strikes += 1
            raise self._end(f"did not return from {doing} within {limit:g} s; its process was ended") from None
        except (EOFError, OSError):
            how = self._child.end(GRACE)
            raise self._end(f"ended its process during {doing} ({how})" if how else f"hung up in {doing}") from None
        except Garbled as error:
            raise self._end(f"wrote into memlab's own channel during {doing}: {error}") from None
        if "refused" in reply:
            raise Refused(one_line(str(reply["refused"])))
        if "ok" not in reply:
            empty = f"{self._submission.name!r} sent an empty reply to {doing}"
            raise SystemFailed(str(reply["failed"])[:LONGEST_ERROR] if "failed" in reply else empty)
        return reply["ok"]

    def _end(self, what: str) -> SystemFailed:
        self._child.end()
        self._over = SystemFailed(f"{self._submission.name!r} {what}.")
        return self._over


class Surroundings:
    """What a child must know of its workspace: the time with every call, world and variables when they changed."""

    def __init__(self, workspace: Workspace) -> None:
        if not isinstance(workspace.world, ScriptedWorld):
            raise TypeError(f"a child needs a ScriptedWorld, which can be sent, not {type(workspace.world).__name__}")
        self._world = workspace.world
        self._clock = workspace.clock
        self._sent: tuple[object, ...] = ()

    def now(self) -> Message:
        """Give what to send along with the next call."""
        message: Message = {"now": self._clock()}
        world = self._world
        parts = (world.files, world.env, world.commands, world.links)
        if parts != self._sent:
            self._sent = tuple(dict(part) for part in parts)
            told = {name: value for name, (value, _) in world.env.items()}
            ours = {name: value for name, value in os.environ.items() if name not in TELLING}
            message |= {"world": world_to_json(world), "env": ours | told}
        return message
