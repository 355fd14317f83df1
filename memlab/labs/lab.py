"""One lab as its folder tells it: the steps in their order, what each task is worth, and the hints."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from memlab.harness.scenarios.schema import FAMILIES
from memlab.systems.entry import did_you_mean
from memlab.systems.lab_file import FOLDERS

RUBRIC, HINTS = "rubric.toml", "hints.toml"
Part = Literal["build", "fix"]


class UnknownLab(ValueError):
    """There is no such lab or step: the message says which there are."""


class BadRubric(ValueError):
    """A rubric or its hints do not fit: the message names the file, the place and what is valid."""


class Task(BaseModel):
    """Something that a grade has points for.

    Students see a task that is not `visible` by its title and its points alone. With `partial` it earns its share for
    each thing kept, else all or nothing; and nothing at all where a task that it `needs` earned nothing.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    points: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    visible: bool = True
    partial: bool = False
    needs: tuple[str, ...] = ()


class Step(Task):
    """One step of a lab. `minutes` is the time that it takes, `checks` are names as memlab/labs/checks has them.

    Where the first of the checks does not hold, a grade gives no points for the others.
    """

    name: Annotated[str, Field(alias="step", min_length=1)]
    part: Part
    minutes: Annotated[int, Field(ge=1, le=15)]
    checks: Annotated[tuple[str, ...], Field(min_length=1)]


class Scenarios(Task):
    """So many of the lab's own scenarios, and of an instructor's; of these families, or of all where none is named."""

    name: Annotated[str, Field(alias="scenarios", min_length=1)]
    count: Annotated[int, Field(ge=1, le=50)]
    families: tuple[Literal[FAMILIES], ...] = ()  # type: ignore[valid-type] # the harness lists them


class Printout(Task):
    """What is printed where the lines of `runs` follow those of the learner's file: the lines of `prints`, exactly."""

    name: Annotated[str, Field(alias="printout", min_length=1)]
    runs: Annotated[str, Field(min_length=1)]
    prints: Annotated[str, Field(min_length=1)]


KINDS: Mapping[str, type[Task]] = {"step": Step, "scenarios": Scenarios, "printout": Printout}
"""The kinds of tasks, by the key that tells a task's name."""


def _kind(given: object) -> str | None:
    return next((kind for kind in KINDS if isinstance(given, Mapping) and kind in given), None)


AnyTask = Annotated[
    Annotated[Step, Tag("step")] | Annotated[Scenarios, Tag("scenarios")] | Annotated[Printout, Tag("printout")],
    Discriminator(
        _kind,
        custom_error_type="kind",
        custom_error_message=f'begin with its kind and name: {" | ".join(KINDS)} = "..."',
    ),
]


class Rubric(BaseModel):
    """The file that an instructor edits, read from `path`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    lab: str
    title: str
    file: str
    system: str
    class_name: str = ""
    interface: tuple[str, ...]
    task: Annotated[tuple[AnyTask, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Ask what no task can tell by itself."""
        if wrong := [*_twice(self.task), *_unknown_needs(self.task)]:
            raise ValueError("; ".join(wrong))
        return self


def _twice(tasks: Sequence[Task]) -> list[str]:
    names = Counter(one.name for one in tasks)
    checks = Counter(check for one in tasks if isinstance(one, Step) for check in one.checks)
    wrong = [f"two tasks are named {name!r}; give one another name" for name, times in names.items() if times > 1]
    return wrong + [
        f"the check {check!r} is listed twice; leave one of them out" for check, times in checks.items() if times > 1
    ]


def _unknown_needs(tasks: Sequence[Task]) -> list[str]:
    wrong = []
    for at, task in enumerate(tasks):
        before = [one.name for one in tasks[:at]]
        for need in task.needs:
            if need not in before:
                valid = f"name tasks that stand above it ({', '.join(before)})" if before else "nothing stands above it"
                wrong.append(f"task {task.name!r} needs {need!r}:{did_you_mean(need, before)} {valid}")
    return wrong


@dataclass(frozen=True)
class Lab:
    """A lab: its folder, its rubric and its hints.

    `file` is the learner's file. The functions of `interface` are methods of its class `class_name`, or of the file
    itself if there is none.
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
    def class_name(self) -> str:
        """Name the class that calls go to an object of; "" where they go to the file's functions."""
        return self.rubric.class_name

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
        """Give the steps in their order; the rubric's other tasks are for grading alone."""
        return tuple(one for one in self.rubric.task if isinstance(one, Step))

    @property
    def scenarios(self) -> Path:
        """Give the folder of the lab's own scenarios."""
        return self.folder / "scenarios"

    def graded_by(self, path: Path) -> Lab:
        """Give the same lab with an instructor's rubric. Raises BadRubric where the file does not fit, or this lab."""
        rubric = read_rubric(path)
        for key in ("lab", "file", "system", "class_name", "interface"):
            ours, theirs = getattr(self.rubric, key), getattr(rubric, key)
            if ours != theirs:
                raise BadRubric(f"{path}: {key} is {theirs!r}, but lab {self.number} has {ours!r}. Leave it as it was.")
        return replace(self, rubric=rubric)

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
    given: dict[str, Any] = _toml(path)
    try:
        return Rubric.model_validate({**given, "path": path})
    except ValidationError as error:
        wrong = "; ".join(_told(one["loc"], one["type"], one["msg"], one["input"], given) for one in error.errors())
        raise BadRubric(f"{path}: {wrong}. Correct it; docs/labs.md tells the form.") from None


def _told(loc: tuple[int | str, ...], kind: str, says: str, value: object, given: Mapping[str, Any]) -> str:
    """Tell one place that does not fit: task 2 ('recall'), points: what is wrong there."""
    valid, place = list(Rubric.model_fields)[1:], [str(one) for one in loc]
    if loc[:1] == ("task",) and len(loc) > 1:
        number = int(loc[1])
        task = given["task"][number]
        named = _kind(task)
        valid = [one.alias or key for key, one in KINDS[named].model_fields.items()] if named else []
        place = [f"task {number + 1}" + (f" ({task[named]!r})" if named else ""), *place[3:]]
    where = f"{', '.join(place)}: " if place else ""
    if kind == "extra_forbidden":
        return f"{where}there is no such key.{did_you_mean(place[-1], valid)} There are {', '.join(valid)}"
    if kind == "missing":
        return f"{where}this is missing"
    says = says.removeprefix("Value error, ")
    return f"{where}{says}" + (f", not {value!r}" if isinstance(value, str | int | float) else "")


def _hints(path: Path) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = _toml(path).get("hints", {}) if path.exists() else {}
    return {step: tuple(hints) for step, hints in found.items()}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRubric(f"{path}: cannot be read: {error}. Look at its name.") from None
    except tomllib.TOMLDecodeError as error:
        raise BadRubric(f"{path}: this is not TOML: {error}. Correct it.") from None
