"""Processes that grade many submissions: none of these can cost more than its own grade."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from threading import Thread

from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.grader import OURS
from memlab.harness.running.workers import Worker, attend

Grading = Callable[[Submission], Grade]
LONGEST = 900.0
"""Seconds after which a process that grades one submission is ended: the grader's own bounds are far below."""
PULSE = 1.0
"""Seconds between two looks at whether a process takes too long, or has lost its parent."""
LOST = "was not decided: the process that graded it was ended twice. Grade it again, with fewer --jobs"


class WorkerPool:
    """Processes that grade one submission at a time; one that ends is replaced, and its submission is tried again.

    A submission whose process ends twice, or raises, costs its own grade alone, which is then without marks.
    """

    def __init__(self, submissions: Sequence[Submission], grade: Grading, jobs: int) -> None:
        self._submissions = submissions
        self._grade = grade
        self._ahead = deque(range(len(submissions)))
        self._lost: set[int] = set()
        self._busy: dict[Connection, Worker] = {}
        self._begun: dict[Connection, float] = {}
        self._ending: dict[Connection, float] = {}
        for _ in range(min(jobs, len(submissions))):
            self._hire()

    def grades(self) -> Iterator[Grade]:
        """Give each grade as soon as it is there: the order is chance."""
        while self._busy:
            for pipe in wait(list(self._busy), PULSE):
                assert isinstance(pipe, Connection)  # noqa: S101 - wait gives what it was given
                yield from self._told(pipe)
            self._end_late()

    def close(self) -> None:
        """End every process, and let each end its sandbox."""
        for worker in self._busy.values():
            worker.process.terminate()
        for worker in self._busy.values():
            worker.ended()
            worker.process.kill()

    def _end_late(self) -> None:
        """End each process that takes too long: asked first, so that it ends its sandbox, then by force."""
        now = time.monotonic()
        for pipe, worker in self._busy.items():
            if pipe in self._ending and now - self._ending[pipe] > PULSE:
                worker.process.kill()  # which is then noticed as any other end
            elif pipe not in self._ending and now - self._begun[pipe] > LONGEST:
                self._ending[pipe] = now
                worker.process.terminate()

    def _told(self, pipe: Connection) -> Iterator[Grade]:
        """Take a grade, or the end of its process, and have the next submission graded."""
        worker = self._busy[pipe]
        submission = self._submissions[worker.number]
        try:
            grade: Grade | None = pipe.recv()
        except (EOFError, OSError):
            grade = self._ended(worker, submission)
            del self._busy[pipe]
            if self._ahead:
                self._hire()
        else:
            self._next(pipe)
        if grade:
            yield grade

    def _ended(self, worker: Worker, submission: Submission) -> Grade | None:
        """Have a submission tried once more, after all others; the second time its grade is the grader's fault."""
        how = worker.ended()
        if worker.number in self._lost:
            return _internal(submission, LOST, how)
        self._lost.add(worker.number)
        self._ahead.append(worker.number)
        return None

    def _hire(self) -> None:
        worker = Worker(_work, (self._submissions, self._grade))
        self._busy[worker.pipe] = worker
        self._next(worker.pipe)

    def _next(self, pipe: Connection) -> None:
        if self._ahead:
            self._begun[pipe] = time.monotonic()
            self._busy[pipe].begin(self._ahead.popleft())
        else:
            worker = self._busy.pop(pipe)
            worker.process.terminate()
            worker.ended()


def _internal(submission: Submission, says: str, fault: str) -> Grade:
    """Make the grade of what the grader failed at."""
    return Grade(submission.name, submission.name, submission.digest, "internal", says, fault=fault)


def _work(pieces: tuple[Sequence[Submission], Grading], near: Connection, pipe: Connection) -> None:
    """Grade what is asked for until nobody asks any more."""
    submissions, grade = pieces
    attend(near)
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with suppress(KeyboardInterrupt, EOFError, OSError):
        while True:
            number, _ = pipe.recv()
            pipe.send(_grade_of(submissions[number], grade))


def _grade_of(submission: Submission, grade: Grading) -> Grade:
    try:
        return grade(submission)
    except Exception:  # noqa: BLE001 - one submission never ends a class, and its grade tells what happened
        return _internal(submission, OURS, traceback.format_exc())


def _end_with(parent: int) -> None:
    """End this process when its parent is gone: killed, that cannot end it."""
    while os.getppid() == parent:
        time.sleep(PULSE)
    os.kill(os.getpid(), signal.SIGTERM)
