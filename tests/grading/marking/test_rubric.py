"""The rubric: three kinds of tasks in one file, which an instructor may edit."""

from pathlib import Path

import pytest

from memlab.labs.checks.checking import load_checks
from memlab.labs.lab import load, numbers
from memlab.labs.rubric import BadRubric, Printout, Scenarios, Step
from memlab.sandbox.client import LearnerFile

STYLES = Path(__file__).parents[2] / "labs" / "styles"
each_lab = pytest.mark.parametrize("number", numbers())


def write_edited_rubric(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """Write a copy of the rubric of Lab 06 with replaced texts."""
    text = (load("06").folder / "rubric.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


@each_lab
def test_learners_see_the_steps_and_a_grade_adds_a_printout_and_hidden_scenarios(number: str) -> None:
    lab = load(number)
    assert all(isinstance(one, Step) and one.partial and one.visible for one in lab.steps)
    others = [one for one in lab.rubric.task if not isinstance(one, Step)]
    assert [(type(one).__name__, one.visible, one.partial) for one in others] == [
        ("Scenarios", False, True),
        ("Printout", True, False),
    ]
    assert sum(one.points for one in others) < sum(one.points for one in lab.steps) / 5
    assert all(one.needs for one in others)


@each_lab
def test_correct_files_of_every_style_print_the_expected_printout(number: str, tmp_path: Path) -> None:
    lab = load(number)
    (task,) = (one for one in lab.rubric.task if isinstance(one, Printout))
    styles = sorted((STYLES / lab.name).glob("*.py"))
    for right in (lab.folder / "published.py", lab.folder / "solution.py", *styles):
        path = tmp_path / lab.file
        path.write_text(right.read_text(encoding="utf-8") + "\n\n" + task.runs, encoding="utf-8")
        with LearnerFile(path, lab.class_name) as work:
            work.reset()
            assert work.printed == task.prints, right


def test_the_rubric_of_an_instructor_replaces_that_of_the_lab(tmp_path: Path) -> None:
    lab = load("06")
    path = write_edited_rubric(
        tmp_path, ("points = 12", "points = 20.5\nvisible = false"), ("count = 6", 'families = ["stale"]\ncount = 2')
    )
    mine = lab.graded_by(path)
    assert (mine.step("write").points, mine.step("write").visible) == (20.5, False)
    assert [one.families for one in mine.rubric.task if isinstance(one, Scenarios)] == [("stale",)]
    assert (mine.folder, mine.hints, mine.rubric.path) == (lab.folder, lab.hints, path)
    assert lab.step("write").points == 12


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("points = 12", "points = -1", "task 1 ('write'), points: Input should be greater than or equal to 0, not -1"),
        ("points = 12", "points = nan", "task 1 ('write'), points: Input should be a finite number, not nan"),
        (
            "points = 12",
            "pionts = 12",
            "task 1 ('write'), pionts: there is no such key. Did you mean 'points'? There are",
        ),
        ("points = 12\n", "", "task 1 ('write'), points: this is missing"),
        ('part = "build"', 'part = "bild"', "part: Input should be 'build' or 'fix', not 'bild'"),
        ("minutes = 9", "minutes = 40", "minutes: Input should be less than or equal to 15, not 40"),
        ('step = "write"', 'stpe = "write"', "task 1: begin with its kind and name: step | scenarios | printout"),
        ('step = "gate"', 'step = "verify"', "two tasks are named 'verify'; give one another name"),
        ('needs = ["write"]', 'needs = ["wirte"]', "task 'recall' needs 'wirte': Did you mean 'write'?"),
        ('needs = ["write"]', 'needs = ["gate"]', "'recall' needs 'gate': name tasks that come before it (write)"),
        ('"write/keeps-any-text"', '"recall/gives-the-body"', "the check 'recall/gives-the-body' is listed twice"),
        ("count = 6", "count = 0", "task 13 ('played'), count: Input should be greater than or equal to 1, not 0"),
        ("count = 6", 'count = 6\nfamilies = ["stael"]', "families, 0: Input should be 'recall', 'stale', 'poison'"),
        ('lab = "06"', 'lab = "07"', "lab is '07', but lab 06 has '06'. Leave it as it was"),
        ("lab = ", "= ", "this is not TOML"),
    ],
)
def test_an_invalid_rubric_is_reported_with_the_file_the_place_and_the_valid_values(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    path = write_edited_rubric(tmp_path, (old, new))
    with pytest.raises(BadRubric) as error:
        load("06").graded_by(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_an_unknown_check_is_reported_with_the_nearest_name_before_grading(tmp_path: Path) -> None:
    path = write_edited_rubric(tmp_path, ('"write/keeps-any-text"', '"write/keep-any-text"'))
    with pytest.raises(BadRubric) as error:
        load_checks(load("06").graded_by(path))
    assert f"{path}: task 'write', checks: there is no check 'write/keep-any-text'. Did you mean" in str(error.value)


@pytest.mark.parametrize("text", ["", "task = 3", 'task = ["x"]', "task = []", '[task]\nstep = "write"'])
def test_a_file_that_is_not_a_rubric_raises_only_the_rubric_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadRubric, match="task"):
        load("06").graded_by(path)


@pytest.mark.parametrize("name", ["none.toml", "."])
def test_an_unreadable_rubric_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadRubric, match="cannot be read"):
        load("06").graded_by(tmp_path / name)


LATE = ("[[task]]", "[late]\npercent_per_day = 10\ngrace_days = 2\nmax_percent = 50\n\n[[task]]")


def test_a_rubric_may_have_a_penalty_for_late_submissions(tmp_path: Path) -> None:
    late = load("06").graded_by(write_edited_rubric(tmp_path, LATE)).rubric.late
    assert late is not None
    assert [late.share(days) for days in (0, 2, 3, 5, 7, 100)] == [0, 0, 0.1, 0.3, 0.5, 0.5]
    assert load("06").rubric.late is None, "by default lateness costs nothing"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("per_day = 10", "per_day = 120", "percent_per_day: Input should be less than or equal to 100, not 120"),
        ("per_day = 10", 'per_day = "many"', "percent_per_day: Input should be a valid number"),
        ("grace_days = 2", "grace_days = -1", "grace_days: Input should be greater than or equal to 0, not -1"),
        ("grace_days = 2", "grace_days = 1.5", "grace_days: Input should be a valid integer"),
        (
            "max_percent = 50",
            "max = 50",
            "max: there is no such key. There are percent_per_day, grace_days",
        ),
        ("percent_per_day = 10\n", "", "percent_per_day: this is missing"),
    ],
)
def test_an_invalid_penalty_is_named_with_its_line(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    path = write_edited_rubric(tmp_path, LATE, (old, new))
    lines = path.read_text(encoding="utf-8").splitlines()
    number = lines.index(new if new in lines else next(line for line in lines if new and new in line)) + 1 if new else 0
    number = number or lines.index("[late]") + 1
    with pytest.raises(BadRubric) as caught:
        load("06").graded_by(path)
    assert f"mine.toml: line {number}, late, {sentence}" in str(caught.value)
