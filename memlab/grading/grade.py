"""What a grade is made of: a mark for each task, a reason for each point that was lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "timeout", "crashed", "syntax error", "missing", "internal"]
"""How a submission fared: missing is nothing that could be read as one, internal is a fault of the grader."""


@dataclass(frozen=True)
class Reason:
    """Why points were lost: what was asked, in a sentence, what came instead, and the calls that led there.

    `asked` is the name of a law, of a scenario or of a printout; "" where it is about the task as a whole.
    """

    name: str
    requirement: str
    message: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mark:
    """What a submission got for a task: `points` of `worth`, since it kept `kept` of the `asked` things asked of it.

    Nothing was asked where `asked` is 0. A task that is not `visible` is told to students by its title and its points
    only.
    """

    task: str
    title: str
    points: float
    max_points: float
    passed: int
    total: int
    visible: bool = True
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Grade:
    """A submission, graded: `says` tells a status that is not ok in a sentence, `digest` names what was graded.

    `submission` names the file as it was handed in, `student` is who the roster says, else the same. `fault` is where
    the grader itself failed, line by line: for the instructor alone.
    """

    submission: str
    student: str
    digest: str
    status: Status
    message: str = ""
    marks: tuple[Mark, ...] = ()
    seconds: float = 0.0
    fault: str = ""

    @property
    def points(self) -> float:
        """Add up the points."""
        return sum(one.points for one in self.marks)

    @property
    def max_points(self) -> float:
        """Add up what the tasks are worth."""
        return sum(one.max_points for one in self.marks)
