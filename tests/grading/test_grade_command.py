from __future__ import annotations

import errno
import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.cli.grade_terminal import STEPS
from memlab.grading.course import batch as batches
from memlab.grading.course.grade_log import GradeLog
from memlab.grading.grade import Grade, Mark, Status
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.labs.lab import load
from memlab.sandbox import isolation
from memlab.sandbox.isolation import LEVELS, LevelUnavailable

LAB = load("06")
TASKS = [one.name for one in LAB.rubric.task]
ESCAPE = "\x1b[2J"


@dataclass(frozen=True)
class Stand:
    """Stand in for a level."""

    name: str

    def python_version(self) -> str:
        return "3.11"


def fails(one: Submission, config: GradingConfig) -> Grade:
    """Fail at a submission of the class."""
    return stand_in(one, config) if one.name != "bo.py" else stand_in(one, {}["no such key"])  # type: ignore[index]


def stand_in(one: Submission, config: GradingConfig) -> Grade:
    """Grade by the first line of a source: points, or a status."""
    del config
    says = one.source.partition("\n")[0].removeprefix("# ")
    status: Status = says if says in {"crashed", "internal"} else "missing" if one.problem else "ok"  # type: ignore[assignment]
    points = float(says) if status == "ok" else 0.0
    return Grade(one.name, one.name, one.digest, status, "", (Mark("write", "Write", points, 12.0, 1, 1),))


def there(name: str, *, weaker: bool) -> Stand:
    assert not weaker
    return Stand(name)


def only_rlimits(name: str, *, weaker: bool) -> Stand:
    if name != "rlimits" and not weaker:
        raise LevelUnavailable(f"isolation {name} does not work here: there is no bwrap.\nHere work: rlimits.")
    return Stand("rlimits")


@pytest.fixture(autouse=True)
def _class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hand in three files, and grade by nothing real."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batches, "grade", stand_in)
    monkeypatch.setattr(isolation, "level_named", there)
    for name, says in (("ada", "12"), ("bo", "6"), ("chi", "crashed")):
        hand_in(f"in/{name}.py", says)
    yield
    signal.signal(signal.SIGTERM, before)


def hand_in(path: str, says: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"# {says}\n", encoding="utf-8")


def said(*words: str, code: int = 0) -> str:
    """Run `memlab grade` with these words, which must end with a code, and give what it said."""
    result = CliRunner().invoke(app, ("grade", *words), env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert ESCAPE not in result.output
    return result.output


def told_run(folder: str = "out") -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(folder, "run.json").read_text(encoding="utf-8"))
    return found


def test_a_class_is_graded_and_summed_up() -> None:
    told = said("in", "--lab", "06", "--out", "out", "--jobs", "2")
    assert "3 submissions" in told
    assert "Isolation: bubblewrap." in told
    assert "2 ok · 1 crashed." in told
    assert "Points: mean 6.0, median 6.0 of 12, over 3 (missing submissions count 0" in told
    assert "Next: open out/index.html" in told
    assert {one.name for one in Path("out").iterdir()} >= {"gradebook.csv", "index.html", "grades.jsonl", "feedback"}


def test_a_file_alone_is_graded() -> None:
    assert "1 ok." in said("in/ada.py", "--lab", "06", "--out", "out")


def test_how_far_it_is_is_told_now_and_then_with_the_count_of_each_status() -> None:
    for number in range(100):
        hand_in(f"many/s{number:02}.py", "crashed" if number % 2 else "1")
    told = [line for line in said("many", "--lab", "06", "--out", "out").splitlines() if " of 100: " in line]
    assert len(told) == STEPS
    assert told[-1] == "100 of 100: 50 ok · 50 crashed"


def test_the_same_command_again_grades_nothing_and_changes_nothing() -> None:
    said("in", "--lab", "06", "--out", "out")
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    told = said("in", "--lab", "06", "--out", "out")
    assert "3 already graded" in told
    assert "Changed" not in told
    assert before == {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}


def test_a_regrade_shows_what_changed_and_keeps_the_gradebook_before() -> None:
    said("in", "--lab", "06", "--out", "out")
    before = Path("out/gradebook.csv").read_bytes()
    hand_in("in/bo.py", "9")
    told = said("in", "--lab", "06", "--out", "out")
    assert "2 already graded" in told
    assert "1 of 1: 1 ok" in told
    (row,) = [line.split() for line in told.splitlines() if line.startswith("bo ")]
    assert row[:4] == ["bo", "write", "6", "9"]
    assert Path("out/gradebook.before.csv").read_bytes() == before
    assert '"bo","write",6,9,"Submitted again' in Path("out/changes.csv").read_text(encoding="utf-8-sig")


def test_a_private_seed_is_drawn_once_for_a_folder_and_stands_in_nothing_but_run_json() -> None:
    told = said("in", "--lab", "06", "--out", "out") + said("in", "--lab", "06", "--out", "out")
    seed = told_run()["seed"]
    assert isinstance(seed, int)
    said("in", "--lab", "06", "--out", "out")
    assert told_run()["seed"] == seed
    said("in", "--lab", "06", "--out", "other")
    assert told_run("other")["seed"] != seed
    pages = [
        path for path in Path("out").rglob("*") if path.is_file() and path.name not in {"run.json", "grades.jsonl"}
    ]
    assert [path for path in pages if str(seed) in path.read_text(encoding="utf-8")] == []
    assert str(seed) not in told


def test_a_seed_that_is_asked_for_grades_everyone_again() -> None:
    said("in", "--lab", "06", "--out", "out", "--seed", "5")
    assert "graded already" not in said("in", "--lab", "06", "--out", "out", "--seed", "6")
    assert told_run()["seed"] == 6


def test_run_json_tells_by_what_was_graded_and_nothing_of_the_machine() -> None:
    said("in", "--lab", "06", "--out", "out", "--seed", "5")
    told = told_run()
    assert {
        "lab": "06",
        "seed": 5,
        "isolation": "bubblewrap",
        "isolation_asked_for": "bubblewrap",
    }.items() <= told.items()
    assert {"rubric", "scenarios", "overlay", "only", "memlab", "hypothesis", "python", "sandbox"} <= told.keys()
    assert str(Path.cwd()) not in Path("out/run.json").read_text(encoding="utf-8")


def test_a_dry_run_tells_what_would_be_graded_and_writes_nothing() -> None:
    Path("in/dana").mkdir()
    Path("in/dana/notes.txt").write_text("ill", encoding="utf-8")
    Path("class.csv").write_text("id,name\n17,ada\n18,Zoe\n", encoding="utf-8")
    before = sorted(Path().rglob("*"))
    told = said("in", "--lab", "06", "--out", "out", "--dry-run", "--roster", "class.csv")
    assert sorted(Path().rglob("*")) == before
    assert "4 submissions. Nothing was graded or written." in told
    assert "Isolation: bubblewrap." in told
    assert "ada (17)" in told
    assert "Zoe (18): nothing was submitted." in told
    assert "No memory_store.py or lab06.ipynb was submitted" in " ".join(told.split())
    for task in LAB.rubric.task:
        assert f"{task.points:g}  {task.name}: {task.title}" in told
    assert f"{sum(task.points for task in LAB.rubric.task):g}  points" in told


def test_a_dry_run_of_one_task_tells_that_task_alone() -> None:
    told = said("in", "--lab", "06", "--dry-run", "--only", "trust")
    assert f"{LAB.step('trust').points:g}  points" in told
    assert "write: " not in told


def test_a_weaker_sandbox_needs_an_option_and_is_told_and_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "level_named", only_rlimits)
    assert "there is no bwrap" in said("in", "--lab", "06", "--out", "out", code=2)
    assert not Path("out").exists()
    told = said("in", "--lab", "06", "--out", "out", "--allow-weaker")
    assert "Isolation: rlimits." in told
    assert "weaker than bubblewrap" in told
    assert (told_run()["isolation"], told_run()["isolation_asked_for"]) == ("rlimits", "bubblewrap")
    pages = [Path("out/gradebook.csv"), Path("out/index.html"), *Path("out/feedback").iterdir()]
    assert all("rlimits" in page.read_text(encoding="utf-8") for page in pages)
    assert len(pages) == 5


def test_names_that_command_a_terminal_are_shown_and_do_nothing() -> None:
    hand_in(f"in/eve{ESCAPE}.py", "internal")
    assert "eve" in said("in", "--lab", "06", "--dry-run")
    told = said("in", "--lab", "06", "--out", "out", code=2)
    assert "eve\N{WHITE SQUARE}001b[2J.py" in told


def test_what_cannot_be_graded_is_said_with_what_to_do_and_is_exit_code_2() -> None:
    lab06 = ("--lab", "06", "--out", "out")
    Path("empty").mkdir()
    Path("rubric.toml").write_text("lab = 6\n", encoding="utf-8")
    Path("class.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    Path("theirs").mkdir()
    Path("theirs/gradebook.csv").write_text("mine", encoding="utf-8")
    Path("file").write_text("", encoding="utf-8")
    for words, sentence in {
        ("in", "--lab", "99", "--out", "out"): "no lab '99'. There are: 06, 07",
        ("in", *lab06, "--only", "trusd"): "Did you mean 'trust'?",
        ("in", *lab06, "--rubric", "rubric.toml"): "Correct it",
        ("in", *lab06, "--rubric", "nowhere.toml"): "nowhere.toml: cannot be read",
        ("in", *lab06, "--roster", "class.csv"): "class.csv, line 1",
        ("empty", *lab06): "Name another folder",
        ("nowhere", *lab06): "nowhere",
        ("in", "--lab", "06", "--out", "in"): "graded as a submission",
        ("in", "--lab", "06", "--out", "in/a/b"): "graded as a submission",
        ("in", "--lab", "06", "--out", "theirs"): "no run.json",
        ("in", "--lab", "06", "--out", "file"): "A folder is required",
        ("in", *lab06, "--overlay", "empty"): "empty",
    }.items():
        assert sentence in " ".join(said(*words, code=2).split()), words
    assert not Path("out").exists()
    assert Path("theirs/gradebook.csv").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_law_that_is_misspelled_in_a_rubric_is_told_before_anything_is_graded(more: tuple[str, ...]) -> None:
    rubric = (LAB.folder / "rubric.toml").read_text(encoding="utf-8")
    law = LAB.step("recall").checks[0]
    Path("mine.toml").write_text(rubric.replace(law, f"{law}x"), encoding="utf-8")
    told = " ".join(said("in", "--lab", "06", "--out", "out", "--rubric", "mine.toml", *more, code=2).split())
    assert f"task 'recall', checks: there is no check '{law}x'. Did you mean '{law}'?" in told
    assert not Path("out").exists()


def test_where_the_grader_fails_the_exit_code_says_so_and_the_last_line_of_the_fault_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batches, "grade", fails)
    told = said("in", "--lab", "06", "--out", "out", code=2)
    assert "The first error: KeyError: 'no such key' (index.html has the traceback)." in told
    assert "over 2 (missing submissions count 0; failures of the grader are left out)" in told
    page = Path("out/index.html").read_text(encoding="utf-8")
    assert page.count("KeyError: &#x27;no such key&#x27;") == 2, "alone, and at the end of where it was"
    monkeypatch.setattr(batches, "grade", stand_in)
    assert "3 ok" not in said("in", "--lab", "06", "--out", "out")


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_folder_with_something_of_somebodys_is_left_as_it_is(more: tuple[str, ...]) -> None:
    Path("home").mkdir(mode=0o755)
    Path("home/thesis.tex").touch()
    told = said("in", "--lab", "06", "--out", "home", *more, code=2)
    assert "home holds thesis.tex, but no run.json: it is not a folder of grades. Choose another --out." in told
    assert Path("home").stat().st_mode & 0o777 == 0o755
    assert [one.name for one in Path("home").iterdir()] == ["thesis.tex"]
    Path("empty").mkdir()
    said("in", "--lab", "06", "--out", "empty")


def test_a_dry_run_tells_how_many_of_the_scenarios_are_played_and_how_many_are_yours() -> None:
    own = (LAB.scenarios / "stale" / "script-that-moved.yaml").read_text(encoding="utf-8")
    Path("private/stale").mkdir(parents=True)
    Path("private/stale/mine.yaml").write_text(own.replace("script-that-moved", "mine"), encoding="utf-8")
    assert "played: 6 of 10 scenarios." in said("in", "--lab", "06", "--dry-run")
    told = said("in", "--lab", "06", "--dry-run", "--overlay", "private")
    assert "played: 6 of 11 scenarios, 1 of them yours." in told


def test_another_lab_or_a_part_of_the_tasks_never_takes_the_place_of_a_gradebook() -> None:
    said("in", "--lab", "06", "--out", "out")
    before = Path("out/gradebook.csv").read_bytes()
    assert "out holds grades of lab 06, not 07" in said("in", "--lab", "07", "--out", "out", code=2)
    told = said("in", "--lab", "06", "--out", "out", "--only", "trust", "--only", "write", code=2)
    assert "out holds grades of all tasks, and the task write, trust alone would replace them" in told
    assert Path("out/gradebook.csv").read_bytes() == before


def test_ctrl_c_keeps_what_is_graded_and_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: GradeLog, entry: object) -> None:
        if list(self):
            raise KeyboardInterrupt
        add(self, entry)  # type: ignore[arg-type]

    add = GradeLog.add
    monkeypatch.setattr(GradeLog, "add", interrupted)
    told = said("in", "--lab", "06", "--out", "out", code=2)
    assert "Stopped. 1 of 3 are graded and saved in out: run the same command again to continue." in told
    assert not Path("out/gradebook.csv").exists()
    monkeypatch.setattr(GradeLog, "add", add)
    assert "1 already graded" in said("in", "--lab", "06", "--out", "out")


def test_a_full_disk_keeps_what_is_graded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: GradeLog, entry: object) -> None:
        if list(self):
            raise OSError(errno.ENOSPC, "No space left on device", "out/grades.jsonl")
        add(self, entry)  # type: ignore[arg-type]

    add = GradeLog.add
    monkeypatch.setattr(GradeLog, "add", full)
    told = said("in", "--lab", "06", "--out", "out", code=2)
    assert "1 of 3 are graded and saved in out" in told
    assert "out/grades.jsonl: No space left on device. Free some space" in told


def test_real_submissions_are_graded_in_sandboxes_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    level = next(one.name for one in LEVELS if not one.problem())
    place, out = tmp_path / "real", tmp_path / "out"
    place.mkdir()
    for name in ("solution", "skeleton"):
        (place / f"{name}.py").write_bytes((LAB.folder / f"{name}.py").read_bytes())
    (place / "broken.py").write_text("def f(:\n", encoding="utf-8")
    (place / "ends.py").write_text("import os\nos._exit(0)\n", encoding="utf-8")
    said(str(place), "--lab", "06", "--out", str(out), "--isolation", level, "--only", "write", "--jobs", "2")
    got = {one.grade.submission: (one.grade.status, one.grade.points) for one in GradeLog(out)}
    assert got == {
        "broken.py": ("syntax error", 0),
        "ends.py": ("crashed", 0),
        "skeleton.py": ("ok", 0),
        "solution.py": ("ok", LAB.step("write").points),
    }
