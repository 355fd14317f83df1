"""One thing that happened, and the record that the log keeps of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from memlab.memory.storage.journal import Record
from memlab.memory.storage.json_types import field_types, has_type, has_types
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance

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

    Of a step, `todo` is the plan of a task, and `name` the type of a task, the fact that a note becomes, or the
    question that is answered. `run` says what a run came to; `forgot` names the episodes that are gone and that this
    one sums up.

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
    def is_searchable(self) -> bool:
        """Tell whether it is served from the log: it says something, and neither a fact nor the scratchpad does."""
        return bool(self.detail) and not (self.held or self.about or self.step not in {"", "end"})


_NOTHING, _NOBODY, _NO_RUN = Episode("", ""), Provenance(), Run("")
_RUN = tuple(field.name for field in fields(Run))
_NEEDED = 7
"""So many fields has a record of which all optional ones are empty, as of nearly all."""


def to_record(episode: Episode) -> Record:
    """Give what the log keeps of an episode; what is empty is left out."""
    origin = episode.origin
    record: Record = {"id": origin.id, "time": origin.time, "session": origin.session, "kind": episode.kind}
    record |= {"detail": episode.detail, "source": origin.source, "rank": episode.rank}
    record |= _told(origin, _NOBODY, ("derived_from", "quote"))
    record |= _told(episode, _NOTHING, ("step", "todo", "about", "held", "name", "forgot"))
    return record if episode.run is None else record | {"run": _told(episode.run, _NO_RUN, _RUN)}


def from_record(record: Record) -> Episode:
    """Read what to_record wrote, in this version or an older one."""
    tell = record.get
    lineage, quote = tuple(tell("derived_from", ())), tell("quote", "")
    origin = Provenance(record["source"], record["session"], record["time"], record["id"], lineage, quote)
    run = None if tell("run") is None else _run_of(record["run"])
    said = (record["kind"], record["detail"], origin, record["rank"])
    step, todo, about, name = tell("step", ""), tuple(tell("todo", ())), tell("about", ""), tell("name", "")
    return Episode(*said, step, todo, about, bool(tell("held")), name, run, tuple(tell("forgot", ())))


def is_episode_record(record: Record) -> bool:
    """Tell whether a record of the log is an episode: not an erasure, nor something foreign or wrongly edited."""
    match record:
        case {"id": str(), "session": str(), "kind": str(), "detail": str(), "source": str(), "rank": int(rank)}:
            whole = NOT_TRUSTED <= rank <= USER and has_type(record.get("time"), float)
            return whole and (len(record) == _NEEDED or _has_its_types(record))
    return False


def is_tombstone(record: Record) -> bool:
    """Tell whether a record of the log is a tombstone."""
    return isinstance(record.get("erased"), str)


def is_searchable_record(record: Record) -> bool:
    """Return Episode.is_searchable without building the Episode, for an index that reads a million records."""
    tell = record.get
    return bool(record["detail"]) and not (tell("held") or tell("about") or tell("step", "end") != "end")


def _told(what: Episode | Provenance | Run, blank: object, names: Sequence[str]) -> Record:
    return {name: value for name in names if (value := getattr(what, name)) != getattr(blank, name)}


def _has_its_types(record: Record) -> bool:
    """Tell of what an episode may lack, whether all that this one has is of its type."""
    flat = {name: value for name, value in record.items() if name not in {"origin", "run"}}
    run = record.get("run")
    ours = "erased" not in record and has_types(flat, field_types(Episode)) and has_types(flat, field_types(Provenance))
    return ours and (run is None or (isinstance(run, dict) and has_types(run, field_types(Run))))


def _run_of(record: Record) -> Run:
    """Read a run; what another version or hand wrote beyond ours is passed over."""
    known: Record = {name: tuple(told) if isinstance(told, list) else told for name, told in record.items()}
    known = {name: known[name] for name in _RUN if name in known}
    return Run(**{"task": ""} | known | {"result": known.get("result", "")[:LONGEST_RESULT]})
