from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memlab.memory import MemoryMix, ScriptedWorld
from memlab.memory.procedural import Skills
from memlab.memory.world import Change

Make = Callable[[], MemoryMix]


class Clock:
    """A clock that advances by one minute at each call."""

    def __init__(self) -> None:
        self.time = 1_767_600_000.0

    def __call__(self) -> float:
        self.time += 60
        return self.time


@pytest.fixture
def world() -> ScriptedWorld:
    found = ScriptedWorld()
    found.change(
        Change(
            files={
                "scripts/deploy.sh": "#!/bin/sh",
                "Makefile": "",
                "src/billing.py": "def charge(): ...",
                "config/a.yaml": "",
            },
            env={"DATABASE_URL": "postgres://localhost"},
            commands={"pnpm": ("--frozen-lockfile",)},
        )
    )
    return found


@pytest.fixture
def make(tmp_path: Path, world: ScriptedWorld) -> Iterator[Make]:
    clock, made = Clock(), list[MemoryMix]()

    def build() -> MemoryMix:
        made.append(MemoryMix(tmp_path / "mix", world, clock))
        return made[-1]

    yield build
    for mix in made:
        mix.close()


@pytest.fixture
def mix(make: Make) -> MemoryMix:
    return make()


@pytest.fixture
def skills(tmp_path: Path) -> Skills:
    return Skills(tmp_path / "skills")
