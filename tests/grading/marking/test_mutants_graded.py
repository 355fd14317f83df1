"""The real grader takes a point from nearly all mutants of each solution; survivors.txt gives reasons for the rest.

Only `make hostile` grades the mutants, because it installs mutmut: MEMLAB_HOSTILE=full.
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
MIN_KILLED = 0.9
"""The share of mutants that must lose a point."""
LIST = Path(__file__).parents[1] / "survivors.txt"
full = pytest.mark.skipif(os.environ.get("MEMLAB_HOSTILE") != "full", reason="it takes long: make hostile")
each_lab = pytest.mark.parametrize("number", numbers())


def read_survivors(number: str) -> dict[str, str]:
    """Read the mutants of a lab and their reasons. In the file, names are indented below their reason."""
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
    """Grade the mutants of a solution. Return their number, and the names and sources of those with full marks."""
    lab = load(number)
    sources = {one.name: one.source for one in mutants(lab.folder / "solution.py", COUNT)}
    submissions = [
        Submission(name, source, problem="", digest=sha256(source.encode()).hexdigest())
        for name, source in sources.items()
    ]
    config = GradingConfig(lab, SEED, level())
    grades = list(grade_in_parallel(submissions, partial(grade, config=config), os.cpu_count() or 1))
    assert [one for one in grades if one.status == "internal"] == []
    return len(sources), {one.submission: sources[one.submission] for one in grades if one.points == one.max_points}


@full
@each_lab
def test_nine_of_ten_mutants_lose_a_point(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    count, survived = survivors(number)
    killed = count - len(survived)
    with capsys.disabled():
        sys.stdout.write(f"\nlab {number}: {killed} of {count} mutants lost a point, {killed / count:.1%}\n")
    assert count == COUNT
    assert killed >= MIN_KILLED * count


@full
@each_lab
def test_exactly_the_mutants_with_full_marks_are_listed_with_a_reason(number: str) -> None:
    _, survived = survivors(number)
    assert sorted(survived) == sorted(read_survivors(number))


@each_lab
def test_each_listed_mutant_changes_a_line_of_the_solution(number: str) -> None:
    solution = re.sub(r"\s+", " ", (load(number).folder / "solution.py").read_text(encoding="utf-8"))
    found = read_survivors(number)
    assert found
    for name, why in found.items():
        old = name.partition(": ")[2].partition(" -> ")[0]
        assert old in solution, f"survivors.txt: {name}: the solution no longer has this line"
        assert len(why) > len("equivalent"), f"survivors.txt: {name}: the reason is missing"
