"""A lab with a few tasks, for tests of the grader; and a level without isolation that counts its sandboxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memlab.grading.grade import Grade, Mark
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.lab import Lab, load
from memlab.labs.rubric import Rubric
from memlab.sandbox.isolation import Threat
from memlab.sandbox.sandbox import Sandbox
from memlab.sandbox.unisolated import start_unisolated

SEED = 7


@dataclass
class NoIsolation:
    """A level without isolation; `sandboxes` counts the started ones."""

    name: str = "here"
    holds: frozenset[Threat] = frozenset()
    sandboxes: int = 0

    def problem(self) -> str:
        """Return no problem."""
        return ""

    def python_version(self) -> str:
        """Return no version."""
        return ""

    def start_sandbox(self, provided: str = "") -> Sandbox:
        """Start a process without isolation."""
        self.sandboxes += 1
        return start_unisolated()


def tiny(*tasks: Mapping[str, Any], lab: str = "06") -> Lab:
    """Return a lab with these tasks; missing fields get default values."""
    usual = {"title": "A task", "points": 10, "partial": True}
    step = {"part": "build", "minutes": 5}
    task_fields = [usual | (step if "step" in task else {}) | dict(task) for task in tasks]
    full_lab = load(lab)
    rubric = full_lab.rubric.model_dump(exclude={"task"}) | {"path": Path("rubric.toml"), "task": task_fields}
    return replace(full_lab, rubric=Rubric.model_validate(rubric))


def grade_source(
    lab: Lab, source: str, seed: int = SEED, level: NoIsolation | None = None, only: tuple[str, ...] = ()
) -> Grade:
    """Grade a source."""
    config = GradingConfig(lab, seed, level or NoIsolation(), only=only)
    return grade(Submission(lab.file, source, "", "digest"), config)


def mark(grade: Grade, task: str) -> Mark:
    """Return the mark of a task."""
    return next(one for one in grade.marks if one.task == task)
