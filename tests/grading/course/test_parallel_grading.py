from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memlab.grading.course import parallel_grading
from memlab.grading.course.parallel_grading import grade_in_parallel
from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import Submission

CLASS = [Submission(name=f"{name}.py", source="", problem="", digest=name) for name in ("ada", "bo", "chidi", "dana")]


def fine(one: Submission) -> Grade:
    return Grade(one.name, one.name, one.digest, "ok", seconds=1.0)


def fails_for_chidi(one: Submission) -> Grade:
    return fine(one) if one.name != "chidi.py" else fine({}["no such key"])  # type: ignore[index]


def hangs_for_ada(one: Submission) -> Grade:
    if one.name == "ada.py":
        signal.pause()
    return fine(one)


def is_killed(one: Submission, by: str, tries: Path, times: int) -> Grade:
    """Grade a submission, but kill the process the first `times` times at one of them."""
    if one.name == by:
        with tries.open("a", encoding="utf-8") as stream:
            stream.write(f"{os.getpid()}\n")
        if len(tries.read_text(encoding="utf-8").splitlines()) <= times:
            os.kill(os.getpid(), signal.SIGKILL)
    return fine(one)


def statuses(grade: Callable[[Submission], Grade], jobs: int) -> dict[str, str]:
    return {one.submission: one.status for one in grade_in_parallel(CLASS, grade, jobs)}


@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_any_number_of_processes_grades_every_submission_once(jobs: int) -> None:
    grades = sorted(grade_in_parallel(CLASS, fine, jobs), key=lambda one: one.submission)
    assert grades == [fine(one) for one in CLASS]


def test_no_submissions_give_no_grades() -> None:
    assert list(grade_in_parallel([], fine, 2)) == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_submission_whose_process_is_killed_twice_gets_an_internal_error_alone(tmp_path: Path, jobs: int) -> None:
    tries = tmp_path / "tries"
    found = statuses(partial(is_killed, by="bo.py", tries=tries, times=2), jobs)
    assert found == {"ada.py": "ok", "bo.py": "internal", "chidi.py": "ok", "dana.py": "ok"}
    assert len(set(tries.read_text(encoding="utf-8").split())) == 2, "the second attempt ran in another process"


def test_a_submission_whose_process_is_killed_once_is_graded_again(tmp_path: Path) -> None:
    grade = partial(is_killed, by="bo.py", tries=tmp_path / "tries", times=1)
    assert set(statuses(grade, 2).values()) == {"ok"}


def test_an_internal_grade_says_how_the_process_ended(tmp_path: Path) -> None:
    grade = partial(is_killed, by="ada.py", tries=tmp_path / "tries", times=2)
    (internal,) = [one for one in grade_in_parallel(CLASS, grade, 1) if one.status == "internal"]
    assert internal.fault == "signal SIGKILL"
    assert (internal.submission, internal.digest, internal.marks) == ("ada.py", "ada", ())


def test_an_exception_of_the_grader_is_an_internal_grade_with_the_error_and_its_place() -> None:
    found = {one.submission: one for one in grade_in_parallel(CLASS, fails_for_chidi, 2)}
    assert [one.status for _, one in sorted(found.items())] == ["ok", "ok", "internal", "ok"]
    assert Path(__file__).name in found["chidi.py"].fault
    assert found["chidi.py"].fault.endswith("KeyError: 'no such key'\n")


def test_a_process_that_never_answers_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_grading, "LIMIT", 0.3)
    assert statuses(hangs_for_ada, 2) == {"ada.py": "internal", "bo.py": "ok", "chidi.py": "ok", "dana.py": "ok"}
