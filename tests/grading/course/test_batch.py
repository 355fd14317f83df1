from __future__ import annotations

import csv
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Process
from pathlib import Path

import pytest

from memlab.grading.course import batch as batches
from memlab.grading.course.batch import EMPTY_ROSTER, Batch
from memlab.grading.course.grade_log import GradeLog
from memlab.grading.course.outputs import Outputs, write_outputs
from memlab.grading.course.run import RUN, write_run
from memlab.grading.grade import Grade, Mark, Status
from memlab.grading.intake.roster import Roster, Student
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.labs.lab import load

FULL_LAB = load("06")
WRITE_4 = tuple(
    task.model_copy(update={"points": 4.0}) if task.name == "write" else task for task in FULL_LAB.rubric.task
)
LAB = replace(FULL_LAB, rubric=FULL_LAB.rubric.model_copy(update={"task": WRITE_4}))


@dataclass(frozen=True)
class FakeLevel:
    """A level that starts no sandbox."""

    name: str = "none"

    def python_version(self) -> str:
        return "3.11"


def submission(name: str, source: str = "4") -> Submission:
    """Return a submission whose source is its points or its status."""
    return Submission(f"{name}.py", source, problem="", digest=f"{name} {source}", student=name)


CLASS = [submission("ada", "4"), submission("bo", "2"), submission("chi", "crashed")]


def grade_by_source(one: Submission, config: GradingConfig) -> Grade:
    del config
    status: Status = "crashed" if one.source == "crashed" else "internal" if one.source == "internal" else "ok"
    points = float(one.source) if status == "ok" else 0.0
    marks = (Mark("write", "Write", points, 4.0, int(points), 4),)
    return Grade(one.name, one.name, one.digest, status, "", marks, seconds=time.monotonic())


def grade_with_two_points(one: Submission, config: GradingConfig) -> Grade:
    """Grade any submission with two points."""
    return grade_by_source(replace(one, source="2"), config)


def grade_hidden(one: Submission, config: GradingConfig) -> Grade:
    """Grade a submission, with every task hidden from students."""
    grade = grade_by_source(one, config)
    return replace(grade, marks=tuple(replace(mark, visible=False) for mark in grade.marks))


def grade_and_fail_on_bo(one: Submission, config: GradingConfig) -> Grade:
    """Raise KeyError for the submission of Bo, and grade any other."""
    return grade_by_source(one, config) if one.name != "bo.py" else grade_by_source(one, {}["no such key"])  # type: ignore[index]


def record_and_grade(one: Submission, config: GradingConfig, folder: Path) -> Grade:
    """Record which submission is graded; in the first run, wait forever at two of them."""
    with (folder / "log").open("a", encoding="utf-8") as stream:
        stream.write(f"{one.name}\n")
    if one.name in {"s20.py", "s21.py"} and not (folder / "again").exists():
        (folder / "stuck").mkdir(exist_ok=True)
        (folder / "stuck" / str(os.getpid())).touch()
        signal.pause()
    return grade_by_source(one, config)


@pytest.fixture(autouse=True)
def _without_sandboxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "grade", grade_by_source)


def make_batch(
    folder: Path,
    submissions: Sequence[Submission] = CLASS,
    seed: int = 7,
    roster: Roster = EMPTY_ROSTER,
    only: str = "",
) -> Batch:
    config = GradingConfig(LAB, seed, FakeLevel(), only=(only,) if only else ())  # type: ignore[arg-type]
    made = Batch(submissions, config, folder, roster)
    folder.mkdir(exist_ok=True)
    write_run(made.run, folder, "none")
    return made


def grade_batch(made: Batch, jobs: int = 1) -> Outputs:
    list(made.grade_pending(made.pending(), jobs))
    return write_outputs(made)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a run, without the seconds of the grades."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    lines = [json.loads(line) for line in found.pop("grades.jsonl").splitlines()]
    return found | {"grades": repr([line | {"seconds": 0} for line in lines]).encode()}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_order_of_submissions_and_the_number_of_processes_change_no_byte(tmp_path: Path) -> None:
    grade_batch(make_batch(tmp_path / "one"), jobs=1)
    grade_batch(make_batch(tmp_path / "two", CLASS[::-1]), jobs=3)
    assert read_files(tmp_path / "one") == read_files(tmp_path / "two")
    assert {"gradebook.csv", "index.html", "nbgrader.csv", "alike.csv", RUN} <= read_files(tmp_path / "one").keys()


def test_a_second_run_grades_nothing_and_changes_no_file(tmp_path: Path) -> None:
    grade_batch(make_batch(tmp_path))
    before = read_files(tmp_path)
    assert make_batch(tmp_path).pending() == []
    assert grade_batch(make_batch(tmp_path)).changes is None
    assert read_files(tmp_path) == before


def test_only_new_and_changed_submissions_are_graded_and_the_changes_are_reported(tmp_path: Path) -> None:
    grade_batch(make_batch(tmp_path))
    first = (tmp_path / "gradebook.csv").read_bytes()
    now = [submission("ada", "1"), *CLASS[1:], submission("dana", "3")]
    assert [one.name for one in make_batch(tmp_path, now).pending()] == ["ada.py", "dana.py"]
    changes = grade_batch(make_batch(tmp_path, now)).changes
    assert changes is not None
    assert [(one.student, one.task, one.before, one.after) for one in changes] == [
        ("ada", "write", 4.0, 1.0),
        ("dana", "(all tasks)", None, 3.0),
    ]
    assert (tmp_path / "gradebook.before.csv").read_bytes() == first
    assert [row["points"] for row in rows(tmp_path / "gradebook.csv")] == ["1", "2", "0", "3"]


def test_a_renamed_file_still_belongs_to_its_student(tmp_path: Path) -> None:
    grade_batch(make_batch(tmp_path))
    again = replace(submission("ada", "3"), name="ada-1.py")
    changes = grade_batch(make_batch(tmp_path, [again, *CLASS[1:]])).changes
    assert changes is not None
    assert [(one.student, one.before, one.after) for one in changes] == [("ada", 4.0, 3.0)]


def test_another_seed_grades_everyone_again_and_is_the_reason_of_each_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade_batch(make_batch(tmp_path))
    monkeypatch.setattr(batches, "grade", grade_with_two_points)
    assert len(make_batch(tmp_path, seed=8).pending()) == 3
    changes = grade_batch(make_batch(tmp_path, seed=8)).changes
    assert changes is not None
    assert [(one.student, one.why.partition(":")[0]) for one in changes] == [
        ("ada", "The seed changed"),
        ("chi", "The seed changed"),
    ]


def test_changes_are_relative_to_the_last_gradebook_even_after_a_stopped_regrade(tmp_path: Path) -> None:
    grade_batch(make_batch(tmp_path))
    now = [submission("ada", "3"), submission("bo", "3"), CLASS[2]]
    stopped = make_batch(tmp_path, now).grade_pending(make_batch(tmp_path, now).pending(), 1)
    next(stopped)
    stopped.close()
    assert len(make_batch(tmp_path, now).pending()) == 1
    changes = grade_batch(make_batch(tmp_path, now)).changes
    assert changes is not None
    assert [(one.student, one.before, one.after) for one in changes] == [("ada", 4.0, 3.0), ("bo", 2.0, 3.0)]


def test_a_second_run_grades_the_submissions_again_on_which_the_grader_failed(tmp_path: Path) -> None:
    written = grade_batch(make_batch(tmp_path, [submission("ada"), submission("bo", "internal")]))
    assert [one.status for one in written.grades] == ["ok", "internal"]
    assert [one.name for one in make_batch(tmp_path, [submission("ada"), submission("bo", "internal")]).pending()] == [
        "bo.py"
    ]


def test_the_files_of_a_student_who_left_the_class_are_removed(tmp_path: Path) -> None:
    grade_batch(make_batch(tmp_path))
    assert len(list((tmp_path / "feedback").iterdir())) == 3
    grade_batch(make_batch(tmp_path, CLASS[:1]))
    assert len(list((tmp_path / "feedback").iterdir())) == 1
    assert len(list((tmp_path / "gradescope").glob("*/results.json"))) == 1
    assert [row["student"] for row in rows(tmp_path / "gradebook.csv")] == ["ada"]


def test_the_roster_names_the_students_and_adds_a_row_for_each_missing_submission(tmp_path: Path) -> None:
    roster = Roster((Student("17", "ada"), Student("18", "Zoe")))
    grade_batch(make_batch(tmp_path, CLASS[:2], roster=roster))
    found = {row["student"]: (row["submission"], row["status"]) for row in rows(tmp_path / "gradebook.csv")}
    assert found == {"ada (17)": ("ada.py", "ok"), "bo": ("bo.py", "ok"), "Zoe (18)": ("", "missing")}
    assert {row["student_id"] for row in rows(tmp_path / "nbgrader.csv")} == {
        "17",
        "18",
    }  # it lists only students of the roster
    assert len(list((tmp_path / "feedback").iterdir())) == 3


def test_the_fields_of_the_roster_and_lateness_are_columns_of_the_gradebook(tmp_path: Path) -> None:
    ada = Student("17", "Ada King", ("ada",), email="ada@x.edu", first="Ada", last="King")
    grade_batch(make_batch(tmp_path, [replace(CLASS[0], ids=("ada",), late=True), CLASS[1]], roster=Roster((ada,))))
    known, unknown = rows(tmp_path / "gradebook.csv")
    columns = ("student", "id", "name", "email", "late")
    assert [known[one] for one in columns] == ["Ada King (17)", "17", "Ada King", "ada@x.edu", "late"]
    assert [unknown[one] for one in columns] == ["bo", "", "", "", ""]
    (row,) = rows(tmp_path / "nbgrader.csv")
    identity = [row[one] for one in ("student_id", "last_name", "first_name", "email")]
    assert identity == ["17", "King", "Ada", "ada@x.edu"]


def test_nbgrader_gets_no_row_for_two_submissions_of_a_student_until_the_roster_names_one(tmp_path: Path) -> None:
    two = [submission("ada", "4"), replace(submission("again", "2"), student="ada"), submission("bo", "2")]
    roster = Roster((Student("17", "ada"), Student("18", "bo")))
    assert grade_batch(make_batch(tmp_path, two, roster=roster)).doubled == ["ada (17)"]
    assert [row["student_id"] for row in rows(tmp_path / "nbgrader.csv")] == ["18"]
    settled = Roster((Student("17", "ada", file="again.py"), Student("18", "bo")))
    assert grade_batch(make_batch(tmp_path, two, roster=settled)).doubled == []
    assert {row["student_id"]: row["score"] for row in rows(tmp_path / "nbgrader.csv")} == {"17": "2", "18": "2"}


def test_hiding_a_task_is_reported_as_a_change_even_if_the_gradebook_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade_batch(make_batch(tmp_path))
    before = (tmp_path / "gradebook.csv").read_bytes()
    monkeypatch.setattr(batches, "grade", grade_hidden)
    written = grade_batch(make_batch(tmp_path, seed=8))
    assert (tmp_path / "gradebook.csv").read_bytes() == before
    (row,) = rows(tmp_path / "changes.csv")
    assert (row["student"], row["task"]) == ("(everybody)", "write")
    assert row["why"] == "The rubric was edited: hidden from students now."
    assert written.changes is not None


def test_missing_submissions_and_grader_failures_have_the_maximum_points_of_the_graded_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "grade", grade_and_fail_on_bo)
    roster = Roster((Student("17", "ada"), Student("18", "Zoe")))
    written = grade_batch(make_batch(tmp_path, CLASS[:2], roster=roster, only="write"))
    max_points = LAB.step("write").points
    assert {one.student: (one.points, one.max_points) for one in written.grades if one.student != "ada (17)"} == {
        "bo": (0, max_points),
        "Zoe (18)": (0, max_points),
    }
    found = {row["student"]: (row["points"], row["worth"], row["write"]) for row in rows(tmp_path / "gradebook.csv")}
    assert found["bo"] == ("", f"{max_points:g}", "")
    assert found["Zoe (18)"] == ("0", f"{max_points:g}", "0")


def test_a_killed_run_continues_and_grades_no_submission_twice_or_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, folder, stuck = tmp_path / "log", tmp_path / "out", tmp_path / "stuck"
    many = [submission(f"s{number:02}") for number in range(40)]

    monkeypatch.setattr(batches, "grade", partial(record_and_grade, folder=tmp_path))
    first = Process(target=grade_batch, args=(make_batch(folder, many), 2))
    first.start()
    while not stuck.exists() or len(list(stuck.iterdir())) < 2 or len(list(GradeLog(folder))) < 20:
        time.sleep(0.01)
    first.kill()
    first.join()
    there = [one.grade.submission for one in GradeLog(folder)]
    assert len(there) == 20
    for one in stuck.iterdir():
        wait_until_ended(int(one.name))
    (tmp_path / "again").touch()
    assert len(grade_batch(make_batch(folder, many), jobs=2).grades) == 40
    times = Counter(log.read_text(encoding="utf-8").split())
    assert times == {one.name: 2 if one.name in {"s20.py", "s21.py"} else 1 for one in many}
    assert [one.grade.submission for one in GradeLog(folder)] == [one.name for one in many]
    assert len(rows(folder / "gradebook.csv")) == 40


def wait_until_ended(process: int) -> None:
    """Wait until a process has ended; its parent may not have reaped it yet."""
    stat = Path(f"/proc/{process}/stat")
    for _ in range(3000):
        if not stat.exists() or stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.01)
    raise AssertionError(f"process {process} is still running")
