"""A lab of a few tasks with laws of its own, for tests of what grades; and a level without a sandbox that counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memlab.grading.grade import Grade, Mark
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.lab import Lab, Rubric, load
from memlab.sandbox.isolation import Threat
from memlab.sandbox.sandbox import Sandbox, start_unisolated

SEED = 7


@dataclass
class Here:
    """No sandbox at all; `rooms` counts those that were given."""

    name: str = "here"
    holds: frozenset[Threat] = frozenset()
    rooms: int = 0

    def problem(self) -> str:
        """Lack nothing."""
        return ""

    def python_version(self) -> str:
        """Name no Python."""
        return ""

    def start_sandbox(self) -> Sandbox:
        """Give a room."""
        self.rooms += 1
        return start_unisolated()


def tiny(*tasks: Mapping[str, Any], lab: str = "06") -> Lab:
    """Give a lab that has these tasks; what a task does not tell is of no matter."""
    usual = {"title": "A task", "points": 10, "partial": True}
    step = {"part": "build", "minutes": 5}
    task_fields = [usual | (step if "step" in task else {}) | dict(task) for task in tasks]
    full_lab = load(lab)
    rubric = full_lab.rubric.model_dump(exclude={"task"}) | {"path": Path("rubric.toml"), "task": task_fields}
    return replace(full_lab, rubric=Rubric.model_validate(rubric))


def graded(lab: Lab, source: str, seed: int = SEED, level: Here | None = None, only: tuple[str, ...] = ()) -> Grade:
    """Grade a text."""
    return grade(Submission(lab.file, source, "", "digest"), GradingConfig(lab, seed, level or Here(), only=only))


def mark(grade: Grade, task: str) -> Mark:
    """Give the mark of a task."""
    return next(one for one in grade.marks if one.task == task)
