"""The rubric tells right from wrong, by the real grader: what is right loses nothing, what is wrong loses what it must.

`make test` asks a part of the files, most of them for the tasks alone that are in doubt. `make hostile`, which sets
MEMLAB_HOSTILE=full, asks every file for everything.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from grading_runs import graded

from memlab.grading.grade import Grade
from memlab.labs.handout.wrong import Mistake, mistakes
from memlab.labs.lab import load, numbers

FULL = os.environ.get("MEMLAB_HOSTILE") == "full"
STYLES = Path(__file__).parents[2] / "labs" / "styles"
LABS = numbers()
HURRY = {"06": ("trust", "repair"), "07": ("names", "trust")}
"""Tasks that an honest style is asked in a hurry: those in which an implementation has most freedom."""
MISTAKES = [
    pytest.param(number, one, id=f"{number}-{one.path.stem}")
    for number in LABS
    for one in mistakes(load(number))[:: 1 if FULL else 17]
]
HONEST = [
    pytest.param(number, path, id=f"{number}-{path.stem}")
    for number in LABS
    for path in sorted((STYLES / load(number).name).glob("*.py"))[:: 1 if FULL else 6]
]
each_lab = pytest.mark.parametrize("number", LABS)


@cache
def of_the_lab(number: str, file: str) -> Grade:
    lab = load(number)
    return graded(lab, (lab.folder / file).read_text(encoding="utf-8"))


def lost(grade: Grade) -> dict[str, list[str]]:
    """Give what each task lost points for, by its name."""
    return {mark.task: [one.name for one in mark.reasons] for mark in grade.marks if mark.points < mark.max_points}


@each_lab
def test_the_solution_gets_full_marks(number: str) -> None:
    grade = of_the_lab(number, "solution.py")
    assert (grade.status, lost(grade)) == ("ok", {})
    assert grade.points == grade.max_points == sum(task.points for task in load(number).rubric.task)


@pytest.mark.parametrize("number", LABS if FULL else LABS[:1])
def test_the_published_design_keeps_all_of_build_and_loses_each_mend_by_its_first_law(number: str) -> None:
    lab = load(number)
    grade = of_the_lab(number, "published.py")
    got, found = {mark.task: mark.points for mark in grade.marks}, lost(grade)
    for step in lab.steps:
        assert got[step.name] == (step.points if step.part == "build" else 0), step.name
        assert step.part == "build" or step.checks[0] in found[step.name], step.name
    hidden = {task.name for task in lab.rubric.task if not task.visible}
    assert found.keys() - hidden == {step.name for step in lab.steps if step.part == "fix"}


@each_lab
def test_the_skeleton_gets_nothing_and_no_task_is_without_a_reason(number: str) -> None:
    grade = of_the_lab(number, "skeleton.py")
    assert (grade.points, [mark.task for mark in grade.marks if not mark.reasons]) == (0, [])


@pytest.mark.parametrize(("number", "path"), HONEST)
def test_an_honest_style_loses_no_point(number: str, path: Path) -> None:
    grade = graded(load(number), path.read_text(encoding="utf-8"), () if FULL else HURRY[number])
    assert (grade.status, {mark.task: mark.reasons for mark in grade.marks if mark.reasons}) == ("ok", {})
    assert grade.points == grade.max_points


@pytest.mark.parametrize(("number", "mistake"), MISTAKES)
def test_a_wrong_file_loses_points_where_its_mistake_is_and_nowhere_else(number: str, mistake: Mistake) -> None:
    lab = load(number)
    judged = set(mistake.judged_by(lab))
    steps = {step.name: set(step.checks) & judged for step in lab.steps if set(step.checks) & judged}
    meant = {name for name, laws in steps.items() if laws & set(mistake.loses)}
    found = lost(graded(lab, mistake.source(), () if FULL else sorted(meant)))
    assert meant <= found.keys()
    for name in found.keys() & steps.keys():
        named = set(found[name]) & steps[name]
        assert named <= set(mistake.loses), f"{name} also loses {sorted(named - set(mistake.loses))}"
        assert named or set(lab.step(name).needs) & found.keys(), f"{name} is lost without a law: {found[name]}"


@each_lab
def test_graded_twice_is_graded_the_same(number: str) -> None:
    lab = load(number)
    file = "published.py" if FULL else "skeleton.py"
    again = graded(lab, (lab.folder / file).read_text(encoding="utf-8"))
    assert again.marks == of_the_lab(number, file).marks
