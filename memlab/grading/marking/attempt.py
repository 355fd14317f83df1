"""One submission before the grader: its file in one room after the other, within its time, and how it fared there."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from memlab.grading.grade import Status
from memlab.grading.marking.config import GradingConfig
from memlab.labs.lab import Task
from memlab.sandbox.client import CheckFailed, LearnerFile

CALL_SECONDS = 5.0
"""Seconds that one call may take: some hundred times what an honest one takes."""
TASK_SECONDS = 40.0
"""Seconds that all calls of one task may take together, slow drips included: an honest task takes one or two."""
SUBMISSION_SECONDS = 120.0
"""Seconds that a submission may take; what it has not been asked by then is lost."""
MAX_TIMEOUTS = 2
"""Calls of one task that may not come back: then the rest of the task is lost."""


@dataclass(frozen=True)
class Failure:
    """A process of the submission that did not live to its end: in which task, and how."""

    task: Task | None
    status: Status
    message: str


class GradingAttempt:
    """A submission's file, asked by its `work`. To be used in a `with` statement.

    `failures` are kept as they come.
    """

    def __init__(self, path: Path, config: GradingConfig) -> None:
        self.path = path
        self.config = config
        self.failures: list[Failure] = []
        self._task: Task | None = None
        self._work: LearnerFile | None = None
        self._end = self._task_end = time.monotonic() + SUBMISSION_SECONDS
        self._timeouts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close_sandbox()

    def begin_task(self, task: Task) -> None:
        """Go on to a task, in a room of its own."""
        self.close_sandbox()
        self._task, self._task_end, self._timeouts = task, time.monotonic() + TASK_SECONDS, 0

    def open_sandbox(self, path: Path | None = None, class_name: str | None = None) -> LearnerFile:
        """Give the file in its room; in a fresh one if the last was left, or the process in it is gone.

        Another file may stand for it, and another class. Raises CheckFailed where no time is left.
        """
        if self._work is not None and self._work.failure:
            self.close_sandbox()
        if self._work is None:
            class_name = self.config.lab.class_name if class_name is None else class_name
            start = self.config.level.start_sandbox
            self._work = LearnerFile(path or self.path, class_name, CALL_SECONDS, start, self._left())
        return self._work

    def close_sandbox(self) -> None:
        """End what is in the room, and note how it fared."""
        work, self._work = self._work, None
        if work is None:
            return
        work.close()
        if work.failure:
            self._timeouts += work.timed_out
            self.failures.append(Failure(self._task, "timeout" if work.timed_out else "crashed", str(work.failure)))
        elif work.out_of_memory:
            says = f"{self.path.name} raised MemoryError: it asked for more memory than there is"
            self.failures.append(Failure(self._task, "crashed", says))

    def _left(self) -> float:
        """Give the seconds that are left for this task. Raises CheckFailed where there are none."""
        now, name = time.monotonic(), self.path.name
        if self._timeouts >= MAX_TIMEOUTS:
            raise CheckFailed(f"{name} was not asked: {MAX_TIMEOUTS} calls of this task did not return")
        left, most = min((self._end - now, SUBMISSION_SECONDS), (self._task_end - now, TASK_SECONDS))
        if left <= 0:
            says = f"{name} was not asked: it has used up its {most:g} s. What takes so long?"
            self.failures.append(Failure(self._task, "timeout", says))
            raise CheckFailed(says)
        return left
