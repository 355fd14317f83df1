"""What memlab does with a user's class, in a process of its own and in memlab's: builds an object, calls its verbs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from memlab.systems.answers import SystemFailed
from memlab.terms import Workspace

VERBS = ("observe", "recall", "assemble", "window")


class Awaiter:
    """Returns the result of an async function, and any other value as it is."""

    def __init__(self) -> None:
        self._loop: Any = None

    def __call__(self, value: Any) -> Any:  # noqa: ANN401 - whatever the system returned
        """Return the value, awaited if it is awaitable."""
        if not inspect.isawaitable(value):
            return value
        import asyncio  # noqa: PLC0415 - slow to import, and few systems need it

        self._loop = self._loop or asyncio.new_event_loop()

        async def wait() -> object:
            return await value

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._loop.run_until_complete(wait())
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only in Jupyter, whose loop runs in this thread

        with ThreadPoolExecutor(1) as other:
            return other.submit(self._loop.run_until_complete, wait()).result()


def build_object(name: str, make: object, workspace: Workspace, awaited: Awaiter) -> object:
    """Return the system that a class or a function makes. Raises SystemFailed if it lacks a verb."""
    if not callable(make):
        kind = type(make).__name__
        raise SystemFailed(f"{name!r} is an object of type {kind}. Name its class, or a function that makes one.")
    system: object = awaited(make(workspace) if _wants_workspace(make) else make())
    if problem := _problem(system):
        raise SystemFailed(f"{name!r} {problem}.")
    return system


def verbs_of(system: object) -> tuple[str, ...]:
    """Return the verbs that a system has."""
    return tuple(verb for verb in VERBS if callable(getattr(system, verb, None)))


def _wants_workspace(make: Callable[..., object]) -> bool:
    parameters = inspect.signature(make).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        one.kind in positional and (one.default is inspect.Parameter.empty or one.name == "workspace")
        for one in parameters
    )


def _problem(system: object) -> str:
    """Return why an object is not a memory system; "" if it is one."""
    verbs = verbs_of(system)
    missing = "observe(event)" if "observe" not in verbs else "recall(query, k) or assemble(task, budget)"
    if "observe" not in verbs or {"recall", "assemble"}.isdisjoint(verbs):
        return f"has no {missing}; a system has observe, and recall or assemble or both"
    return ""
