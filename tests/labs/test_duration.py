"""The time of a lab is computed from its text, stated once in its rubric, and the same wherever it is shown."""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path

import pytest
from small_lab import INTRO, write_lab

from memlab.labs.handout.duration import loads, minutes_by_part, minutes_by_step, report, time_table
from memlab.labs.lab import in_words, load, numbers
from memlab.labs.rubric import SECTIONS

ROOT = Path(__file__).parents[2]
STATED = re.compile(r"\b\d h \d\d\b")
TEXTS = [
    ROOT / "README.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "labs").glob("*/*.md"),
    *(ROOT / "notebooks").glob("*.ipynb"),
]
TWO_HOURS = 120


@pytest.mark.parametrize("number", numbers())
def test_the_minutes_of_the_rubric_are_those_computed_from_the_text(number: str) -> None:
    lab = load(number)
    advice = f"python -m memlab.labs.handout.duration {number} prints them; then: make labs"
    assert dict(lab.rubric.minutes) == minutes_by_part(lab.folder), advice
    assert {step.name: step.minutes for step in lab.steps} == minutes_by_step(lab.folder), advice


@pytest.mark.parametrize("number", numbers())
def test_the_core_of_a_lab_fits_into_two_hours_and_comes_before_extra(number: str) -> None:
    lab = load(number)
    assert lab.rubric.core_minutes <= TWO_HOURS
    assert [one.extra for one in lab.steps] == sorted(one.extra for one in lab.steps)
    assert len([one for one in lab.core if one.part == "fix"]) == 3
    of_text = {one.step: one.part == "extra" for one in loads(lab.folder) if one.step}
    assert of_text == {one.name: one.extra for one in lab.steps}


@pytest.mark.parametrize("number", numbers())
def test_the_readme_of_a_lab_shows_the_times_of_its_rubric(number: str) -> None:
    lab = load(number)
    assert time_table(lab) in (lab.folder / "README.md").read_text(encoding="utf-8"), "copy time_table(lab) there"


def test_no_text_states_a_time_that_no_rubric_has() -> None:
    rubrics = [load(number).rubric for number in numbers()]
    known = {in_words(minutes) for one in rubrics for minutes in (one.core_minutes, one.minutes["extra"])}
    stated = {(path.name, time) for path in TEXTS for time in STATED.findall(path.read_text(encoding="utf-8"))}
    assert stated
    assert {time for _, time in stated} <= known, stated


def test_the_time_of_a_section_is_for_reading_typing_and_each_cell_that_shows_something(tmp_path: Path) -> None:
    body = "# Part 1: Build\n\n## One (`add`, {minutes})\n\n" + "word " * 195 + "\n"
    code = "```python given store\npublished: Store.__init__\n```\n```python fill add\npublished: Store.get\n```\n"
    shows = '```python run\nlab.check("add")\n```\n```python run\nx = 1\n```\n# Extra\n'
    build = next(one for one in loads(write_lab(tmp_path, INTRO + body + code + shows)) if one.step)
    assert build.characters == len("return self._last()")
    assert build.shown == 1
    assert build.words > 195
    assert build.minutes == pytest.approx(build.words / 200 + build.characters / 200 * 2 + 1)
    assert minutes_by_step(tmp_path / "lab98") == {"add": ceil(build.minutes)}
    assert set(minutes_by_part(tmp_path / "lab98")) == set(SECTIONS)


def test_the_report_ends_with_the_core_and_the_line_of_the_rubric() -> None:
    *_, core, line = report(load("06"))
    assert core.startswith("core")
    assert line.startswith("minutes = { start = ")
