"""A grade: a mark for each task, and a reason for each lost point."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "timeout", "crashed", "syntax error", "missing", "internal"]
"""How grading ended. missing: nothing readable was submitted; internal: the grader itself failed."""


RAISED = re.compile(r"\) raised \w|does not load")
"""What a message says of a call, or of loading a file, that ended with an exception."""


@dataclass(frozen=True)
class Reason:
    """Why points were lost: the requirement, what the submission did instead, and the calls before it.

    `name` is the name of a check, a scenario or a printout; "" if the reason is about the task as a whole. `words` are
    the made-up words in the message and the calls, each with the word of the check that it replaces.
    """

    name: str
    requirement: str
    message: str
    calls: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Mark:
    """The result of one task: `points` of `max_points`, with `passed` of `total` checks passed.

    `total` is 0 if nothing was checked. Of a task that is not `visible`, students see the title and the points only.
    A step is not `attempted` if the submission leaves it as the lab gives it. If the instructor gave other points,
    `graded` has those of the grader; `comment` is the instructor's.
    """

    task: str
    title: str
    points: float
    max_points: float
    passed: int
    total: int
    visible: bool = True
    reasons: tuple[Reason, ...] = ()
    attempted: bool = True
    graded: float | None = None
    comment: str = ""


@dataclass(frozen=True)
class Grade:
    """The grade of one submission. `message` explains a status that is not ok, `digest` identifies the graded text.

    `submission` is the file as it was submitted; `student` is the name in the roster, or else the submission.
    `fault` is the traceback of a failure of the grader, for the instructor only. `comment` and the points `added` are
    the instructor's; `penalty` are the points deducted for `days_late`.
    """

    submission: str
    student: str
    digest: str
    status: Status
    message: str = ""
    marks: tuple[Mark, ...] = ()
    seconds: float = 0.0
    fault: str = ""
    comment: str = ""
    added: float = 0.0
    days_late: int = 0
    penalty: float = 0.0

    @property
    def raises_everywhere(self) -> bool:
        """Whether nothing passed and every check ended with an exception: perhaps one cause that is quickly found."""
        says = [reason.message for mark in self.marks for reason in mark.reasons if reason.name] or [self.message]
        failed = self.status in {"ok", "crashed"} and not any(mark.passed for mark in self.marks)
        return failed and all(RAISED.search(one) for one in says)

    @property
    def points(self) -> float:
        """The sum of the points, without those deducted."""
        return max(0.0, self.points_before - self.penalty)

    @property
    def points_before(self) -> float:
        """The sum of the points before the penalty for a late submission."""
        return sum(one.points for one in self.marks) + self.added

    @property
    def max_points(self) -> float:
        """The sum of the points that the tasks can earn."""
        return sum(one.max_points for one in self.marks)
