"""The real grader takes no points from correct files, and the expected points from wrong ones.

`make test` grades some of the files, most of them only for the tasks in question, and draws fewer cases for files
that have no mistake to find: tests/labs asks them all cases. `make hostile`, which sets MEMLAB_HOSTILE=full, grades
every file for all tasks with all cases.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from grading_runs import grade_source

from memlab.grading.grade import Grade
from memlab.grading.marking import step_task
from memlab.labs.handout.wrong import Mistake, mistakes
from memlab.labs.lab import load, numbers

FULL = os.environ.get("MEMLAB_HOSTILE") == "full"
FEW_CASES = (2, 2)
STYLES = Path(__file__).parents[2] / "labs" / "styles"
LABS = numbers()
FREEST_TASKS = {"06": ("trust", "repair"), "07": ("names", "trust")}
"""The tasks that leave an implementation the most freedom; `make test` grades the styles for these alone."""
MISTAKES = [
    pytest.param(number, one, id=f"{number}-{one.path.stem}")
    for number in LABS
    for one in mistakes(load(number))[:: 1 if FULL else 17]
]
STYLE_FILES = [
    pytest.param(number, path, id=f"{number}-{path.stem}")
    for number in LABS
    for path in sorted((STYLES / load(number).name).glob("*.py"))[:: 1 if FULL else 6]
]
each_lab = pytest.mark.parametrize("number", LABS)


@cache
def grade_lab_file(number: str, file: str) -> Grade:
    return grade_with_few_cases(number, load(number).folder / file)


def grade_with_few_cases(number: str, path: Path, only: Sequence[str] = ()) -> Grade:
    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            patch.setattr(step_task, "CASES_PER_ROUND", FEW_CASES)
        return grade_source(load(number), path.read_text(encoding="utf-8"), only)


def lost_points(grade: Grade) -> dict[str, list[str]]:
    """Return the reasons of each task that lost points."""
    return {mark.task: [one.name for one in mark.reasons] for mark in grade.marks if mark.points < mark.max_points}


@each_lab
def test_the_solution_gets_full_marks(number: str) -> None:
    grade = grade_lab_file(number, "solution.py")
    assert (grade.status, lost_points(grade)) == ("ok", {})
    assert grade.points == grade.max_points == sum(task.points for task in load(number).rubric.task)


@pytest.mark.parametrize("number", LABS if FULL else LABS[:1])
def test_the_published_design_passes_all_build_steps_and_fails_the_first_check_of_each_fix(number: str) -> None:
    lab = load(number)
    grade = grade_lab_file(number, "published.py")
    got, found = {mark.task: mark.points for mark in grade.marks}, lost_points(grade)
    for step in lab.steps:
        assert got[step.name] == (step.points if step.part == "build" else 0), step.name
        assert step.part == "build" or step.checks[0] in found[step.name], step.name
    hidden = {task.name for task in lab.rubric.task if not task.visible}
    assert found.keys() - hidden == {step.name for step in lab.steps if step.part == "fix"}


@each_lab
def test_the_skeleton_gets_no_points_and_a_reason_for_each_task(number: str) -> None:
    grade = grade_lab_file(number, "skeleton.py")
    assert (grade.points, [mark.task for mark in grade.marks if not mark.reasons]) == (0, [])


@pytest.mark.parametrize(("number", "path"), STYLE_FILES)
def test_an_honest_style_loses_no_point(number: str, path: Path) -> None:
    grade = grade_with_few_cases(number, path, () if FULL else FREEST_TASKS[number])
    assert (grade.status, {mark.task: mark.reasons for mark in grade.marks if mark.reasons}) == ("ok", {})
    assert grade.points == grade.max_points


@pytest.mark.parametrize(("number", "mistake"), MISTAKES)
def test_a_file_with_a_mistake_loses_points_only_for_that_mistake(number: str, mistake: Mistake) -> None:
    lab = load(number)
    judged = set(mistake.judged_by(lab))
    steps = {step.name: set(step.checks) & judged for step in lab.steps if set(step.checks) & judged}
    expected = {name for name, checks in steps.items() if checks & set(mistake.loses)}
    found = lost_points(grade_source(lab, mistake.source(), () if FULL else sorted(expected)))
    assert expected <= found.keys()
    for name in found.keys() & steps.keys():
        named = set(found[name]) & steps[name]
        assert named <= set(mistake.loses), f"{name} also loses {sorted(named - set(mistake.loses))}"
        assert named or set(lab.step(name).needs) & found.keys(), f"{name} has no failed check: {found[name]}"


@each_lab
def test_the_second_grade_is_the_same(number: str) -> None:
    file = "published.py" if FULL else "skeleton.py"
    assert grade_with_few_cases(number, load(number).folder / file).marks == grade_lab_file(number, file).marks
