"""One thing that happened, and the record that the log keeps of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memlab.memory.journal import Record
from memlab.memory.trust import USER, Provenance

Step = Literal["", "task", "done", "note", "ask", "answer", "end"]
LONGEST_RESULT = 200


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a task came to: its type, its cost, how it went, and what it taught.

    `seconds` is wall-clock time, `result` its key result in at most 200 characters, `skills` the names of those that
    were applied, `learned` the name of the one that it made. Raises ValueError if the result is longer.
    """

    task: str
    category: str = ""
    steps: int = 0
    tools: tuple[str, ...] = ()
    seconds: float = 0.0
    success: bool = True
    result: str = ""
    error: str = ""
    resolution: str = ""
    skills: tuple[str, ...] = ()
    learned: str = ""

    def __post_init__(self) -> None:
        if len(self.result) > LONGEST_RESULT:
            raise ValueError(
                f"run of {self.task!r}: its result has {len(self.result)} characters; "
                f"give the key result in at most {LONGEST_RESULT}, and log the rest as an episode"
            )

    @property
    def text(self) -> str:
        """What is served: the task, how it went, and of an error what resolved it."""
        went = self.result or ("it went well" if self.success else "it failed")
        error = f"; error: {self.error}" if self.error else ""
        resolved = f"; resolved by: {self.resolution}" if self.resolution else ""
        return f"{self.task}: {went}{error}{resolved}"


@dataclass(frozen=True, slots=True)
class Episode:
    """One thing that happened. `kind` is free (log, deploy, turn, tool); `step` marks what moved the task on.

    Of a step, `todo` is the plan of a task, and `name` the fact that a note becomes or the question that is answered.
    `run` says what a run came to; `forgot` names the episodes that are gone and that this one sums up.

    An episode that says what it is `about` states a fact as well, and the fact speaks for it. `held` says that
    untrusted text gave orders. Both are kept, since they happened; neither is served from here.
    """

    kind: str
    detail: str
    origin: Provenance = field(default_factory=Provenance)
    rank: int = USER
    step: Step = ""
    todo: tuple[str, ...] = ()
    about: str = ""
    held: bool = False
    name: str = ""
    run: Run | None = None
    forgot: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is served: the detail."""
        return self.detail

    @property
    def id(self) -> str:
        """The id under which others name it in `derived_from`."""
        return self.origin.id

    @property
    def speaks(self) -> bool:
        """Tell whether it is served from the log: it says something, and neither a fact nor the scratchpad does."""
        return bool(self.detail) and not (self.held or self.about or self.step not in {"", "end"})


def record_of(episode: Episode) -> Record:
    """Give what the log keeps of an episode; what is empty is left out."""
    origin = episode.origin
    record: Record = {"id": origin.id, "time": origin.time, "session": origin.session, "kind": episode.kind}
    record |= {"detail": episode.detail, "source": origin.source, "rank": episode.rank}
    for name in ("step", "about", "held"):
        if getattr(episode, name):
            record[name] = getattr(episode, name)
    if origin.derived_from:
        record["derived_from"] = list(origin.derived_from)
    if episode.todo:
        record["todo"] = list(episode.todo)
    return record


def episode_of(record: Record) -> Episode:
    """Read what record_of wrote."""
    restates = tuple(record.get("derived_from", ()))
    origin = Provenance(record["source"], record["session"], record["time"], record["id"], restates)
    todo = tuple(record.get("todo", ()))
    step, about, held = record.get("step", ""), record.get("about", ""), record.get("held", False)
    return Episode(record["kind"], record["detail"], origin, record["rank"], step, todo, about, held)
