"""The most informative attacks at the best level that works here; `make hostile` runs all of them at every level."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

import pytest
from attack import HOSTILE, UNBOUND, Attack, AttackParameters, attacks
from attack_grading import SEED, grade_attack, make_submission, misgraded
from attack_monitor import monitor_attack
from memorised_answers import run_checks, source_with_memorised_answers
from odd_packages import PACKAGES

from memlab.grading.course.parallel_grading import grade_in_parallel
from memlab.grading.grade import Grade
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.lab import Lab, load
from memlab.sandbox.isolation import LEVELS, Level

INFORMATIVE = [
    "01_exit_at_import",
    "05_kills_its_parent",
    "09_memory_bomb",
    "10_many_files",
    "11_gigabytes_into_the_channel",
    "12_orphan_that_answers",
    "16_patches_what_answers",
    "19_says_that_it_is_a_text",
    "21_reads_other_processes",
    "22_forged_answers_everywhere",
    "23_unix_sockets",
    "24_links_out_of_its_home",
    "25_one_odd_line",
    "26_finds_memlab",
]
ODD = ["a byte order mark", "a syntax error", "brackets without end", "a pipe without a writer", "a zip that is a bomb"]


@pytest.fixture(scope="module")
def level() -> Level:
    return next(one for one in LEVELS if not one.problem())


@pytest.fixture
def lab() -> Lab:
    return load("06")


@pytest.mark.parametrize("name", INFORMATIVE)
def test_an_attack_gets_its_expected_grade_and_has_no_side_effects(name: str, level: Level, tmp_path: Path) -> None:
    assert grade_attack(_attack(name), level, tmp_path).violations == ()


@pytest.mark.parametrize("name", ["constant_stub", "stub_that_refuses", "knows_the_demo"])
def test_constant_answers_earn_almost_nothing(name: str, level: Level, lab: Lab) -> None:
    source = _attack(name).source()
    given = grade(
        make_submission(lab, source), GradingConfig(lab, SEED, level, None, ("write", "recall", "stale", "verify"))
    )
    assert given.points <= 0.1 * given.max_points, given


def test_memorised_answers_to_the_published_checks_earn_nothing(level: Level, lab: Lab, tmp_path: Path) -> None:
    steps = ("write", "recall")
    source = source_with_memorised_answers(lab, steps, tmp_path)
    (tmp_path / "handed_in.py").write_text(source, encoding="utf-8")
    assert all(one.passed for one in run_checks(lab, steps, tmp_path / "handed_in.py"))
    assert grade(make_submission(lab, source), GradingConfig(lab, SEED, level, None, steps)).points == 0


@pytest.mark.parametrize("name", ODD)
def test_an_odd_package_gets_all_points_or_an_explanation(name: str, level: Level, lab: Lab, tmp_path: Path) -> None:
    make, must = PACKAGES[name]
    assert misgraded(make(tmp_path, lab), must, GradingConfig(lab, SEED, level, None, ("write",))) == []


def test_honest_submissions_keep_their_marks_beside_bombs(level: Level, lab: Lab) -> None:
    names = ("08_fork_bomb", "09_memory_bomb", "10_fills_the_disk")
    bombs = [_attack(name).source(AttackParameters(max_bytes=2**40)) for name in names]
    solution = (lab.folder / "solution.py").read_text(encoding="utf-8")
    honest = [make_submission(lab, solution, f"honest-{one}.py") for one in range(3)]
    attacks_between = [make_submission(lab, bomb, f"bomb-{one}.py") for one, bomb in enumerate(bombs)]
    config = GradingConfig(lab, SEED, level, None, ("write",))
    alone = marks(grade(honest[0], config))
    mixed = [one for pair in zip(honest, attacks_between, strict=True) for one in pair]
    grades = {one.submission: one for one in grade_in_parallel(mixed, partial(grade, config=config), jobs=2)}
    assert [marks(grades[one.name]) for one in honest] == [alone] * 3
    assert [grades[one.name].points for one in attacks_between] == [0] * 3


@pytest.mark.parametrize("name", ["constant_stub", "caches_its_answers", "11_prints_control_characters"])
def test_the_second_grade_has_the_same_marks_and_reasons(name: str, level: Level, lab: Lab) -> None:
    submission = make_submission(lab, _attack(name).source())
    first, second = (grade(submission, GradingConfig(lab, SEED, level, None, ("write", "recall"))) for _ in range(2))
    assert marks(first) == marks(second)


def test_a_submission_cannot_read_what_the_previous_one_left(level: Level, lab: Lab) -> None:
    with monitor_attack(max_bytes=2**20) as monitor:
        for name in ("27_plants_for_the_next", "27_reaps_from_the_last"):
            source = _attack(name).source(monitor.parameters)
            last = grade(make_submission(lab, source), GradingConfig(lab, SEED, level, None, ("write",)))
    assert "no seed" in repr(last)
    assert "planted" not in repr(last)


def test_attacks_that_a_level_does_not_hold_succeed_and_are_detected(tmp_path: Path) -> None:
    rlimits = next(one for one in LEVELS if one.name == "rlimits")
    if lacking := rlimits.problem():
        pytest.skip(lacking)
    assert not rlimits.holds & {"network", "files", "disk"}
    reached = grade_attack(_attack("23_unix_sockets"), rlimits, tmp_path / "calls").contacted_listeners
    assert {"a unix socket", "an abstract socket"} <= set(reached)
    assert grade_attack(_attack("21_reads_the_disk"), rlimits, tmp_path / "reads").secret_in_grade
    assert grade_attack(_attack("27_plants_for_the_next"), rlimits, tmp_path / "plants").leftover_files


LOOKING = """
import importlib, os, sys

FOUND = []
for place in {places!r}:
    for folder, _, names in os.walk(place):
        FOUND += [name for name in names if name in ("solution.py", "published.py", "rubric.toml")]
    for name in ("labs/lab06/solution.py", "labs/lab06/published.py", "memlab/labs/lab.py"):
        try:
            FOUND.append(open(os.path.join(place, name)).read())
        except OSError:
            pass
    sys.path.insert(0, place)
    for name in ("solution", "memlab"):
        try:
            FOUND.append(importlib.import_module(name).__name__)
        except ImportError:
            pass


def write_memory(*args, **named):
    raise ImportError(f"within reach: {{len(FOUND)}} files")
"""


@pytest.mark.parametrize("level", LEVELS, ids=lambda one: one.name)
def test_a_submission_that_looks_for_the_solution_beside_memlab_finds_nothing(level: Level, lab: Lab) -> None:
    if lacking := level.problem():
        pytest.skip(lacking)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(lab.folder.parent, Path(folder, "labs"))
        shutil.copytree(lab.folder, Path(folder, "memlab"))
        Path(folder).chmod(0o755)
        source = LOOKING.format(places=[folder, f"{folder}/labs/lab06"])
        config = GradingConfig(lab, SEED, level, None, ("write",))
        assert "within reach: 0 files" in repr(grade(make_submission(lab, source), config))
        if "files" not in level.holds:
            found = repr(grade(make_submission(lab, UNBOUND + source), config))
            assert "within reach: 0 files" not in found, "the level itself hides no file"
            assert "within reach:" in found


def test_every_attack_is_described_and_compiles() -> None:
    for one in attacks():
        compile(one.source(), one.name, "exec", dont_inherit=True)
    assert {one.fields["Attack"] for one in attacks()} >= {f"{number}" for number in range(1, 31)}


def marks(given: Grade) -> tuple[object, ...]:
    return given.status, given.message, given.marks


def _attack(name: str) -> Attack:
    return Attack.read(HOSTILE / "lab06" / f"{name}.py")
