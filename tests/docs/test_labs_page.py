"""What docs/labs.md tells instructors is what the rubrics ask."""

import re
from pathlib import Path

import pytest

from memlab.labs.checks.checking import load_checks
from memlab.labs.lab import load, numbers

PAGE = (Path(__file__).parents[2] / "docs" / "labs.md").read_text(encoding="utf-8")
MINUTES = re.compile(r"^\| (\d\d) \| (\d+) minutes \| \d+ minutes \| (\d+) minutes \|", re.MULTILINE)
CHECK = re.compile(r"^\| (\d\d) \| .+? \| `([\w-]+/[\w-]+)` \|", re.MULTILINE)
ABOUT = 10
"""Minutes by which a rounded time may be wrong."""


@pytest.mark.parametrize("number", numbers())
def test_the_times_of_a_lab_are_about_those_of_its_rubric(number: str) -> None:
    (page,) = [{"build": int(build), "fix": int(fix)} for lab, build, fix in MINUTES.findall(PAGE) if lab == number]
    for part, minutes in page.items():
        rubric = sum(step.minutes for step in load(number).steps if step.part == part)
        assert abs(rubric - minutes) <= ABOUT, f"{part} takes {rubric} minutes by the rubric"


@pytest.mark.parametrize("number", numbers())
def test_every_check_that_the_page_names_is_a_check_of_a_step(number: str) -> None:
    named = {check for lab, check in CHECK.findall(PAGE) if lab == number}
    assert named
    assert named <= {check.name for check in load_checks(load(number))} & {
        check for step in load(number).steps for check in step.checks
    }
