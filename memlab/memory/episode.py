"""One thing that happened, and the record that the log keeps of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memlab.memory.journal import Record
from memlab.memory.trust import USER, Provenance

Step = Literal["", "task", "done", "end"]


@dataclass(frozen=True, slots=True)
class Episode:
    """One thing that happened. `kind` is free (log, deploy, turn, tool); `step` marks what moved the task on.

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
        return bool(self.detail) and not (self.held or self.about or self.step in {"task", "done"})


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
