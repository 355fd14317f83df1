"""The schema of scenario files, as pydantic models; `memlab schema` prints their JSON Schema."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from memlab.harness.scenarios.event_parts import (
    NAME,
    CompactPart,
    DonePart,
    EndPart,
    EpisodePart,
    ErasePart,
    EventPart,
    FactPart,
    Part,
    RulePart,
    SkillPart,
    Source,
    TaskPart,
    ToolPart,
    TurnPart,
)
from memlab.harness.scenarios.variables import Choices, Cycle, VariableName
from memlab.harness.scenarios.world_names import Command, Flag, LinkTarget, Value, Variable, WorldPath
from memlab.terms import Kind, Verb, Why

FAMILIES = ("recall", "stale", "poison", "contradiction", "oversize", "promotion", "lifetimes", "limits")
"""The families, in the order of reports."""
LIMITS = "limits"
"""The family of claims that no memory could know to be false: reported apart, not counted."""
ATTACKS = ("stale", "poison", "contradiction", "oversize")
WAIT = r"^[0-9]{1,3} (minute|hour|day|week)s?$"


class WorldPart(Part):
    """The world at the start."""

    files: dict[WorldPath, str] = Field(default_factory=dict)
    env: dict[Variable, Value] = Field(default_factory=dict)
    commands: dict[Command, tuple[Flag, ...]] = Field(default_factory=dict)
    links: dict[WorldPath, LinkTarget] = Field(default_factory=dict)


class ChangePart(Part):
    """A change of the world; null removes a thing."""

    actor: Source = "user"
    move: dict[WorldPath, WorldPath] = Field(default_factory=dict)
    files: dict[WorldPath, str | None] = Field(default_factory=dict)
    env: dict[Variable, Value | None] = Field(default_factory=dict)
    commands: dict[Command, tuple[Flag, ...] | None] = Field(default_factory=dict)
    links: dict[WorldPath, LinkTarget | None] = Field(default_factory=dict)


class ForbiddenPart(Part):
    """Why a claim must not be served, as the timeline shows."""

    why: Why
    against: str = ""

    @model_validator(mode="after")
    def _against_goes_with_trust(self) -> ForbiddenPart:
        if (self.why == "trust") != bool(self.against):
            raise ValueError("`why: trust` needs `against:`, the claim of higher rank, and no other `why` may have it")
        return self


class WindowPart(Part):
    """A whole context window: for which task, how large, and the earlier events that it is made of."""

    task: str = Field(min_length=1)
    budget: int = Field(gt=0, description="tokens")
    turns: tuple[str, ...] = Field((), description="Ids of the turns of the conversation")
    results: tuple[str, ...] = Field((), description="Ids of the tools' results")

    @model_validator(mode="after")
    def _has_something_to_divide(self) -> WindowPart:
        if not (self.turns or self.results):
            raise ValueError(
                "a window needs `turns:` or `results:`, by the ids of events; without them use `assemble:`"
            )
        return self


class ProbePart(Part):
    """One question with its answer key."""

    id: str = Field(pattern=NAME)
    recall: str = ""
    assemble: str = ""
    window: WindowPart | None = None
    k: int = Field(5, ge=1, le=50)
    budget: int = Field(0, ge=0, description="tokens; for a recall, by default 1.2 times the least, plus 64")
    expect: tuple[str, ...] | None = None
    forbid: dict[str, ForbiddenPart] = Field(default_factory=dict)
    keep: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_verb_with_its_own_keys(self) -> ProbePart:
        if bool(self.recall) + bool(self.assemble) + bool(self.window) != 1:
            raise ValueError("a probe has one of `recall:`, `assemble:` and `window:`")
        if self.window and self.budget:
            raise ValueError("the `budget:` of a window is inside of `window:`")
        if self.assemble and not self.budget:
            raise ValueError("`assemble:` needs a `budget:`, in tokens")
        if self.recall and self.keep:
            raise ValueError("`keep:` is for `assemble:` and `window:`; use `expect:` for a recall")
        if not self.recall and self.expect is not None:
            raise ValueError("`expect:` is for `recall:`; use `keep:` for an assemble or a window")
        return self

    def question(self) -> tuple[Verb, str, int]:
        """Return the verb, the query and the budget."""
        if self.window:
            return "window", self.window.task, self.window.budget
        return "recall" if self.recall else "assemble", self.recall or self.assemble, self.budget


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
    each: dict[VariableName, Cycle] = Field(default_factory=dict)


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
    vary: dict[VariableName, Choices] = Field(default_factory=dict)
    world: WorldPart = WorldPart()
    rules: tuple[str | RulePart, ...] = ()
    timeline: tuple[StepPart, ...] = Field(min_length=1)
