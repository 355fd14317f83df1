"""The events of a scenario file, as pydantic models."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from memlab.memory.episode import Run
from memlab.terms import TASK_NOTES, Event

Source = Literal["user", "tool", "agent", "web", "document", "import", "other-agent", "unknown"]
NAME = r"^[a-z0-9][a-z0-9_-]*$"
"""Valid ids of events, probes and claims in a file."""
LONGEST_RESULT = 200
"""Characters of the result of a run."""
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
    orders: bool = Field(default=False, description="True if this text gives instructions")

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
    importance: float = Field(0.5, ge=0, le=1)
    quote: str = Field("", description="The words that state it, as they were said; a transcript has them for the body")
    body: str


class SkillPart(EventPart):
    """The steps of a type of task."""

    text_key, type_key = "body", "task"
    name: str
    description: str
    task: str
    body: str


class EpisodePart(EventPart):
    """What happened.

    In a task, `note`, `ask` and `answer` are notes and questions; a note with a name becomes a fact of that name when
    the task ends. A `summary` is that of what it is derived from; by a `release` the user accepts what it is derived
    from, although an untrusted source gave it.
    """

    text_key, type_key = "detail", "kind"
    source: Source = "agent"
    kind: str = "log"
    name: str = Field("", description="Of the fact that a note becomes, or of the question that is asked or answered")
    detail: str
    about: str = ""

    @model_validator(mode="after")
    def _names_are_of_notes_and_questions(self) -> EpisodePart:
        if self.name and self.kind not in TASK_NOTES:
            raise ValueError(f"`name:` is for the kinds {', '.join(TASK_NOTES)}, not {self.kind!r}. Remove it")
        if self.kind in {"ask", "answer"} and not self.name:
            raise ValueError(f"`kind: {self.kind}` needs a `name:`, that of the question")
        if self.kind == "release" and not (self.source == "user" and self.derived_from):
            raise ValueError("`kind: release` needs `source: user`, and in `derived_from:` what the user accepts")
        return self


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

    text_key, type_key = "goal", "type"
    goal: str
    type: str = Field("", description="The type of task, which selects the skills for it")
    todo: tuple[str, ...] = Field(min_length=1)


class DonePart(EventPart):
    """A to-do is completed."""

    text_key = "item"
    item: str


class EndPart(EventPart):
    """The task is over: its outcome in words, or the record of the run, from `success` on."""

    text_key = "outcome"
    source: Source = "agent"
    outcome: str = ""
    success: bool | None = Field(None, description="Begins the record of a run; `result` then replaces `outcome`")
    result: str = Field("", max_length=LONGEST_RESULT)
    error: str = ""
    resolution: str = ""
    steps: int = Field(0, ge=0)
    seconds: float = Field(0.0, ge=0)
    tools: tuple[str, ...] = ()
    skills: tuple[str, ...] = Field((), description="Names of the skills that were used")
    learned: str = Field("", description="Name of the skill that was made from the run")

    @model_validator(mode="after")
    def _a_record_is_complete(self) -> EndPart:
        given = sorted(self.model_fields_set & (RECORD - {"success"}))
        if given and self.success is None:
            raise ValueError(f"{', '.join(given)}: a record of a run needs `success: true` or `success: false`")
        if self.success is not None and self.outcome:
            raise ValueError("`outcome:` is for an end without a record; beside `success:` write `result:`")
        if self.resolution and not self.error:
            raise ValueError("`resolution:` needs the `error:` that it resolves")
        return self

    def run(self, task: Event | None) -> Run | None:
        """Return the record of the run of a task; None if the file gives none."""
        if self.success is None or task is None:
            return None
        return Run(task=task.text, category=task.type, **self.model_dump(include=set(RECORD)))

    def fields(self) -> dict[str, Any]:
        """Return the fields without those of the record, which the timeline joins with the task."""
        return {name: value for name, value in super().fields().items() if name not in RECORD}


RECORD = EndPart.model_fields.keys() - EventPart.model_fields.keys() - {"outcome"}
"""The fields of an `end` that make the record of a run."""


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
