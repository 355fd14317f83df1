"""Long tasks: files like scenarios, but with turns of an agent instead of probes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

from pydantic import Field, field_validator

from memlab.harness.scenarios.errors import BadScenario, ScenarioError, suggest
from memlab.harness.scenarios.event_parts import EventPart, Part
from memlab.harness.scenarios.loading import LONG_TASKS, Template
from memlab.harness.scenarios.schema import ForbiddenPart, ProbePart, ScenarioFile, StepPart
from memlab.harness.scenarios.timeline import Timeline, build_timeline, repeated
from memlab.harness.scenarios.validation import validate
from memlab.harness.scenarios.variables import Place
from memlab.harness.scenarios.yaml_lines import read_yaml
from memlab.terms import Event, Kind, Scenario

NEXT = "what is to be done next"


class NeedPart(Part):
    """What an agent needs to do some to-dos right.

    `takes` are the versions of one fact in order: the latest one stated is true, those before it are stale. `wrong` are
    claims that are false when the to-do is done, and why. `under` names the rules for it.
    """

    todos: tuple[str, ...] = Field(alias="for", min_length=1)
    takes: tuple[str, ...] = ()
    wrong: dict[str, ForbiddenPart] = Field(default_factory=dict)
    under: tuple[str, ...] = ()


class LongStep(StepPart):
    """One step of the timeline; `act` is a number of turns of the agent."""

    act: int | None = Field(None, ge=1, le=100)

    @field_validator("probe")
    @classmethod
    def _asks_nothing(cls, _: object) -> None:
        raise ValueError("a long task has no probes. Use `act:`, and `needs:` for its to-dos")


class LongTaskFile(ScenarioFile):
    """A long task file.

    `each_turn` happens before every turn. `needs` lists the needs of to-dos; a to-do without an entry needs nothing.
    `planted` are to-dos in texts of untrusted sources.
    """

    budget: int = Field(ge=50, le=4_000, description="tokens, of every context")
    timeline: tuple[LongStep, ...] = Field(min_length=1)
    each_turn: tuple[StepPart, ...] = ()
    needs: tuple[NeedPart, ...] = ()
    planted: tuple[str, ...] = ()

    @field_validator("each_turn")
    @classmethod
    def _only_repeats(cls, steps: tuple[StepPart, ...]) -> tuple[StepPart, ...]:
        if any(step.repeat is None for step in steps):
            raise ValueError("`each_turn:` accepts only `repeat:`, with the `times:` of one turn")
        return steps

    def turns(self) -> int:
        """Return the number of turns of the agent."""
        return sum(step.act or 0 for step in self.timeline)

    def unrolled(self) -> tuple[list[StepPart], list[int]]:
        """Return all steps with the turns as probes, and the place of each step in the file."""
        turns = iter([[*before, _turn(number, self)] for number, before in enumerate(_before(self), start=1)])
        steps, places = list[StepPart](), list[int]()
        for place, step in enumerate(self.timeline):
            own = list(chain.from_iterable(islice(turns, step.act))) if step.act else [step]
            steps += own
            places += [place] * len(own)
        return steps, places


@dataclass(frozen=True)
class LongTask:
    """A sample: a scenario in which every probe is a turn, and the needs of its to-dos."""

    scenario: Scenario
    needs: tuple[NeedPart, ...]
    planted: tuple[str, ...]

    def needed_for(self, item: str) -> list[NeedPart]:
        """Return the needs of a to-do."""
        return [need for need in self.needs if item in need.todos]

    @cached_property
    def todos(self) -> tuple[str, ...]:
        """Return every to-do, of tasks or planted."""
        events = (step for step in self.scenario.timeline if isinstance(step, Event))
        return tuple(dict.fromkeys([item for event in events for item in event.todo] + list(self.planted)))


@dataclass(frozen=True)
class LongTemplate(Template):
    """A valid long task file, ready to be sampled."""

    file: LongTaskFile

    def task(self, seed: int) -> LongTask:
        """Return a sample, drawn at random from the seed. Raises BadScenario for an invalid id or key."""
        file = validate(self._fill(seed), self.path, LongTaskFile)
        steps, places = file.unrolled()
        timeline = build_timeline(file.model_copy(update={"timeline": tuple(steps)}), salt=f"{file.id}:{seed}")
        problems = [
            (("timeline", places[int(where[1])], *where[2:]) if where[:1] == ("timeline",) else where, text)
            for where, text in timeline.problems
        ]
        task = LongTask(self._scenario(file, seed, timeline), file.needs, file.planted)
        self._raise_problems([*problems, *_unknown(task, timeline)])
        return task


def load_long(folders: Iterable[Path]) -> list[LongTemplate]:
    """Read every long task in folders called `turns` below some folders. Raises BadScenario with all errors."""
    found, errors = list[LongTemplate](), list[ScenarioError]()
    for path in sorted(path for folder in folders for path in folder.rglob("*.yaml") if path.parent.name == LONG_TASKS):
        try:
            data = read_yaml(path)
            template = LongTemplate(path, data, validate(data, path, LongTaskFile))
        except BadScenario as bad:
            errors += bad.errors
            continue
        if template.file.id != f"{LONG_TASKS}/{path.stem}":
            errors.append(template.error_at(f"id is {template.file.id!r}. Make it {LONG_TASKS}/{path.stem}.", "id"))
        found.append(template)
    if errors:
        raise BadScenario(errors)
    return found


def select_long(templates: Sequence[LongTemplate], wanted: str) -> list[LongTemplate]:
    """Return the long tasks whose id or name matches a pattern in `wanted` (comma-separated; "" and `turns` keep all).

    Raises BadScenario if a pattern matches nothing.
    """
    names = [template.file.id.removeprefix(f"{LONG_TASKS}/") for template in templates]
    names_wanted = [one.strip().removeprefix(f"{LONG_TASKS}/") for one in wanted.split(",") if one.strip()]
    patterns = ["*" if one == LONG_TASKS else one for one in names_wanted or ["*"]]
    for pattern in patterns:
        if not any(fnmatch(name, pattern) for name in names):
            text = f"no long task is called {pattern!r}.{suggest(pattern, names)} Long tasks are in turns/<name>.yaml."
            raise BadScenario([ScenarioError(Path("long tasks"), 0, text)])
    return [one for one, name in zip(templates, names, strict=True) if any(fnmatch(name, part) for part in patterns)]


def _turn(number: int, file: LongTaskFile) -> StepPart:
    return StepPart(probe=ProbePart(id=f"turn-{number}", assemble=NEXT, budget=file.budget))


def _before(file: LongTaskFile) -> Iterator[list[StepPart]]:
    """Yield the steps before each turn."""
    repeats = [step.repeat for step in file.each_turn if step.repeat]
    longer = [one.model_copy(update={"times": one.times * file.turns()}) for one in repeats]
    streams = [(one.times, map(_step, repeated(long))) for one, long in zip(repeats, longer, strict=True)]
    for _ in range(file.turns()):
        yield [step for times, steps in streams for step in islice(steps, times)]


def _step(event: tuple[Kind, EventPart]) -> StepPart:
    kind, part = event
    return StepPart.model_validate({kind: part})


def _unknown(task: LongTask, timeline: Timeline) -> Iterator[tuple[Place, str]]:
    """Yield errors for the to-dos, claims and rules in `needs:` that do not exist."""
    rules = {step.name for step in timeline.steps if isinstance(step, Event) and step.kind == "rule"}
    for number, need in enumerate(task.needs):
        place = ("needs", number)
        yield from _unknown_names((*place, "for"), need.todos, task.todos, "no task lists")
        yield from _unknown_names((*place, "takes"), need.takes, task.scenario.claims, "no event states")
        yield from _unknown_names((*place, "wrong"), need.wrong, task.scenario.claims, "no event states")
        yield from _unknown_names((*place, "under"), need.under, rules, "no rule is called")


def _unknown_names(place: Place, names: Iterable[str], valid: Iterable[str], why: str) -> Iterator[tuple[Place, str]]:
    known = set(valid)
    shown = [name for name in known if not name.startswith("~")]
    yield from ((place, f"names {name!r}, which {why}.{suggest(name, shown)}") for name in names if name not in known)
