from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memlab.grading.course import worker_pool
from memlab.grading.course.worker_pool import WorkerPool
from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import Submission

CLASS = [Submission(name=f"{name}.py", source="", problem="", digest=name) for name in ("ada", "bo", "chidi", "dana")]


def fine(one: Submission) -> Grade:
    return Grade(one.name, one.name, one.digest, "ok", seconds=1.0)


def ends(one: Submission, of: str, tries: Path, times: int) -> Grade:
    """Stand in for a grader whose process is killed by one submission, so many times."""
    if one.name == of:
        with tries.open("a", encoding="utf-8") as stream:
            stream.write(f"{os.getpid()}\n")
        if len(tries.read_text(encoding="utf-8").splitlines()) <= times:
            os.kill(os.getpid(), signal.SIGKILL)
    return fine(one)


def graded(submissions: Sequence[Submission], grade: Callable[[Submission], Grade], jobs: int) -> list[Grade]:
    with closing(WorkerPool(submissions, grade, jobs)) as made:
        return list(made.grades())


def statuses(grade: Callable[[Submission], Grade], jobs: int) -> dict[str, str]:
    return {one.submission: one.status for one in graded(CLASS, grade, jobs)}


@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_every_submission_is_graded_once_by_any_number_of_processes(jobs: int) -> None:
    assert sorted(graded(CLASS, fine, jobs), key=lambda one: one.submission) == [fine(one) for one in CLASS]


def test_no_submissions_are_no_grades() -> None:
    assert graded([], fine, 2) == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_process_that_is_killed_twice_costs_the_submission_that_it_graded_alone(tmp_path: Path, jobs: int) -> None:
    tries = tmp_path / "tries"
    found = statuses(partial(ends, of="bo.py", tries=tries, times=2), jobs)
    assert found == {"ada.py": "ok", "bo.py": "internal", "chidi.py": "ok", "dana.py": "ok"}
    assert len(set(tries.read_text(encoding="utf-8").split())) == 2, "it was tried again, in a process of its own"


def test_a_process_that_is_killed_once_costs_nothing(tmp_path: Path) -> None:
    assert set(statuses(partial(ends, of="bo.py", tries=tmp_path / "tries", times=1), 2).values()) == {"ok"}


def test_an_internal_grade_says_how_the_process_ended(tmp_path: Path) -> None:
    lost = partial(ends, of="ada.py", tries=tmp_path / "tries", times=2)
    (grade,) = [one for one in graded(CLASS, lost, 1) if one.status == "internal"]
    assert grade.fault == "signal SIGKILL"
    assert (grade.submission, grade.digest, grade.marks) == ("ada.py", "ada", ())


def test_what_a_grader_raises_is_an_internal_grade_that_names_the_error_and_its_place() -> None:
    def fails(one: Submission) -> Grade:
        return fine(one) if one.name != "chidi.py" else fine({}["no such key"])  # type: ignore[index]

    found = {one.submission: one for one in graded(CLASS, fails, 2)}
    assert [one.status for _, one in sorted(found.items())] == ["ok", "ok", "internal", "ok"]
    assert "test_crew.py" in found["chidi.py"].fault
    assert found["chidi.py"].fault.endswith("KeyError: 'no such key'\n")


def test_a_process_that_never_answers_is_ended_and_counts_as_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(one: Submission) -> Grade:
        if one.name == "ada.py":
            signal.pause()
        return fine(one)

    monkeypatch.setattr(worker_pool, "LONGEST", 0.3)
    monkeypatch.setattr(worker_pool, "PULSE", 0.05)
    assert statuses(hangs, 2) == {"ada.py": "internal", "bo.py": "ok", "chidi.py": "ok", "dana.py": "ok"}


def test_a_process_that_takes_too_long_is_asked_to_end_and_unwinds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(one: Submission) -> Grade:
        try:
            signal.pause()
        finally:  # where a sandbox would be ended
            time.sleep(0.1)
            (tmp_path / str(os.getpid())).touch()
        return fine(one)

    monkeypatch.setattr(worker_pool, "LONGEST", 0.3)
    assert [one.status for one in graded(CLASS[:1], slow, 1)] == ["internal"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_process_that_does_not_end_when_asked_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(one: Submission) -> Grade:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.pause()
        return fine(one)

    monkeypatch.setattr(worker_pool, "LONGEST", 0.3)
    monkeypatch.setattr(worker_pool, "PULSE", 0.05)
    (grade,) = graded(CLASS[:1], deaf, 1)
    assert grade.fault == "signal SIGKILL"


def test_what_is_closed_early_leaves_no_process_and_each_unwinds(tmp_path: Path) -> None:
    def slow(one: Submission) -> Grade:
        if one.name != "ada.py":
            (tmp_path / one.name).touch()
            try:
                signal.pause()
            finally:  # where a sandbox would be ended
                (tmp_path / f"{one.name} {os.getpid()}").touch()
        return fine(one)

    made = WorkerPool(CLASS, slow, 2)
    assert next(made.grades()).submission == "ada.py"
    while len(list(tmp_path.iterdir())) < 2:
        time.sleep(0.01)
    made.close()
    unwound = [path.name for path in tmp_path.iterdir() if " " in path.name]
    assert len(unwound) == 2
    for one in unwound:
        with pytest.raises(ProcessLookupError):
            os.kill(int(one.split()[1]), 0)
