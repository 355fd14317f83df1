"""Estimates how long a lab takes, from its text: `python -m memlab.labs.handout.duration` prints the sums.

A learner reads 200 words per minute, prose and given code; types 200 characters per minute, and thinks as long as
they type; and needs one minute for each cell that shows something: a check, an experiment, a quiz or a chart.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from memlab.labs.handout.pages import STEP, Pages
from memlab.labs.handout.text import TEXT, Cell
from memlab.labs.lab import Lab, in_words, load, numbers
from memlab.labs.rubric import SECTIONS, Section, Step

WORDS, CHARACTERS, THINKING, SHOWN = 200, 200, 2.0, 1.0
"""Words read and characters typed per minute; the factor for thinking; minutes of a cell that shows something."""
PART = re.compile(r"# (?:Part \d: )?(?:The )?(\w+)")
SHOWS = re.compile(r"\blab\.(?:check|play|chart|finish|draw_\w+|policies|sort)\(|\bprint\(|^[a-z_]+\(\)$", re.MULTILINE)
DOCSTRING = re.compile(r'"""[\s\S]*?"""')


@dataclass(frozen=True)
class Load:
    """What a learner reads, types and looks at below one heading. `step` is empty for a section without a step."""

    part: str
    step: str = ""
    cells: int = 0
    words: int = 0
    characters: int = 0
    shown: int = 0

    @property
    def minutes(self) -> float:
        """Return the estimated time."""
        return self.words / WORDS + self.characters / CHARACTERS * THINKING + self.shown * SHOWN


def loads(folder: Path) -> list[Load]:
    """Return the load of each section of a lab, in order. Raises BadText."""
    pages = Pages(folder)
    solved = {cell.label: cell.source for cell in pages.solved() if cell.label}
    found = [Load("start")]
    for cell in pages.learner():
        found += _opened(cell, found[-1].part)
        last = found[-1]
        found[-1] = replace(
            last,
            cells=last.cells + 1,
            words=last.words + len(cell.source.split()),
            characters=last.characters + (_typed(cell.source, solved[cell.label]) if cell.kind == "fill" else 0),
            shown=last.shown + (cell.kind in {"run", "learner"} and SHOWS.search(cell.source) is not None),
        )
    return found


def minutes_by_part(folder: Path) -> dict[str, int]:
    """Return the minutes of each part of a lab, rounded up."""
    found = loads(folder)
    return {part: ceil(sum(one.minutes for one in found if one.part == part)) for part in SECTIONS}


def minutes_by_step(folder: Path) -> dict[str, int]:
    """Return the minutes of each step of a lab, rounded up: its section, with the experiment after its check."""
    return {one.step: ceil(one.minutes) for one in loads(folder) if one.step}


def _opened(cell: Cell, part: str) -> Iterator[Load]:
    """Return the empty load of the section that a cell of prose begins, if it begins one."""
    if cell.kind != TEXT:
        return
    if begun := PART.match(cell.source):
        name = begun[1].lower()
        if name in SECTIONS and name != "start":
            yield Load(name)
    elif cell.source.startswith("## "):
        step = STEP.match(cell.source)
        yield Load(part, step[1] if step else "")


def _typed(learner: str, solved: str) -> int:
    """Count the characters that a learner types into a cell; docstrings and indents are not counted."""
    given = {line.strip() for line in learner.splitlines()}
    lines = [line.strip() for line in DOCSTRING.sub("", solved).splitlines()]
    return sum(len(line) for line in lines if line not in given)


NAMES: dict[Section, str] = {"start": "Start", "build": "Build", "break": "Break it", "fix": "Fix it", "end": "The end"}
READ: dict[Section, str] = {"start": "reading", "break": "experiments", "end": "the closing chart, and reading"}


def time_table(lab: Lab) -> str:
    """Return the times of the rubric as the table of the lab's README."""
    rows = ["| part | steps, with their minutes | minutes |", "| -- | -- | -- |"]
    for section, name in NAMES.items():
        steps = [one for one in lab.core if one.part == section]
        rows.append(f"| {name} | {_steps(steps) or READ[section]} | {lab.rubric.minutes[section]} |")
    core, extra = lab.rubric.core_minutes, lab.rubric.minutes["extra"]
    rows.append(f"| **Core** | {len(lab.core)} steps | {in_words(core)} |")
    return "\n".join([*rows, f"| Extra | {_steps(lab.extra)} | {in_words(extra)} |"])


def _steps(steps: Iterable[Step]) -> str:
    return ", ".join(f"`{one.name}` {one.minutes}" for one in steps)


def report(lab: Lab) -> Iterator[str]:
    """Describe the estimate of a lab in lines."""
    found = loads(lab.folder)
    yield f"Lab {lab.number}: minutes = words / {WORDS} + characters / {CHARACTERS} * {THINKING:g} + cells that show"
    yield f"{'part':6} {'step':9} {'cells':>6} {'words':>6} {'typed':>6} {'shown':>6} {'minutes':>8}"
    for one in found:
        if one.step:
            yield _row(one.part, one.step, [one])
    for part in SECTIONS:
        yield _row(part, "all", [one for one in found if one.part == part])
    yield _row("core", "all", [one for one in found if one.part != "extra"])
    parts = ", ".join(f"{part} = {minutes}" for part, minutes in minutes_by_part(lab.folder).items())
    yield f"minutes = {{ {parts} }}  # for rubric.toml; those of a step, rounded up, too"


def _row(part: str, step: str, some: Iterable[Load]) -> str:
    some = list(some)
    counts = [sum(getattr(one, key) for one in some) for key in ("cells", "words", "characters", "shown")]
    return f"{part:6} {step:9} {' '.join(f'{count:6}' for count in counts)} {sum(one.minutes for one in some):8.1f}"


if __name__ == "__main__":
    for number in sys.argv[1:] or numbers():
        print(*report(load(number)), sep="\n")  # noqa: T201 - this is a command
