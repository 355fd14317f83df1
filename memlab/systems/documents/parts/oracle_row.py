"""A row with an oracle in place of its model. The oracle is handed over with a question, after the events.

So the row keeps every event, and plays all of them to a new system before each question.
"""

from __future__ import annotations

import pickle
import shutil
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, Protocol

from memlab.memory.text import Refused
from memlab.systems.documents.parts.stand_ins import OracleStandIns, StandIns
from memlab.terms import Event, Key, Memory, MemorySystem, Workspace


class BuildWith(Protocol):
    """Builds a system with stand-ins for a model; without them, with rules."""

    def __call__(self, workspace: Workspace, stand_ins: StandIns = ...) -> MemorySystem: ...


class OracleRow:
    """Plays the events again to a system whose extractor knows the claims; restarts are played too."""

    def __init__(self, workspace: Workspace, build: BuildWith) -> None:
        self._workspace = workspace
        self._build = build
        self._file = (workspace.directory / "steps").open("ab+", buffering=0)
        weakref.finalize(self, self._file.close)
        self._steps = list(_read(self._file))
        self._system: MemorySystem | None = None
        self.fallback = ""
        self._keep(None)

    def hand(self, key: Key) -> None:
        """Receive the answer key of the next question, and play everything again with its claims."""
        self._forget_system()
        self._system = self._play(OracleStandIns(key.claims))
        self.fallback = getattr(self._system, "fallback", "")

    def observe(self, event: Event) -> None:
        """Keep an event until a question comes."""
        self._forget_system()
        self._keep(event)

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

    def _keep(self, step: Event | None) -> None:
        """Keep an event, or None for a restart; it is in the file when this returns."""
        self._steps.append(step)
        self._file.write(pickle.dumps(step))

    def _play(self, stand_ins: StandIns) -> MemorySystem:
        directory = self._workspace.directory / "played"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        now = 0.0
        workspace = replace(self._workspace, directory=directory, clock=lambda: now)
        system: MemorySystem | None = None
        for event in self._steps:
            if event is None or system is None:
                _close(system)
                system = self._build(workspace, stand_ins)
                continue
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


def _read(file: IO[bytes]) -> Iterator[Event | None]:
    file.seek(0)
    with suppress(EOFError):
        while True:
            yield pickle.load(file)  # noqa: S301 - this class wrote it


def _close(system: MemorySystem | None) -> None:
    close = getattr(system, "close", None)
    if close is not None:
        close()
