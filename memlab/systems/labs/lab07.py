"""Adapter for Lab 07: four stores and one prompt; it has no recall."""

from __future__ import annotations

import json
from pathlib import Path

from memlab.memory.context import CHARS_PER_TOKEN
from memlab.systems.fallback import RecalledFromContext
from memlab.systems.labs.lab_file import InProcess, LabFile, call_with_origin, published_file, refusals, slug
from memlab.terms import Build, Event, MemorySystem, Workspace

ABOUT = "Lab 07 as published: scratchpad, log, facts and rules, one prompt, promotion."
MIX_CLASS = "MemoryMix"
HEADING = "# Agent rules (procedural memory)"


class Lab07:
    """Passes each event to the lab's store for its kind."""

    def __init__(self, lab: LabFile, workspace: Workspace) -> None:
        self._lab = lab
        self._world = workspace.world
        self._rules = RulesFile(workspace.directory, lab)
        lab.begin()

    def observe(self, event: Event) -> None:
        """Write the event to the store of its kind. Raises Refused if the lab refuses it."""
        self._lab.follow(self._world)
        lab = self._lab
        if event.kind == "rule" and event.source == "user":
            self._rules.follow(event)
        elif event.kind in {"fact", "skill"}:
            call_with_origin(lab, "write_fact", event, slug(event), event.description, event.text)
        elif event.kind == "task":
            call_with_origin(lab, "set_task", event, event.text, list(event.todo))
        elif event.kind == "done":
            call_with_origin(lab, "check_off", event, event.text)
        elif event.kind in {"end", "compact"}:
            call_with_origin(lab, "promote_recurring", event)
        elif event.kind != "erase":
            call_with_origin(lab, "log_episode", event, event.type or event.kind, event.text)

    def assemble(self, task: str, budget: int) -> object:
        """Return the lab's prompt. Raises Refused if the lab says that the budget is too small."""
        self._lab.follow(self._world)
        with refusals():
            return self._lab.call("assemble", task, budget_chars=budget * CHARS_PER_TOKEN)


class RulesFile:
    """Edits mix/rules.md like a person, and keeps the name of each rule."""

    def __init__(self, directory: Path, lab: LabFile) -> None:
        self._lab = lab
        self._names = directory / "rules.json"
        self._rules: dict[str, str] = {}
        if self._names.exists():
            self._rules = json.loads(self._names.read_text(encoding="utf-8"))
        self._write()

    def follow(self, event: Event) -> None:
        """Add a rule, replace the rule of the same name, or remove it if the event has no text."""
        name = event.name or event.text
        self._rules.pop(name, None)
        if event.text:
            self._rules[name] = event.text
        self._names.write_text(json.dumps(self._rules), encoding="utf-8")
        self._write()

    def _write(self) -> None:
        lines = [HEADING, *(f"- {rule}" for rule in self._rules.values())]
        self._lab.write("mix/rules.md", "\n".join(lines) + "\n")


def from_file(path: Path) -> Build:
    """Return a build for any file with the interface of Lab 07, such as a learner's."""
    return lambda workspace: RecalledFromContext("lab07", Lab07(InProcess(path, MIX_CLASS), workspace))


def build(workspace: Workspace) -> MemorySystem:
    """Build the published design."""
    return from_file(published_file("lab07"))(workspace)
