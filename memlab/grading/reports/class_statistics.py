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

MAX_ANSWERS = 40
MAX_ANSWER = 300
"""Different answers that are remembered for a law, and characters of one."""


@dataclass(frozen=True)
class Line:
    """One submission: `share` of the points, `page` is the name that its files have."""

    student: str
    submission: str
    page: str
    status: Status
    message: str
    fault: str
    points: float
    share: float


@dataclass
class TaskStatistics:
    """How one task fared: the share of its points that each submission got of which it was asked.

    `asked` counts these. `unasked` counts those of which it was not: they earned nothing for a task that it builds on.
    """

    title: str
    max_points: float
    visible: bool
    shares: list[float] = field(default_factory=list)
    evaluated: int = 0
    skipped: int = 0

    @property
    def mean(self) -> float:
        """Give the mean share of the points."""
        return fmean(self.shares)

    def parts(self) -> tuple[int, int, int]:
        """Count who got all of the points, a part of them, and none."""
        full, none = (sum(share == end for share in self.shares) for end in (1, 0))
        return full, len(self.shares) - full - none, none


@dataclass
class CheckStatistics:
    """How often one law of a task was lost: by how many submissions, and with which answers."""

    name: str
    requirement: str
    task: str
    failures: int = 0
    answers: Counter[str] = field(default_factory=Counter)

    def add(self, reason: Reason) -> None:
        """Count one submission that lost it."""
        self.failures += 1
        answer = messages.printable(reason.message, MAX_ANSWER)
        if answer in self.answers or len(self.answers) < MAX_ANSWERS:
            self.answers[answer] += 1

    @property
    def example(self) -> str:
        """Give the answer that was given most often; of several the shortest."""
        return min(self.answers, key=lambda answer: (-self.answers[answer], len(answer), answer))


@dataclass
class ClassStatistics:
    """A class. Means and medians leave out what the grader failed at; nothing handed in counts 0."""

    lines: list[Line] = field(default_factory=list)
    tasks: dict[str, TaskStatistics] = field(default_factory=dict)
    checks: dict[str, CheckStatistics] = field(default_factory=dict)

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

    def hardest(self) -> list[TaskStatistics]:
        """Give the tasks that were asked, least mean share first."""
        return sorted((task for task in self.tasks.values() if task.shares), key=lambda task: task.mean)

    def most_failed(self) -> list[CheckStatistics]:
        """Give the laws that were lost, most often first."""
        return sorted(self.checks.values(), key=lambda check: (-check.failures, check.name))


def compute_statistics(grades: Iterable[Grade], lab: Lab) -> ClassStatistics:
    """Add up a class; the grades may come one at a time."""
    tasks = {task.name: TaskStatistics(task.title, task.points, task.visible) for task in lab.rubric.task}
    statistics = ClassStatistics(tasks=tasks)
    for grade in grades:
        share = grade.points / grade.max_points if grade.max_points else 0.0
        who = grade.student, grade.submission, safe_name(grade)
        statistics.lines.append(Line(*who, grade.status, grade.message, grade.fault, grade.points, share))
        if grade.status != "internal" and not messages.is_ungraded(grade):
            _add(statistics, grade.marks)
    statistics.lines.sort(key=lambda line: (line.student, line.submission))
    return statistics


def _add(statistics: ClassStatistics, marks: Sequence[Mark]) -> None:
    for mark in marks:
        task = statistics.tasks.setdefault(mark.task, TaskStatistics(mark.title, mark.max_points, mark.visible))
        if not mark.total:
            task.skipped += 1
            continue
        task.evaluated += 1
        if mark.max_points:
            task.shares.append(mark.points / mark.max_points)
        for reason in mark.reasons:
            if reason.name:  # else it tells a rule of points, and no law
                statistics.checks.setdefault(
                    reason.name, CheckStatistics(reason.name, reason.requirement, mark.task)
                ).add(reason)
