"""Rules, goal and to-do, and nothing else."""

# ruff: noqa: ARG002 - pins do not depend on the query

from __future__ import annotations

import json
from typing import TypedDict

from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Event, Workspace

PINNING = ("rule", "task", "done", "end")


class Pins(TypedDict):
    """The lines at the start and the end of every context."""

    rules: dict[str, str]
    goal: str
    todo: list[str]


class PinsOnly:
    """Stores rules, goal and to-do, and no facts."""

    def __init__(self, workspace: Workspace) -> None:
        self._path = workspace.directory / "pins.json"
        self._pins = Pins(rules={}, goal="", todo=[])
        if self._path.exists():
            self._pins = json.loads(self._path.read_text(encoding="utf-8"))

    def observe(self, event: Event) -> None:
        """Store the user's rules, and the tasks and finished to-dos of trusted sources."""
        if event.kind in PINNING and event.source not in UNTRUSTED_SOURCES:
            _apply(self._pins, event)
            self._path.write_text(json.dumps(self._pins), encoding="utf-8")

    def recall(self, query: str, k: int = 5) -> list[str]:
        return []

    def assemble(self, task: str, budget: int) -> str:
        """Return the rules, the goal, and last the to-do."""
        pins = self._pins
        goal = [f"goal: {pins['goal']}"] if pins["goal"] else []
        return "\n".join([*pins["rules"].values(), *goal, *(f"- {item}" for item in pins["todo"])])


def _apply(pins: Pins, event: Event) -> None:
    if event.kind == "rule" and event.source == "user":
        name = event.name or event.text
        pins["rules"].pop(name, None)
        if event.text:
            pins["rules"][name] = event.text
    elif event.kind == "task":
        pins.update({"goal": event.text, "todo": list(event.todo)})
    elif event.kind == "done" and event.text in pins["todo"]:
        pins["todo"].remove(event.text)
    elif event.kind == "end":
        pins.update({"goal": "", "todo": []})
