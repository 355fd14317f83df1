"""What docs/labs.md tells instructors is what the rubrics ask."""

import re
from pathlib import Path

import pytest

from memlab.labs.checks.checking import load_checks
from memlab.labs.lab import in_words, load, numbers

PAGE = (Path(__file__).parents[2] / "docs" / "labs.md").read_text(encoding="utf-8")
CHECK = re.compile(r"^\| (\d\d) \| .+? \| `([\w-]+/[\w-]+)` \|", re.MULTILINE)


@pytest.mark.parametrize("number", numbers())
def test_the_times_of_a_lab_are_those_of_its_rubric(number: str) -> None:
    rubric = load(number).rubric
    parts = [str(rubric.minutes[part]) for part in ("build", "break", "fix")]
    row = " | ".join([number, *parts, in_words(rubric.core_minutes), in_words(rubric.minutes["extra"])])
    assert f"| {row} |" in PAGE


@pytest.mark.parametrize("number", numbers())
def test_every_check_that_the_page_names_is_a_check_of_a_step(number: str) -> None:
    named = {check for lab, check in CHECK.findall(PAGE) if lab == number}
    assert named
    assert named <= {check.name for check in load_checks(load(number))} & {
        check for step in load(number).steps for check in step.checks
    }
