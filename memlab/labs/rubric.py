"""The rubric of a lab: its tasks, their points and times; how the file is read, and what is wrong in it."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from memlab.harness.scenarios.schema import FAMILIES
from memlab.systems.entry import did_you_mean

Part = Literal["build", "fix"]
Section = Literal["start", "build", "break", "fix", "end", "extra"]
SECTIONS: tuple[Section, ...] = ("start", "build", "break", "fix", "end", "extra")
"""The sections of the text of a lab, in order; all but the last are its core."""


class BadRubric(ValueError):
    """A rubric or its hints are invalid. The message names the file, the place and what is valid."""


class Task(BaseModel):
    """A part of a lab that earns points.

    Students see only the title and the points of a task that is not `visible`. A `partial` task earns a share for each
    check passed, any other all or nothing. A task earns nothing if one of those that it `needs` earned nothing.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    points: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    visible: bool = True
    partial: bool = False
    needs: tuple[str, ...] = ()


class Step(Task):
    """One step of a lab, with the names of its checks in memlab/labs/checks. If the first fails, it earns no points.

    An `extra` step is not in the core of the lab: it comes after the closing chart.
    """

    name: Annotated[str, Field(alias="step", min_length=1)]
    part: Part
    extra: bool = False
    minutes: Annotated[int, Field(ge=1, le=15)]
    checks: Annotated[tuple[str, ...], Field(min_length=1)]


class Scenarios(Task):
    """A number of scenarios, of the lab and of the instructor, drawn from some families or from all."""

    name: Annotated[str, Field(alias="scenarios", min_length=1)]
    count: Annotated[int, Field(ge=1, le=50)]
    families: tuple[Literal[FAMILIES], ...] = ()  # type: ignore[valid-type] # the harness lists them


class Printout(Task):
    """Output: the learner's file followed by the code `runs` has to print the lines of `prints`, also among others."""

    name: Annotated[str, Field(alias="printout", min_length=1)]
    runs: Annotated[str, Field(min_length=1)]
    prints: Annotated[str, Field(min_length=1)]


KINDS: Mapping[str, type[Task]] = {"step": Step, "scenarios": Scenarios, "printout": Printout}
"""The kinds of tasks, by the key that holds a task's name."""


def _kind(task: object) -> str | None:
    return next((kind for kind in KINDS if isinstance(task, Mapping) and kind in task), None)


AnyTask = Annotated[
    Annotated[Step, Tag("step")] | Annotated[Scenarios, Tag("scenarios")] | Annotated[Printout, Tag("printout")],
    Discriminator(
        _kind,
        custom_error_type="kind",
        custom_error_message=f'begin with its kind and name: {" | ".join(KINDS)} = "..."',
    ),
]


class Late(BaseModel):
    """The penalty for late submissions: a share of the earned points for each day after `grace_days`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    percent_per_day: Annotated[float, Field(ge=0, le=100)]
    grace_days: Annotated[int, Field(ge=0)] = 0
    max_percent: Annotated[float, Field(ge=0, le=100)] = 100

    def share(self, days: int) -> float:
        """Return the share (0 to 1) of the points that is deducted."""
        return min(self.max_percent, self.percent_per_day * max(0, days - self.grace_days)) / 100


class Rubric(BaseModel):
    """The rubric file of a lab, which an instructor may edit.

    Submissions may import `modules`, and read the `data` files beside the rubric.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    lab: str
    title: str
    file: str
    system: str
    class_name: str = ""
    interface: tuple[str, ...]
    late: Late | None = None
    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    minutes: Mapping[Section, Annotated[int, Field(ge=0)]] = {}
    task: Annotated[tuple[AnyTask, ...], Field(min_length=1)]

    @property
    def core_minutes(self) -> int:
        """Return how long the core takes, by the rubric."""
        return sum(minutes for section, minutes in self.minutes.items() if section != "extra")

    @property
    def extra_minutes(self) -> int:
        """Return how long the extra steps take, by the rubric."""
        return self.minutes.get("extra", 0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Check what concerns several tasks."""
        if problems := [*_duplicates(self.task), *_unknown_needs(self.task)]:
            raise ValueError("; ".join(problems))
        return self


def _duplicates(tasks: Sequence[Task]) -> list[str]:
    names = Counter(one.name for one in tasks)
    checks = Counter(check for one in tasks if isinstance(one, Step) for check in one.checks)
    twice = [f"two tasks are named {name!r}; give one another name" for name, times in names.items() if times > 1]
    again = [check for check, times in checks.items() if times > 1]
    return twice + [f"the check {check!r} is listed twice; leave one of them out" for check in again]


def _unknown_needs(tasks: Sequence[Task]) -> list[str]:
    problems = []
    for at, task in enumerate(tasks):
        before = [one.name for one in tasks[:at]]
        for need in task.needs:
            if need not in before:
                valid = f"name tasks that come before it ({', '.join(before)})" if before else "no task comes before it"
                problems.append(f"task {task.name!r} needs {need!r}:{did_you_mean(need, before)} {valid}")
    return problems


def read_rubric(path: Path) -> Rubric:
    """Read a rubric file. Raises BadRubric with every invalid place."""
    content: dict[str, Any] = read_toml(path)
    try:
        return Rubric.model_validate({**content, "path": path})
    except ValidationError as error:
        errors = error.errors()
        lines = path.read_text(encoding="utf-8").splitlines()
        problems = "; ".join(
            find_line(lines, one["loc"]) + _format(one["loc"], one["type"], one["msg"], one["input"], content)
            for one in errors
        )
        raise BadRubric(f"{path}: {problems}. Correct it; docs/labs.md describes the format.") from None


def find_line(lines: Sequence[str], loc: tuple[int | str, ...]) -> str:
    """Return "line 7, " for an invalid key outside of the tasks, or for its table if the key is missing."""
    if not loc or loc[0] == "task":
        return ""
    table, key, found = "", str(loc[-1] if len(loc) > 1 and isinstance(loc[1], str) else loc[0]), 0
    for number, line in enumerate(lines, 1):
        if line.startswith("["):
            table = line.strip(" []\n")
            found = number if len(loc) > 1 and table == loc[0] else found
        elif table == ("" if key == loc[0] else loc[0]) and line.partition("=")[0].strip() == key:
            return f"line {number}, "
    return f"line {found}, " if found else ""


def _format(loc: tuple[int | str, ...], kind: str, message: str, value: object, content: Mapping[str, Any]) -> str:
    """Return a message for one invalid place: "task 2 ('recall'), points: ..."."""
    valid, place = list(Rubric.model_fields)[1:], [str(one) for one in loc]
    if loc[:1] == ("task",) and len(loc) > 1:
        number = int(loc[1])
        task = content["task"][number]
        named = _kind(task)
        valid = [one.alias or key for key, one in KINDS[named].model_fields.items()] if named else []
        place = [f"task {number + 1}" + (f" ({task[named]!r})" if named else ""), *place[3:]]
    elif loc[:1] == ("late",) and len(loc) > 1:
        valid = list(Late.model_fields)
    where = f"{', '.join(place)}: " if place else ""
    if kind == "extra_forbidden":
        return f"{where}there is no such key.{did_you_mean(place[-1], valid)} There are {', '.join(valid)}"
    if kind == "missing":
        return f"{where}this is missing"
    message = message.removeprefix("Value error, ")
    return f"{where}{message}" + (f", not {value!r}" if isinstance(value, str | int | float) else "")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file of a lab. Raises BadRubric."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRubric(f"{path}: cannot be read: {error}. Check its name.") from None
    except tomllib.TOMLDecodeError as error:
        raise BadRubric(f"{path}: this is not TOML: {error}. Correct it.") from None
