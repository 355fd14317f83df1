"""All attacks at all levels that work here, for `make hostile`. Levels that cannot contain an attack skip it."""

from __future__ import annotations

from pathlib import Path

import pytest
from attack import DEFAULT_TASKS, Attack, attacks
from attack_grading import SEED, grade_attack, make_submission, misgraded
from memorised_answers import source_with_memorised_answers
from odd_packages import PACKAGES

from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.lab import load
from memlab.sandbox.isolation import LEVELS, Level


@pytest.mark.parametrize("attack", attacks(), ids=lambda one: one.name)
@pytest.mark.parametrize("level", LEVELS, ids=lambda one: one.name)
def test_an_attack_gets_its_expected_grade_in_time_and_has_no_side_effects(
    attack: Attack, level: Level, tmp_path: Path
) -> None:
    if lacking := level.problem():
        pytest.skip(lacking)
    if unbound := attack.needs - level.holds:
        pytest.skip(f"{level.name} says itself that it does not bound: {', '.join(sorted(unbound))}")
    assert grade_attack(attack, level, tmp_path).violations == ()


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize("number", ["06", "07"])
def test_an_odd_package_gets_all_points_or_an_explanation(name: str, number: str, tmp_path: Path) -> None:
    make, must = PACKAGES[name]
    level = next(one for one in LEVELS if not one.problem())
    lab = load(number)
    assert misgraded(make(tmp_path, lab), must, GradingConfig(lab, SEED, level, None, DEFAULT_TASKS[number])) == []


def test_memorised_answers_to_all_published_checks_earn_almost_nothing(tmp_path: Path) -> None:
    lab, level = load("06"), next(one for one in LEVELS if not one.problem())
    source = source_with_memorised_answers(lab, [one.name for one in lab.steps], tmp_path)
    given = grade(make_submission(lab, source), GradingConfig(lab, SEED, level))
    assert given.points <= 0.1 * given.max_points, given


@pytest.mark.parametrize("attack", [one for one in attacks() if not one.is_nondeterministic], ids=lambda one: one.name)
def test_the_second_grade_of_an_attack_has_the_same_marks(attack: Attack) -> None:
    level = next(one for one in LEVELS if not one.problem())
    submission = make_submission(attack.lab, attack.source())
    first, second = (grade(submission, GradingConfig(attack.lab, SEED, level, None, attack.tasks)) for _ in range(2))
    assert [(one.task, one.points) for one in first.marks] == [(one.task, one.points) for one in second.marks]
