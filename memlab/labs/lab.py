"""A lab, read from its folder: the steps in order, the points of each task, and the hints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from memlab.labs.rubric import BadRubric, Rubric, Step, read_rubric, read_toml
from memlab.systems.entry import did_you_mean
from memlab.systems.labs.lab_file import FOLDERS

RUBRIC, HINTS = "rubric.toml", "hints.toml"


class UnknownLab(ValueError):
    """There is no such lab or step. The message lists the valid ones."""


@dataclass(frozen=True)
class Lab:
    """A lab: its folder, its rubric, and the hints of each step."""

    folder: Path
    rubric: Rubric
    hints: dict[str, tuple[str, ...]]

    @property
    def number(self) -> str:
        """Return the number, such as "06"."""
        return self.rubric.lab

    @property
    def name(self) -> str:
        """Return the name of its folder and its notebook, such as "lab06"."""
        return f"lab{self.number}"

    @property
    def file(self) -> str:
        """Return the name of the learner's file."""
        return self.rubric.file

    @property
    def class_name(self) -> str:
        """Return the name of the class whose methods are called; "" for functions of the file."""
        return self.rubric.class_name

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return the steps in order; the other tasks of the rubric are for grading only."""
        return tuple(one for one in self.rubric.task if isinstance(one, Step))

    @property
    def core(self) -> tuple[Step, ...]:
        """Return the steps of the core."""
        return tuple(one for one in self.steps if not one.extra)

    @property
    def extra(self) -> tuple[Step, ...]:
        """Return the steps that come after the closing chart."""
        return tuple(one for one in self.steps if one.extra)

    @property
    def scenarios(self) -> Path:
        """Return the folder of the lab's own scenarios."""
        return self.folder / "scenarios"

    def graded_by(self, path: Path) -> Lab:
        """Return the lab with an instructor's rubric. Raises BadRubric if the file is invalid or of another lab."""
        rubric = read_rubric(path)
        for key in ("lab", "file", "system", "class_name", "interface"):
            ours, theirs = getattr(self.rubric, key), getattr(rubric, key)
            if ours != theirs:
                raise BadRubric(f"{path}: {key} is {theirs!r}, but lab {self.number} has {ours!r}. Leave it as it was.")
        return replace(self, rubric=rubric)

    def step(self, name: str) -> Step:
        """Return the step of a name. Raises UnknownLab with the closest name."""
        names = [step.name for step in self.steps]
        if name not in names:
            near = did_you_mean(name, names)
            raise UnknownLab(f"lab {self.number} has no step {name!r}.{near} Its steps: {', '.join(names)}.")
        return self.steps[names.index(name)]


def in_words(minutes: int) -> str:
    """Return a time in words: "45 minutes", "1 h 55"."""
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02}" if hours else f"{rest} minutes"


def numbers() -> list[str]:
    """Return the numbers of all labs: ["06", "07"]."""
    return sorted({path.parent.name.removeprefix("lab") for home in FOLDERS for path in home.glob(f"lab*/{RUBRIC}")})


@cache
def load(number: str) -> Lab:
    """Read a lab by its number, "06" or "lab06". Raises UnknownLab, or BadRubric if its files are invalid."""
    wanted = number.removeprefix("lab").zfill(2)
    for home in FOLDERS:
        folder = home / f"lab{wanted}"
        if (folder / RUBRIC).exists():
            hints = read_toml(folder / HINTS).get("hints", {}) if (folder / HINTS).exists() else {}
            return Lab(folder, read_rubric(folder / RUBRIC), {step: tuple(texts) for step, texts in hints.items()})
    raise UnknownLab(f"there is no lab {number!r}. There are: {', '.join(numbers()) or 'none; reinstall memlab'}.")
