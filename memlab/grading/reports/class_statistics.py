"""Statistics of a class, computed in one pass: points, results by task, and the checks that failed most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.grading.reports import messages
from memlab.grading.reports.files import safe_name
from memlab.grading.reports.parts import PART_TITLES, Subtotal, subtotals
from memlab.labs.lab import Lab

MAX_ANSWERS = 40
MAX_ANSWER = 300
"""Different answers that are remembered for a law, and characters of one."""


@dataclass(frozen=True)
class Line:
    """One submission: `share` of the points, `parts` their subtotals; `page` is the name of its files.

    `note` says why the points are not the sum of the parts.
    """

    student: str
    submission: str
    page: str
    status: Status
    message: str
    fault: str
    points: float
    share: float
    raises_everywhere: bool = False
    parts: tuple[Subtotal, ...] = ()
    note: str = ""


@dataclass
class TaskStatistics:
    """The results of one task: the share of its points that each submission earned which attempted it.

    `evaluated` counts these submissions, `unattempted` those that leave the step as the lab gives it, and `skipped`
    the others: a task that this one needs earned nothing.
    """

    title: str
    max_points: float
    visible: bool
    shares: list[float] = field(default_factory=list)
    evaluated: int = 0
    unattempted: int = 0
    skipped: int = 0

    @property
    def mean(self) -> float:
        """The mean share of the points; 0 if there is none."""
        return fmean(self.shares) if self.shares else 0.0

    def parts(self) -> tuple[int, int, int]:
        """Count the submissions that earned all points, some, and none."""
        full, none = (sum(share == end for share in self.shares) for end in (1, 0))
        return full, len(self.shares) - full - none, none


@dataclass
class CheckStatistics:
    """How many submissions failed one check of a task, and with which answers."""

    name: str
    requirement: str
    task: str
    failures: int = 0
    answers: Counter[str] = field(default_factory=Counter)

    def add(self, reason: Reason) -> None:
        """Count one submission that failed the check."""
        self.failures += 1
        answer = messages.printable(reason.message, MAX_ANSWER)
        if answer in self.answers or len(self.answers) < MAX_ANSWERS:
            self.answers[answer] += 1

    @property
    def example(self) -> str:
        """The most frequent answer; among several the shortest."""
        return min(self.answers, key=lambda answer: (-self.answers[answer], len(answer), answer))


@dataclass
class ClassStatistics:
    """The results of a class. Means and medians leave out failures of the grader; a missing submission counts 0."""

    lines: list[Line] = field(default_factory=list)
    tasks: dict[str, TaskStatistics] = field(default_factory=dict)
    checks: dict[str, CheckStatistics] = field(default_factory=dict)

    @property
    def statuses(self) -> Counter[Status]:
        """The number of submissions by status."""
        return Counter(line.status for line in self.lines)

    @property
    def shares(self) -> list[float]:
        """The share of the points of each submission, without failures of the grader."""
        return [line.share for line in self.lines if line.status != "internal"]

    @property
    def median(self) -> float:
        """The median share; 0 if there is none."""
        return median(self.shares) if self.shares else 0.0

    def mean_parts(self) -> list[Subtotal]:
        """Return the mean points of each part, over the same submissions as `shares`."""
        lines = [line for line in self.lines if line.status != "internal"]
        found = [[part for line in lines for part in line.parts if part.part == name] for name in PART_TITLES]
        return [some[0]._replace(points=fmean(part.points for part in some)) for some in found if some]

    def hardest(self) -> list[TaskStatistics]:
        """Return the tasks that somebody attempted, smallest mean share first."""
        return sorted((task for task in self.tasks.values() if task.shares), key=lambda task: task.mean)

    def unattempted(self) -> list[TaskStatistics]:
        """Return the tasks that nobody attempted."""
        return [task for task in self.tasks.values() if task.unattempted and not task.shares]

    def most_failed(self) -> list[CheckStatistics]:
        """Return the checks that failed, most frequent first."""
        return sorted(self.checks.values(), key=lambda check: (-check.failures, check.name))


def compute_statistics(grades: Iterable[Grade], lab: Lab) -> ClassStatistics:
    """Compute the statistics of a class; the grades may be an iterator."""
    tasks = {task.name: TaskStatistics(task.title, task.points, task.visible) for task in lab.rubric.task}
    statistics = ClassStatistics(tasks=tasks)
    for grade in grades:
        share = grade.points / grade.max_points if grade.max_points else 0.0
        who = grade.student, grade.submission, safe_name(grade)
        parts = tuple(subtotals(grade.marks, lab))
        note = messages.adjustment_note(grade)
        line = Line(*who, grade.status, grade.message, grade.fault, grade.points, share, parts=parts, note=note)
        statistics.lines.append(replace(line, raises_everywhere=grade.raises_everywhere))
        if grade.status != "internal" and not messages.is_ungraded(grade):
            _add(statistics, grade.marks)
    statistics.lines.sort(key=lambda line: (line.student, line.submission))
    return statistics


def _add(statistics: ClassStatistics, marks: Sequence[Mark]) -> None:
    for mark in marks:
        task = statistics.tasks.setdefault(mark.task, TaskStatistics(mark.title, mark.max_points, mark.visible))
        if not mark.attempted:
            task.unattempted += 1
            continue
        if not mark.total:
            task.skipped += 1
            continue
        task.evaluated += 1
        if mark.max_points:
            task.shares.append(mark.points / mark.max_points)
        for reason in mark.reasons:
            if reason.name:  # a reason without a name is a rule of points, not a check
                statistics.checks.setdefault(
                    reason.name, CheckStatistics(reason.name, reason.requirement, mark.task)
                ).add(reason)
