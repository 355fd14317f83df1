"""A step is untouched only if the learner's file leaves it as the lab gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.labs.lab import load, numbers
from memlab.labs.learner.submission import student_file
from memlab.labs.learner.untouched import untouched_steps

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def steps(number: str, *parts: str) -> set[str]:
    return {step.name for step in load(number).steps if step.part in parts}


def source(number: str, file: str) -> str:
    return (load(number).folder / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("number", numbers())
def test_nothing_is_tried_in_a_skeleton_only_build_in_the_published_design_and_all_in_the_solution(number: str) -> None:
    found = {file: untouched_steps(source(number, file), load(number)) for file in ("skeleton.py", "published.py")}
    assert found == {"skeleton.py": steps(number, "build", "fix"), "published.py": steps(number, "fix")}
    assert untouched_steps(source(number, "solution.py"), load(number)) == set()


@pytest.mark.parametrize("number", numbers())
def test_nothing_is_tried_in_a_notebook_as_it_is_handed_out_and_all_in_the_solved_one(number: str) -> None:
    name = load(number).name
    handed_out, solved = (student_file(NOTEBOOKS / f"{one}.ipynb", number) for one in (name, f"{name}_solved"))
    assert untouched_steps(handed_out, load(number)) == steps(number, "build", "fix")
    assert untouched_steps(solved, load(number)) == set()


def test_a_wrong_body_is_a_try() -> None:
    wrong = source("06", "skeleton.py").replace("raise NotImplementedError(\"step 'recall'\")", "return query")
    assert steps("06", "build", "fix") - untouched_steps(wrong, load("06")) == {"recall"}


def test_code_above_the_stub_is_a_try() -> None:
    stub = "    raise NotImplementedError(\"step 'recall'\")"
    begun = source("06", "skeleton.py").replace(stub, f"    print(query)\n{stub}")
    assert "recall" not in untouched_steps(begun, load("06"))


def test_another_layout_of_the_stub_is_no_try() -> None:
    moved = source("06", "skeleton.py").replace("    raise Not", "\n    raise  Not")
    assert "recall" in untouched_steps(moved, load("06"))


def test_one_changed_cell_of_a_notebook_is_a_try_of_its_step_alone() -> None:
    notebook = student_file(NOTEBOOKS / "lab06.ipynb", "06")
    written = notebook.replace("# lab06: versions", "# lab06: versions\nHISTORY = []")
    if "# lab06: versions" not in notebook:
        written = f"{notebook}\n\n# lab06: versions\ndef keep_old(name):\n    pass\n"
    assert steps("06", "build", "fix") - untouched_steps(written, load("06")) == {"versions"}


def test_a_function_in_a_cell_of_the_learners_own_is_a_try() -> None:
    notebook = student_file(NOTEBOOKS / "lab06.ipynb", "06")
    written = f"{notebook}\n\n# lab06: my-recall\ndef recall(query):\n    return None\n"
    assert "recall" not in untouched_steps(written, load("06"))


def test_a_file_with_a_function_of_one_fix_tried_no_other_fix_that_introduces_functions() -> None:
    written = source("06", "published.py") + "\n\ndef keep_old(name):\n    pass\n"
    assert steps("06", "fix") - untouched_steps(written, load("06")) == {"versions", "next"}, "next introduces none"
