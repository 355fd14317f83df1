"""The settings for grading a class: the lab, the tasks, the private seed, the sandbox."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from memlab.labs.lab import Lab
from memlab.labs.rubric import Task
from memlab.sandbox.isolation.level import Level
from memlab.sandbox.sandbox import Sandbox


@dataclass(frozen=True)
class GradingConfig:
    """The lab with its rubric, the private seed, and the isolation level of the sandbox.

    `overlay` is a private folder of scenarios. `only` names the tasks to grade; if it is empty, all are graded.
    `provided` is a folder with the modules and data files that every submission can read, or "".
    """

    lab: Lab
    seed: int
    level: Level
    overlay: Path | None = None
    only: tuple[str, ...] = ()
    provided: str = ""

    @property
    def tasks(self) -> list[Task]:
        """The tasks to grade, in the order of the rubric."""
        return [one for one in self.lab.rubric.task if not self.only or one.name in self.only]

    def start_sandbox(self) -> Sandbox:
        """Start a new sandbox with the provided files. Raises OSError if that does not work here."""
        return self.level.start_sandbox(self.provided) if self.provided else self.level.start_sandbox()

    def derive_seed(self, *names: str | int) -> int:
        """Return a seed that depends only on the private seed and these names, not on earlier draws."""
        parts = json.dumps([self.seed, self.lab.number, *names]).encode()
        return int.from_bytes(hashlib.blake2b(parts, digest_size=6).digest(), "big")
