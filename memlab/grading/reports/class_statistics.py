"""A class, added up in one pass: who got what, how each task fared, and which laws were lost most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.grading.reports import messages
from memlab.grading.reports.files import safe_name
from memlab.labs.lab import Lab

EXAMPLES = 40
LONGEST = 300
"""Different answers that are remembered for a law, and characters of one."""


@dataclass(frozen=True)
class Line:
    """One submission: `share` of the points, `page` is the name that its files have."""

    student: str
    submission: str
    page: str
    status: Status
    says: str
    fault: str
    points: float
    share: float


@dataclass
class TaskTally:
    """How one task fared: the share of its points that each submission got of which it was asked.

    `asked` counts these. `unasked` counts those of which it was not: they earned nothing for a task that it builds on.
    """

    title: str
    max_points: float
    visible: bool
    shares: list[float] = field(default_factory=list)
    asked: int = 0
    unasked: int = 0

    @property
    def mean(self) -> float:
        """Give the mean share of the points."""
        return fmean(self.shares)

    def parts(self) -> tuple[int, int, int]:
        """Count who got all of the points, a part of them, and none."""
        full, none = (sum(share == end for share in self.shares) for end in (1, 0))
        return full, len(self.shares) - full - none, none


@dataclass
class LawTally:
    """How often one law of a task was lost: by how many submissions, and with which answers."""

    name: str
    asks: str
    task: str
    lost: int = 0
    says: Counter[str] = field(default_factory=Counter)

    def add(self, reason: Reason) -> None:
        """Count one submission that lost it."""
        self.lost += 1
        says = messages.shown(reason.says, LONGEST)
        if says in self.says or len(self.says) < EXAMPLES:
            self.says[says] += 1

    @property
    def example(self) -> str:
        """Give the answer that was given most often; of several the shortest."""
        return min(self.says, key=lambda says: (-self.says[says], len(says), says))


@dataclass
class Tally:
    """A class. Means and medians leave out what the grader failed at; nothing handed in counts 0."""

    lines: list[Line] = field(default_factory=list)
    tasks: dict[str, TaskTally] = field(default_factory=dict)
    laws: dict[str, LawTally] = field(default_factory=dict)

    @property
    def statuses(self) -> Counter[Status]:
        """Count the submissions by their status."""
        return Counter(line.status for line in self.lines)

    @property
    def shares(self) -> list[float]:
        """Give the share of the points of everybody but those at whom the grader failed."""
        return [line.share for line in self.lines if line.status != "internal"]

    @property
    def median(self) -> float:
        """Give the median share; 0 where there is none."""
        return median(self.shares) if self.shares else 0.0

    def hardest(self) -> list[TaskTally]:
        """Give the tasks that were asked, least mean share first."""
        return sorted((task for task in self.tasks.values() if task.shares), key=lambda task: task.mean)

    def most_lost(self) -> list[LawTally]:
        """Give the laws that were lost, most often first."""
        return sorted(self.laws.values(), key=lambda law: (-law.lost, law.name))


def tally(grades: Iterable[Grade], lab: Lab) -> Tally:
    """Add up a class; the grades may come one at a time."""
    tasks = {task.name: TaskTally(task.title, task.points, task.visible) for task in lab.rubric.task}
    found = Tally(tasks=tasks)
    for grade in grades:
        share = grade.points / grade.max_points if grade.max_points else 0.0
        who = grade.student, grade.submission, safe_name(grade)
        found.lines.append(Line(*who, grade.status, grade.says, grade.fault, grade.points, share))
        if grade.status != "internal" and not messages.unasked(grade):
            _add(found, grade.marks)
    found.lines.sort(key=lambda line: (line.student, line.submission))
    return found


def _add(found: Tally, marks: Sequence[Mark]) -> None:
    for mark in marks:
        task = found.tasks.setdefault(mark.task, TaskTally(mark.title, mark.max_points, mark.visible))
        if not mark.asked:
            task.unasked += 1
            continue
        task.asked += 1
        if mark.max_points:
            task.shares.append(mark.points / mark.max_points)
        for reason in mark.reasons:
            if reason.asked:  # else it tells a rule of points, and no law
                found.laws.setdefault(reason.asked, LawTally(reason.asked, reason.asks, mark.task)).add(reason)
