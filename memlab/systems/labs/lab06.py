"""Adapter for Lab 06: one fact store that recalls one fact at a time; it has no assemble."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memlab.memory.world import World
from memlab.systems.fallback import AssembledFromRecall
from memlab.systems.labs.lab_file import InProcess, LabFile, call_with_origin, published_file, slug
from memlab.terms import Build, Event, MemorySystem, Workspace

ABOUT = "Lab 06 as published: one fact per file, recall by description, a guard that checks."


class Lab06:
    """Passes facts and skills to write_memory and queries to recall_and_trust; ignores all other events."""

    def __init__(self, lab: LabFile, world: World) -> None:
        self._lab = lab
        self._world = world
        lab.begin()

    def observe(self, event: Event) -> None:
        """Write facts and skills. Raises Refused if the lab refuses one."""
        self._lab.follow(self._world)
        if event.kind in {"fact", "skill"}:
            mtype = event.type if event.kind == "fact" and event.type else "reference"
            call_with_origin(self._lab, "write_memory", event, slug(event), event.description, mtype, event.text)

    def recall(self, query: str, k: int = 5) -> list[Any]:  # noqa: ARG002 - the lab returns one fact or none
        self._lab.follow(self._world)
        memory = self._lab.call("recall_and_trust", query)
        return [] if memory is None else [memory]


def from_file(path: Path) -> Build:
    """Return a build for any file with the interface of Lab 06, such as a learner's."""
    return lambda workspace: AssembledFromRecall("lab06", Lab06(InProcess(path), workspace.world))


def build(workspace: Workspace) -> MemorySystem:
    """Build the published design."""
    return from_file(published_file("lab06"))(workspace)
