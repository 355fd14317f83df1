"""One submission while it is graded: its sandbox, its time limits, and its failures."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from memlab.grading.grade import Status
from memlab.grading.marking.config import GradingConfig
from memlab.labs.rubric import Task
from memlab.sandbox.client import CheckFailed, LearnerFile

CALL_SECONDS = 5.0
"""Limit for one call: about a hundred times what an honest call takes."""
TASK_SECONDS = 40.0
"""Limit for all calls of one task together: an honest task takes one or two seconds."""
SUBMISSION_SECONDS = 120.0
"""Limit for a submission. What was not checked by then fails."""
MAX_TIMEOUTS = 2
"""Calls of one task that may time out. After them the rest of the task fails."""


@dataclass(frozen=True)
class Failure:
    """A process of the submission that ended early: the task, and how it ended."""

    task: Task | None
    status: Status
    message: str


class GradingAttempt:
    """A submission's file and the sandbox that it runs in. Use it in a `with` statement.

    `failures` lists the processes that ended early.
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
        """Start a task, with a sandbox of its own."""
        self.close_sandbox()
        self._task, self._task_end, self._timeouts = task, time.monotonic() + TASK_SECONDS, 0

    def open_sandbox(self, path: Path | None = None, class_name: str | None = None) -> LearnerFile:
        """Return the file in its sandbox: a new sandbox if the last was closed or its process has ended.

        `path` and `class_name` replace the submission's own. Raises CheckFailed if no time is left.
        """
        if self._work is not None and self._work.failure:
            self.close_sandbox()
        if self._work is None:
            class_name = self.config.lab.class_name if class_name is None else class_name
            start = self.config.start_sandbox
            self._work = LearnerFile(path or self.path, class_name, CALL_SECONDS, start, self._left())
        return self._work

    def close_sandbox(self) -> None:
        """End the process in the sandbox, and record a failure of it."""
        work, self._work = self._work, None
        if work is None:
            return
        work.close()
        if work.failure:
            self._timeouts += work.timed_out
            self.failures.append(Failure(self._task, "timeout" if work.timed_out else "crashed", str(work.failure)))
        elif work.out_of_memory:
            message = f"{self.path.name} raised MemoryError: it needs more memory than a submission may use"
            self.failures.append(Failure(self._task, "crashed", message))

    def _left(self) -> float:
        """Return the seconds left for this task. Raises CheckFailed if there are none."""
        now, name = time.monotonic(), self.path.name
        if self._timeouts >= MAX_TIMEOUTS:
            raise CheckFailed(f"{name} was not checked: {MAX_TIMEOUTS} calls of this task did not return")
        left, most = min((self._end - now, SUBMISSION_SECONDS), (self._task_end - now, TASK_SECONDS))
        if left <= 0:
            message = f"{name} was not checked: it has used up its limit of {most:g} s. Which call is slow?"
            self.failures.append(Failure(self._task, "timeout", message))
            raise CheckFailed(message)
        return left
