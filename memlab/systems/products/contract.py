"""What a product must do before it is judged: find facts by their exact words.

A product that is wired wrongly would lose every scenario, and its row would look like a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from memlab.memory.world import ScriptedWorld
from memlab.sandbox.folders import workspace_folder
from memlab.systems.answers import SystemFailed, failure, memories_of
from memlab.terms import Event, Memory, Workspace

PLANTED, ENOUGH = 25, 24
_PLACES = ("the harbour", "the old mill", "a red barn", "the third floor", "a van")
_THINGS = ("spare keys", "invoices", "test phones", "paper maps", "backup tapes")


def planted() -> list[str]:
    """Return the facts, of which no two share more than half of their words."""
    return [
        f"The {thing} of team {chr(ord('A') + 5 * row + column)}{17 * row + column} are kept in {place}."
        for row, thing in enumerate(_THINGS)
        for column, place in enumerate(_PLACES)
    ]


class NotJudged:
    """In place of a product that fails the contract: each of its probes is not applicable, with the reason."""

    def __init__(self, reason: str) -> None:
        self.not_judged = reason

    def observe(self, event: Event) -> None:
        """Store nothing."""

    def recall(self, query: str, k: int = 5) -> list[str]:  # noqa: ARG002 - never asked
        return []


_tried: dict[str, str | SystemFailed] = {}


def why_not_judged(name: str, make: Callable[[Workspace], Any]) -> str:
    """Return why a product is not judged, "" if it finds enough.

    It is tried once in a process; if it fails there, every later call raises the same SystemFailed.
    """
    if name not in _tried:
        try:
            found = _found(name, make)
        except SystemFailed as failed:
            _tried[name] = failed
        else:
            words = f"{name!r} found {found} of {PLANTED} planted facts by their exact words, and {ENOUGH} are needed"
            _tried[name] = "" if found >= ENOUGH else words
    result = _tried[name]
    if isinstance(result, SystemFailed):
        raise result
    return result


def _found(name: str, make: Callable[[Workspace], Any]) -> int:
    """Return how many of the planted facts are among the five items recalled for their own words."""
    events = [Event(f"{at:04x}", "fact", float(at), "planting", "user", text) for at, text in enumerate(planted())]
    with workspace_folder() as folder, ExitStack() as stack:
        home, root = Path(folder, "home"), Path(folder, "root")
        home.mkdir()
        root.mkdir()
        try:
            system = make(Workspace(home, root, ScriptedWorld(), clock=lambda: 0.0))
            if hasattr(system, "close"):
                stack.enter_context(closing(system))
            for event in events:
                system.observe(event)
            return sum(_has(event, memories_of(name, system.recall(event.text))) for event in events)
        except Exception as error:  # noqa: BLE001 - the failure of a product is its result
            raise failure(name, "the contract test", error) from None


def _has(event: Event, items: Iterable[Memory]) -> bool:
    """Return whether an item has the text of an event, or was made from it by a product that rewrites texts."""
    return any(event.text in item.text or event.id in item.sources for item in items)
