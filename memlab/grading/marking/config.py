"""By what a class is graded: which lab and tasks, from which private seed, in which sandbox."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from memlab.labs.lab import Lab, Task
from memlab.sandbox.isolation.level import Level


@dataclass(frozen=True)
class GradingConfig:
    """By what a submission is graded: the lab with its rubric, the private seed, and how strangers' code is isolated.

    `overlay` is a private folder of scenarios, `only` names the tasks to grade, all where it is empty.
    """

    lab: Lab
    seed: int
    level: Level
    overlay: Path | None = None
    only: tuple[str, ...] = ()

    @property
    def tasks(self) -> list[Task]:
        """The tasks that are marked, in the order of the rubric."""
        return [one for one in self.lab.rubric.task if not self.only or one.name in self.only]

    def derive_seed(self, *names: str | int) -> int:
        """Give the seed of something by its names: the same, whoever is graded and whatever was drawn before."""
        told = json.dumps([self.seed, self.lab.number, *names]).encode()
        return int.from_bytes(hashlib.blake2b(told, digest_size=6).digest(), "big")
