"""The real grader takes a point from nearly all mutants of each solution; survivors.txt says why not from the rest.

The mutants are graded in `make hostile` alone, which installs what makes them: MEMLAB_HOSTILE=full.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

import pytest
from grading_runs import SEED, level
from mutants import mutants

from memlab.grading.course.parallel_grading import grade_in_parallel
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.lab import load, numbers

COUNT = 150
"""Mutants of each solution."""
LEAST = 0.9
"""So large a share of them must lose a point."""
LIST = Path(__file__).parents[1] / "survivors.txt"
full = pytest.mark.skipif(os.environ.get("MEMLAB_HOSTILE") != "full", reason="it takes long: make hostile")
each_lab = pytest.mark.parametrize("number", numbers())


def listed(number: str) -> dict[str, str]:
    """Read the list: why a mutant loses no point, by its name. A lab is a heading, a why a line, a name indented."""
    _, _, part = LIST.read_text(encoding="utf-8").partition(f"# Lab {number}\n")
    why, found = "", {}
    for line in part.partition("\n# ")[0].splitlines():
        if line.startswith("    "):
            found[line.strip()] = why
        elif line:
            why = line
    return found


@cache
def survivors(number: str) -> tuple[int, Mapping[str, str]]:
    """Grade the mutants of a solution; give how many there are, and the names and texts of those with full marks."""
    lab = load(number)
    made = {one.name: one.source for one in mutants(lab.folder / "solution.py", COUNT)}
    handed_in = [
        Submission(name, source, problem="", digest=sha256(source.encode()).hexdigest())
        for name, source in made.items()
    ]
    config = GradingConfig(lab, SEED, level())
    grades = list(grade_in_parallel(handed_in, partial(grade, config=config), os.cpu_count() or 1))
    assert [one for one in grades if one.status == "internal"] == []
    return len(made), {one.submission: made[one.submission] for one in grades if one.points == one.max_points}


@full
@each_lab
def test_nine_of_ten_mutants_lose_a_point(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    count, alive = survivors(number)
    killed = count - len(alive)
    with capsys.disabled():
        sys.stdout.write(f"\nlab {number}: {killed} of {count} mutants lost a point, {killed / count:.1%}\n")
    assert count == COUNT
    assert killed >= LEAST * count


@full
@each_lab
def test_each_mutant_with_full_marks_is_listed_with_why_and_no_other_is(number: str) -> None:
    _, alive = survivors(number)
    assert sorted(alive) == sorted(listed(number))


@each_lab
def test_what_is_listed_changes_what_stands_in_the_solution(number: str) -> None:
    solution = re.sub(r"\s+", " ", (load(number).folder / "solution.py").read_text(encoding="utf-8"))
    found = listed(number)
    assert found
    for name, why in found.items():
        old = name.partition(": ")[2].partition(" -> ")[0]
        assert old in solution, f"survivors.txt: {name}: the solution has no such line any more"
        assert len(why) > len("equivalent"), f"survivors.txt: {name}: no word about why it loses no point"
