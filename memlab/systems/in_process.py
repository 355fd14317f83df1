"""A user's class as a system in memlab's own process: no sandbox, for a notebook or a debugger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from memlab.systems.abilities import declared_limits
from memlab.systems.entry import Entry, UnknownSystem
from memlab.systems.fallback import complete
from memlab.systems.user_class import Awaiter, build_object, verbs_of
from memlab.terms import Event, MemorySystem, Workspace

ISOLATION = "none, in memlab's process"
"""What the results record as the sandbox."""


def from_callable(make: Callable[..., object]) -> Entry:
    """Return the Entry of a class or of a function that makes a system. Raises UnknownSystem if it has no name."""
    name = getattr(make, "__name__", "")
    if not callable(make) or not name.isidentifier():
        example = "Give a class, a function with a name, or text such as path/to/file.py:Class"
        raise UnknownSystem(f"{make!r} is no class or function with a name. {example}.")
    return Entry(name, f"Your own, {ISOLATION}.", "yours", partial(_build, name, make))


def _build(name: str, make: Callable[..., object], workspace: Workspace) -> MemorySystem:
    awaited = Awaiter()
    system = build_object(name, make, workspace, awaited)
    return complete(name, InProcessSystem(system, awaited), frozenset(verbs_of(system)))


class InProcessSystem:
    """A user's object, whose verbs may be async."""

    isolation = ISOLATION

    def __init__(self, system: Any, awaited: Awaiter) -> None:  # noqa: ANN401 - a user's object
        self._system = system
        self._awaited = awaited
        self.cannot = declared_limits(system)
        self.window = self._window if callable(getattr(system, "window", None)) else None

    def observe(self, event: Event) -> None:
        self._awaited(self._system.observe(event))

    def recall(self, query: str, k: int = 5) -> Any:  # noqa: ANN401 - checked by the runner
        return self._awaited(self._system.recall(query, k))

    def assemble(self, task: str, budget: int) -> Any:  # noqa: ANN401 - checked by the runner
        return self._awaited(self._system.assemble(task, budget))

    def _window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> Any:  # noqa: ANN401 - as above
        return self._awaited(self._system.window(task, budget, turns, results))

    def close(self) -> None:
        """Close the object if it has `close()`."""
        if callable(close := getattr(self._system, "close", None)):
            self._awaited(close())
