"""A row with an oracle in place of its model. The oracle is handed over with a question, after the events.

So the row keeps every event, and plays all of them to a new system before each question.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Protocol

from memlab.memory.text import Refused
from memlab.systems.documents.parts.records import Records
from memlab.systems.documents.parts.stand_ins import OracleStandIns, StandIns
from memlab.systems.event_json import event_from_json
from memlab.terms import Event, Key, Memory, MemorySystem, Workspace


class BuildWith(Protocol):
    """Builds a system with stand-ins for a model; without them, with rules."""

    def __call__(self, workspace: Workspace, stand_ins: StandIns = ...) -> MemorySystem: ...


class OracleRow:
    """Plays the events again to a system whose extractor knows the claims; restarts are played too."""

    def __init__(self, workspace: Workspace, build: BuildWith) -> None:
        self._workspace = workspace
        self._build = build
        self._steps = Records(workspace.directory / "steps.jsonl")
        self._system: MemorySystem | None = None
        self.fallback = ""
        self._steps[str(len(self._steps))] = {}  # a restart

    def hand(self, key: Key) -> None:
        """Receive the answer key of the next question, and play everything again with its claims."""
        self._forget_system()
        self._system = self._play(OracleStandIns(key.claims))
        self.fallback = getattr(self._system, "fallback", "")

    def observe(self, event: Event) -> None:
        """Keep an event until a question comes."""
        self._forget_system()
        self._steps[str(len(self._steps))] = asdict(event)

    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        return self._current().recall(query, k)

    def assemble(self, task: str, budget: int) -> str:
        return self._current().assemble(task, budget)

    def close(self) -> None:
        """Close the system that answered last."""
        self._forget_system()

    def _current(self) -> MemorySystem:
        if self._system is None:
            raise LookupError("the oracle has no key: call hand(key) before each question")
        return self._system

    def _play(self, stand_ins: StandIns) -> MemorySystem:
        directory = self._workspace.directory / "played"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        now = 0.0
        workspace = replace(self._workspace, directory=directory, clock=lambda: now)
        system: MemorySystem | None = None
        for fields in self._steps.values():
            if not fields or system is None:
                _close(system)
                system = self._build(workspace, stand_ins)
                continue
            event = event_from_json(fields)
            now = event.time
            try:
                system.observe(event)
            except Refused:
                continue  # as in a run, where a system may decline an event
        now = self._workspace.clock()
        assert system is not None  # noqa: S101 - the first step is a start
        return system

    def _forget_system(self) -> None:
        _close(self._system)
        self._system = None


def _close(system: MemorySystem | None) -> None:
    close = getattr(system, "close", None)
    if close is not None:
        close()
