"""The schema of scenario files, as pydantic models; `memlab schema` prints their JSON Schema."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from memlab.harness.scenarios.variables import Choices, Cycle, VariableName
from memlab.harness.scenarios.world_names import Command, Flag, LinkTarget, Value, Variable, WorldPath
from memlab.terms import Kind, Why

Source = Literal["user", "tool", "agent", "web", "document", "import", "other-agent", "unknown"]
FAMILIES = ("recall", "stale", "poison", "contradiction", "oversize", "promotion", "lifetimes", "limits")
"""The families, in the order of reports."""
LIMITS = "limits"
"""The family of claims that no memory could know to be false: reported apart, not counted."""
ATTACKS = ("stale", "poison", "contradiction", "oversize")
WAIT = r"^[0-9]{1,3} (minute|hour|day|week)s?$"
NAME = r"^[a-z0-9][a-z0-9_-]*$"
"""Valid ids of events, probes and claims in a file."""
PINS = ("rules", "goal", "todo")
"""Names that `keep:` accepts besides claims."""


class Part(BaseModel):
    """A part of a scenario file: unknown keys are an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EventPart(Part):
    """Fields of every event. `id` names the event, and its claim unless it `states` other claims."""

    text_key: ClassVar[str] = "text"
    type_key: ClassVar[str] = ""
    id: str = Field("", pattern=NAME)
    source: Source = "user"
    needles: tuple[str, ...] = Field((), description="Words that identify the claim in a text; all must occur")
    states: tuple[str, ...] = Field((), description="Ids of earlier claims that this event states again")
    derived_from: tuple[str, ...] = Field((), description="Ids of earlier events that this one restates")
    orders: bool = Field(default=False, description="True if this text gives orders")

    @field_validator("id")
    @classmethod
    def _pins_are_no_claims(cls, name: str) -> str:
        if name in PINS:
            raise ValueError(f"{name!r} is the name of a pin in `keep:`. Choose another id")
        return name

    def fields(self) -> dict[str, Any]:
        """Return the event's own fields under the names of terms.Event."""
        own = self.model_dump(exclude=set(EventPart.model_fields))
        own["text"] = own.pop(self.text_key, "")
        return own | {"type": own.pop(self.type_key)} if self.type_key else own


class RulePart(EventPart):
    """How to act. A rule with the same name as an earlier one replaces it; an empty body withdraws it."""

    text_key = "body"
    name: str = ""
    body: str


class FactPart(EventPart):
    """What is true, on the subject of its name or of `about`."""

    text_key = "body"
    name: str
    description: str
    type: Literal["user", "project", "reference"] = "project"
    about: str = ""
    body: str


class SkillPart(EventPart):
    """The steps of a type of task."""

    text_key, type_key = "body", "task"
    name: str
    description: str
    task: str
    body: str


class EpisodePart(EventPart):
    """What happened."""

    text_key, type_key = "detail", "kind"
    source: Source = "agent"
    kind: str = "log"
    detail: str
    about: str = ""


class TurnPart(EventPart):
    """A message; the source is the speaker."""

    text: str
    about: str = ""


class ToolPart(EventPart):
    """What a tool returned, often long."""

    source: Source = "tool"
    name: str = ""
    text: str
    about: str = ""


class TaskPart(EventPart):
    """A task begins: its goal and its to-do, in order."""

    text_key = "goal"
    goal: str
    todo: tuple[str, ...] = Field(min_length=1)


class DonePart(EventPart):
    """A to-do is completed."""

    text_key = "item"
    item: str


class EndPart(EventPart):
    """The task is over."""

    text_key = "outcome"
    source: Source = "agent"
    outcome: str = ""


class CompactPart(EventPart):
    """History may be condensed."""


class ErasePart(EventPart):
    """A request to forget events, by their ids."""

    events: tuple[str, ...] = Field(min_length=1)
    reason: str = ""
    text_key = "reason"

    def fields(self) -> dict[str, Any]:
        """Return the fields without the ids, which the timeline resolves."""
        return {name: value for name, value in super().fields().items() if name != "events"}


class WorldPart(Part):
    """The world at the start."""

    files: dict[WorldPath, str] = {}
    env: dict[Variable, Value] = {}
    commands: dict[Command, tuple[Flag, ...]] = {}
    links: dict[WorldPath, LinkTarget] = {}


class ChangePart(Part):
    """A change of the world; null removes a thing."""

    actor: Source = "user"
    move: dict[WorldPath, WorldPath] = {}
    files: dict[WorldPath, str | None] = {}
    env: dict[Variable, Value | None] = {}
    commands: dict[Command, tuple[Flag, ...] | None] = {}
    links: dict[WorldPath, LinkTarget | None] = {}


class ForbiddenPart(Part):
    """Why a claim must not be served, as the timeline shows."""

    why: Why
    against: str = ""

    @model_validator(mode="after")
    def _against_goes_with_trust(self) -> ForbiddenPart:
        if (self.why == "trust") != bool(self.against):
            raise ValueError("`why: trust` needs `against:`, the claim of higher rank, and no other `why` may have it")
        return self


class ProbePart(Part):
    """One question with its answer key."""

    id: str = Field(pattern=NAME)
    recall: str = ""
    assemble: str = ""
    k: int = Field(5, ge=1, le=50)
    budget: int = Field(0, ge=0, description="tokens; for a recall, by default 1.2 times the least, plus 64")
    expect: tuple[str, ...] | None = None
    forbid: dict[str, ForbiddenPart] = {}
    keep: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_verb_with_its_own_keys(self) -> ProbePart:
        if bool(self.recall) == bool(self.assemble):
            raise ValueError("a probe has either `recall:` or `assemble:`")
        if self.assemble and not self.budget:
            raise ValueError("`assemble:` needs a `budget:`, in tokens")
        if self.recall and self.keep:
            raise ValueError("`keep:` is for `assemble:`; use `expect:` for a recall")
        if self.assemble and self.expect is not None:
            raise ValueError("`expect:` is for `recall:`; use `keep:` for an assemble")
        return self


class EventStep(Part):
    """One event, under the name of its kind."""

    rule: RulePart | None = None
    fact: FactPart | None = None
    skill: SkillPart | None = None
    episode: EpisodePart | None = None
    turn: TurnPart | None = None
    tool: ToolPart | None = None
    task: TaskPart | None = None
    done: DonePart | None = None
    end: EndPart | None = None
    compact: CompactPart | None = None
    erase: ErasePart | None = None

    @field_validator("done", mode="before", json_schema_input_type=DonePart | str)
    @classmethod
    def _done_may_be_its_item(cls, value: object) -> object:
        return {"item": value} if isinstance(value, str) else value

    @field_validator("rule", mode="before", json_schema_input_type=RulePart | str)
    @classmethod
    def _rule_may_be_its_body(cls, value: object) -> object:
        return {"body": value} if isinstance(value, str) else value

    @field_validator("end", "compact", mode="before", json_schema_input_type=EndPart | CompactPart | None)
    @classmethod
    def _end_and_compact_need_no_words(cls, value: object) -> object:
        return {} if value is None else value

    @model_validator(mode="after")
    def _exactly_one(self) -> EventStep:
        if len(self.model_fields_set - {"times", "each"}) != 1:
            found = ", ".join(sorted(self.model_fields_set)) or "nothing"
            raise ValueError(f"each step is exactly one thing, but this one has {found}: start a new `- ` for each")
        for name in self.model_fields_set:
            if getattr(self, name) is None:
                raise ValueError(f"`{name}:` is empty: fill it in, or remove the step")
        return self

    def event(self) -> tuple[Kind, EventPart]:
        """Return the kind and the part of the one event in this step."""
        (kind,) = self.model_fields_set & set(EventStep.model_fields)
        return kind, getattr(self, kind)  # type: ignore[return-value] # the fields are named after the kinds


class RepeatPart(EventStep):
    """One event many times: `{i}` counts from 1, `each` gives variables a list of words that repeats."""

    times: int = Field(ge=1, le=20_000)
    each: dict[VariableName, Cycle] = {}


class StepPart(EventStep):
    """One step of the timeline."""

    repeat: RepeatPart | None = None
    world: ChangePart | None = None
    wait: str | None = Field(None, pattern=WAIT, description="3 days")
    restart: Literal["crash", "session"] | None = None
    probe: ProbePart | None = None


class ScenarioFile(Part):
    """A scenario file."""

    id: str = Field(pattern=r"^[a-z]+/[a-z0-9-]+$")
    title: str
    story: str = Field(min_length=40, description="One paragraph that a learner reads before predicting")
    vary: dict[VariableName, Choices] = {}
    world: WorldPart = WorldPart()
    rules: tuple[str | RulePart, ...] = ()
    timeline: tuple[StepPart, ...] = Field(min_length=1)
