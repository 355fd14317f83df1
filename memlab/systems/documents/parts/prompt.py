"""The plan of the current task, the rules, and how a context is filled."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memlab.memory.context import CHARS_PER_TOKEN, one_line
from memlab.memory.text import fold
from memlab.systems.documents.parts.records import Records
from memlab.terms import Event


class Plan:
    """Goal and open to-dos of the current task, in RAM: lost at a restart."""

    def __init__(self) -> None:
        self.goal = ""
        self.todo: list[str] = []
        self.done: list[str] = []

    def follow(self, event: Event) -> None:
        """Begin a task, check off a to-do, or end the task; other events change nothing."""
        if event.kind == "task":
            self.goal, self.todo, self.done = event.text, list(event.todo), []
        elif event.kind == "done":
            finished = [item for item in self.todo if fold(item) == fold(event.text)]
            self.todo = [item for item in self.todo if item not in finished]
            self.done += finished
        elif event.kind == "end":
            self.goal, self.todo, self.done = "", [], []

    def lines(self) -> list[str]:
        """Return the goal and the open to-dos, the next one first."""
        goal = [f"goal: {one_line(self.goal)}"] if self.goal else []
        return [*goal, *(f"- {one_line(item)}" for item in self.todo)]


class Rules:
    """Rules by name, on disk. Anyone may set one: none of the documents asks who speaks."""

    def __init__(self, directory: Path) -> None:
        self._rules = Records(directory / "rules.jsonl")

    def follow(self, event: Event) -> None:
        """Add a rule, replace the one of the same name, or withdraw it if the event has no text."""
        name = event.name or event.text
        if event.text:
            self._rules[name] = {"text": event.text}
        elif name in self._rules:
            del self._rules[name]

    def lines(self) -> list[str]:
        """Return the rules in the order of their last writing."""
        return [f"- {one_line(rule['text'])}" for rule in self._rules.values()]


def statement(event: Event) -> str:
    """Return what an event states, understandable alone: a fact or skill with its description before its text."""
    described = event.description if event.kind in {"fact", "skill"} else ""
    return ": ".join(part for part in (one_line(described), event.text) if part)


def compose(budget: int, head: Iterable[str], middle: Iterable[str], tail: Iterable[str]) -> str:
    """Return head, middle and tail in this order, within `budget` tokens, in whole lines.

    The head takes its room first, then the tail, then the middle; a line that does not fit is left out.
    """
    room = budget * CHARS_PER_TOKEN + 1
    taken: dict[str, list[str]] = {}
    for part, lines in (("head", head), ("tail", tail), ("middle", middle)):
        taken[part] = []
        for line in lines:
            if line and len(line) < room:
                taken[part].append(line)
                room -= len(line) + 1
    return "\n".join([*taken["head"], *taken["middle"], *taken["tail"]])
