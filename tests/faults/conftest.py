"""Shared fixtures: a memory, child processes, and a snapshot of everything that a memory shows.

`make faults` sets KILLS, EVERY, WRITERS, WRITES and SECONDS_BESIDE for the full run; without them the run is short.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path

import pytest

from memlab.harness.faults.processes import fork
from memlab.memory import MemoryMix, ScriptedWorld

NOON = 1_767_614_400.0
KEPT = 6
"""The number of latest episodes that are never forgotten."""

Act = Callable[[], None]


@pytest.fixture
def build() -> Callable[[Path], MemoryMix]:
    """Open a memory with an empty world and a fixed clock."""

    def opened(directory: Path) -> MemoryMix:
        return MemoryMix(directory, ScriptedWorld(), lambda: NOON, keep=KEPT)

    return opened


@pytest.fixture
def run() -> Callable[[Sequence[Act], float], list[int]]:
    """Run acts concurrently, each in its own process, and kill -9 those that are not done after so many seconds.

    Returns the exit codes: 0, 1 for an exception, which is printed, or -9 if killed.
    """

    def together(acts: Sequence[Act], seconds: float = inf) -> list[int]:
        sys.stdout.flush()
        started = [fork(act) for act in acts]
        if seconds < inf:
            time.sleep(seconds)
            for child in started:
                os.kill(child, signal.SIGKILL)
        return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in started]

    return together


@pytest.fixture
def shown() -> Callable[[MemoryMix, Iterable[str], Iterable[str]], dict[str, object]]:
    """Return everything that a memory shows for some ids and queries; memories that show the same are equal."""

    def everything(mix: MemoryMix, ids: Iterable[str], questions: Iterable[str]) -> dict[str, object]:
        log = list(mix.episodes.replay())
        assert log[::-1] == list(mix.episodes.recent())
        return {
            "log": log,
            "facts": {identity: mix.facts.get(identity) for identity in ids},
            "standing": {fact.id for fact in mix.facts.as_of(inf)},
            "rules": mix.rules.all(),
            "skills": mix.skills.all(),
            "task": mix.working,
            "quarantine": mix.quarantined(),
            "erased": {identity for identity in ids if mix.episodes.is_erased(identity)},
            "recalled": {question: [one.text for one in mix.recall(question, 20)] for question in questions},
            "flagged": mix.needs_refreshing(),
            "prompt": mix.assemble(" ".join(questions), 4000),
        }

    return everything
