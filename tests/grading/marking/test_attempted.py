"""The grader tells a step that nobody tried from one that is wrong."""

import re

from tiny_lab import grade_source, mark, tiny

from memlab.labs.lab import load
from memlab.labs.learner.untouched import untouched_steps

WRITE = {"step": "write", "checks": ["write/leaves-a-page-with-header-and-body"]}
NAMES = {"step": "names", "part": "fix", "checks": ["names/stay-in-the-folder"], "needs": ["write"]}
FOLDER = load("06").folder
SKELETON, SOLUTION = ((FOLDER / f"{name}.py").read_text(encoding="utf-8") for name in ("skeleton", "solution"))


def test_a_skeleton_attempted_no_step_also_none_that_was_not_checked() -> None:
    assert [one.attempted for one in grade_source(tiny(WRITE, NAMES), SKELETON).marks] == [False, False]


def test_a_wrong_body_was_attempted() -> None:
    wrong = SKELETON.replace("raise NotImplementedError(\"step 'write'\")", "pass")
    assert mark(grade_source(tiny(WRITE), wrong), "write").attempted


def test_a_step_whose_first_check_passes_was_attempted_whatever_its_functions_are_called() -> None:
    renamed = re.sub(r"\b(slug|one_line)\b", r"my_\1", SOLUTION)
    assert "names" in untouched_steps(renamed, tiny(WRITE, NAMES))
    assert [one.attempted for one in grade_source(tiny(WRITE, NAMES), renamed).marks] == [True, True]


def test_a_step_may_need_a_task_that_is_no_step() -> None:
    printout = {"printout": "demo", "runs": "print(1)", "prints": "1"}
    lab = tiny(WRITE, printout, {**NAMES, "needs": ["demo"]})
    graded = grade_source(lab, SOLUTION)
    assert (graded.status, mark(graded, "names").attempted) == ("ok", True)


def test_an_empty_submission_is_missing_and_not_unattempted() -> None:
    assert mark(grade_source(tiny(WRITE), ""), "write").attempted
