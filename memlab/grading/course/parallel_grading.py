"""Grades many submissions in several processes: a submission that fails affects only its own grade."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, as_completed

from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.grader import GRADER_FAILED
from memlab.harness.running.worker_pool import WorkerEnded, WorkerPool

Grading = Callable[[Submission], Grade]
LIMIT = 900.0
"""Seconds after which a process that grades one submission is ended: the grader's own limits are far below."""
ENDED_TWICE = "was not decided: the process that graded it was ended twice. Grade it again, with fewer --jobs"


def grade_in_parallel(submissions: Sequence[Submission], grade: Grading, jobs: int) -> Generator[Grade, None, None]:
    """Yield each grade as soon as it is finished, in no particular order.

    A submission whose process ends is graded once more, after the others. If its process ends again, or `grade`
    raises, it gets a grade with status "internal" and without marks.
    """
    if not submissions:
        return
    pool = WorkerPool(min(jobs, len(submissions)), LIMIT)
    ended: list[Submission] = []
    try:
        for submission, grade_or_end in _in_pool(pool, submissions, grade):
            if isinstance(grade_or_end, Grade):
                yield grade_or_end
            else:
                ended.append(submission)
        for submission, grade_or_end in _in_pool(pool, ended, grade):
            if isinstance(grade_or_end, Grade):
                yield grade_or_end
            else:
                yield _internal(submission, ENDED_TWICE, str(grade_or_end))
    finally:
        pool.terminate()


def _in_pool(
    pool: WorkerPool, submissions: Sequence[Submission], grade: Grading
) -> Iterator[tuple[Submission, Grade | WorkerEnded]]:
    """Grade submissions in the processes of a pool; yield each with its grade, or with how its process ended."""
    futures: dict[Future[Grade], Submission] = {pool.submit(_grade, one, grade): one for one in submissions}
    for future in as_completed(futures):
        submission = futures.pop(future)
        try:
            yield submission, future.result()
        except WorkerEnded as end:
            yield submission, end


def _grade(submission: Submission, grade: Grading) -> Grade:
    try:
        return grade(submission)
    except Exception:  # noqa: BLE001 - one submission must not stop the class; its grade has the error
        return _internal(submission, GRADER_FAILED, traceback.format_exc())


def _internal(submission: Submission, says: str, fault: str) -> Grade:
    """Return the grade of a submission for which the grader failed."""
    return Grade(submission.name, submission.name, submission.digest, "internal", says, fault=fault)
