"""Subtotals of a grade: the points of Build, of Fix, and of all tasks that belong to neither."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memlab.grading.grade import Mark
from memlab.labs.lab import Lab

OTHER = ""
"""The part of a task that is no step."""
PART_TITLES: Mapping[str, str] = {"build": "Build", "fix": "Fix", OTHER: "Other tasks"}


class Subtotal(NamedTuple):
    """The points of one part: "build", "fix", or OTHER."""

    part: str
    points: float
    max_points: float

    @property
    def title(self) -> str:
        """The part as a heading."""
        return PART_TITLES[self.part]


def part_of(task: str, lab: Lab) -> str:
    """Return the part of a task."""
    return next((step.part for step in lab.steps if step.name == task), OTHER)


def subtotals(marks: Iterable[Mark], lab: Lab) -> list[Subtotal]:
    """Return the points of each part that has a mark: Build first."""
    sums: dict[str, tuple[float, float]] = {}
    for mark in marks:
        part = part_of(mark.task, lab)
        points, max_points = sums.get(part, (0.0, 0.0))
        sums[part] = points + mark.points, max_points + mark.max_points
    return [Subtotal(part, *sums[part]) for part in PART_TITLES if part in sums]
