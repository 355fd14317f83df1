"""One lab as its folder tells it: the steps in their order, what each is worth, and its hints."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memlab.systems.entry import did_you_mean
from memlab.systems.lab_file import FOLDERS

RUBRIC, HINTS = "rubric.toml", "hints.toml"
Part = Literal["build", "mend"]


class UnknownLab(ValueError):
    """There is no such lab or step: the message says which there are."""


class BadRubric(ValueError):
    """A rubric or its hints do not fit: the message names the file, the place and what is valid."""


class Step(BaseModel):
    """One step of a lab. `minutes` is the time that it takes, `laws` are names as memlab/labs/laws has them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(alias="step")]
    title: str
    part: Part
    minutes: Annotated[int, Field(ge=1, le=15)]
    points: Annotated[float, Field(ge=0)]
    laws: Annotated[tuple[str, ...], Field(min_length=1)]
    needs: tuple[str, ...] = ()


class Rubric(BaseModel):
    """The file that an instructor edits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lab: str
    title: str
    file: str
    system: str
    made: str = ""
    interface: tuple[str, ...]
    task: Annotated[tuple[Step, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Lab:
    """A lab: its folder, its rubric and its hints.

    `file` is the learner's file; its object `made`, or without one the file itself, has the functions of `interface`.
    `system` follows the colon where the file is judged as a system: memory_store.py:recall_and_trust.
    """

    folder: Path
    rubric: Rubric
    hints: dict[str, tuple[str, ...]]

    @property
    def number(self) -> str:
        """Give "06"."""
        return self.rubric.lab

    @property
    def name(self) -> str:
        """Give "lab06", as its folder and its notebook are called."""
        return f"lab{self.number}"

    @property
    def title(self) -> str:
        """Give what the lab is about."""
        return self.rubric.title

    @property
    def file(self) -> str:
        """Name the learner's file."""
        return self.rubric.file

    @property
    def made(self) -> str:
        """Name the class that calls go to an object of; "" where they go to the file's functions."""
        return self.rubric.made

    @property
    def interface(self) -> tuple[str, ...]:
        """Name the functions that the learner writes."""
        return self.rubric.interface

    @property
    def system(self) -> str:
        """Name what is judged in the learner's file."""
        return self.rubric.system

    @property
    def steps(self) -> tuple[Step, ...]:
        """Give the steps in their order."""
        return self.rubric.task

    @property
    def scenarios(self) -> Path:
        """Give the folder of the lab's own scenarios."""
        return self.folder / "scenarios"

    def step(self, name: str) -> Step:
        """Give the step of a name; raises UnknownLab, which names the nearest."""
        for one in self.steps:
            if one.name == name:
                return one
        names = [one.name for one in self.steps]
        raise UnknownLab(
            f"lab {self.number} has no step {name!r}.{did_you_mean(name, names)} Its steps: {', '.join(names)}."
        )


def numbers() -> list[str]:
    """List the labs that there are: ["06", "07"]."""
    return sorted({path.parent.name.removeprefix("lab") for home in FOLDERS for path in home.glob(f"lab*/{RUBRIC}")})


@cache
def load(number: str) -> Lab:
    """Read a lab by its number, "06" or "lab06". Raises UnknownLab, or BadRubric where its files do not fit."""
    wanted = number.removeprefix("lab").zfill(2)
    for home in FOLDERS:
        folder = home / f"lab{wanted}"
        if (folder / RUBRIC).exists():
            rubric = read_rubric(folder / RUBRIC)
            return Lab(folder, rubric, _hints(folder / HINTS))
    raise UnknownLab(f"there is no lab {number!r}. There are: {', '.join(numbers()) or 'none; reinstall memlab'}.")


def read_rubric(path: Path) -> Rubric:
    """Read a rubric file; raises BadRubric, which names every place that does not fit."""
    try:
        return Rubric.model_validate(_toml(path))
    except ValidationError as error:
        places = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise BadRubric(f"{path}: {'; '.join(places)}. Correct it; docs/labs.md tells the form.") from None


def _hints(path: Path) -> dict[str, tuple[str, ...]]:
    found = _toml(path).get("hints", {}) if path.exists() else {}
    return {step: tuple(hints) for step, hints in found.items()}


def _toml(path: Path) -> dict[str, dict[str, list[str]]]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadRubric(f"{path}: this is not TOML: {error}. Correct it.") from None
