"""Episodic memory: the Episode and Run records, and their form in the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from memlab.memory.storage.journal import Record
from memlab.memory.storage.value_types import LONGEST_INTEGER, field_types, has_types, type_error
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance

Step = Literal["", "task", "done", "note", "ask", "answer", "end"]


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run of a task: its category, cost, outcome, and what was learned.

    `seconds` is wall-clock time, `result` the key result, `skills` the names of the skills used, `learned` the name of
    the skill that was made from it.
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

    @property
    def text(self) -> str:
        """The served text: the task, the outcome, and an error with its resolution."""
        went = self.result or ("it went well" if self.success else "it failed")
        error = f"; error: {self.error}" if self.error else ""
        resolved = f"; resolved by: {self.resolution}" if self.resolution else ""
        return f"{self.task}: {went}{error}{resolved}"


@dataclass(frozen=True, slots=True)
class Episode:
    """One event. `kind` is any word (log, deploy, turn, tool); `step` marks the steps of a task.

    In a step, `todo` is the plan of a task, and `name` the type of a task, the name of the fact that a note becomes, or
    the question that is answered. `run` is the result of a run; `forgot` the ids of the forgotten episodes that this
    one summarises.

    An episode with a subject (`about`) is also stored as a fact and served as that. A `held` episode contains untrusted
    instructions and is not served.
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
        """The served text: the detail."""
        return self.detail

    @property
    def id(self) -> str:
        """The id by which `derived_from` refers to it."""
        return self.origin.id

    @property
    def is_failure(self) -> bool:
        """Whether it records a run that failed and was not resolved: it answers questions, but is in no prompt."""
        return self.run is not None and not (self.run.success or self.run.resolution)

    @property
    def is_searchable(self) -> bool:
        """Whether the episode is served from the log: it has text that no fact and no scratchpad serves."""
        return bool(self.detail) and not (self.held or self.about or self.step not in {"", "end"})


_EMPTY, _NO_ORIGIN, _NO_RUN = Episode("", ""), Provenance(), Run("")
_RUN_FIELDS = tuple(field.name for field in fields(Run))
_REQUIRED_FIELDS = 7  # a record without optional fields, as most are


def require_storable(run: Run) -> None:
    """Raise ValueError if a number of a run is one that no line of the log can hold."""
    for name in ("steps", "seconds"):
        if not abs(getattr(run, name)) < 2**LONGEST_INTEGER:
            raise ValueError(f"run {run.task!r}: its {name} must be finite and have at most {LONGEST_INTEGER} bits")


def to_record(episode: Episode) -> Record:
    """Return an episode as a record of the log, without empty fields."""
    origin = episode.origin
    record: Record = {"id": origin.id, "time": origin.time, "session": origin.session, "kind": episode.kind}
    record |= {"detail": episode.detail, "source": origin.source, "rank": episode.rank}
    record |= _non_empty(origin, _NO_ORIGIN, ("derived_from", "quote"))
    record |= _non_empty(episode, _EMPTY, ("step", "todo", "about", "held", "name", "forgot"))
    return record if episode.run is None else record | {"run": _non_empty(episode.run, _NO_RUN, _RUN_FIELDS)}


def from_record(record: Record) -> Episode:
    """Return the episode of a record that this or an older version wrote."""
    get = record.get
    lineage, quote = tuple(get("derived_from", ())), get("quote", "")
    origin = Provenance(record["source"], record["session"], record["time"], record["id"], lineage, quote)
    run = None if get("run") is None else _run_of(record["run"])
    required = (record["kind"], record["detail"], origin, record["rank"])
    step, todo, about, name = get("step", ""), tuple(get("todo", ())), get("about", ""), get("name", "")
    return Episode(*required, step, todo, about, bool(get("held")), name, run, tuple(get("forgot", ())))


def is_episode_record(record: Record) -> bool:
    """Return whether a record is a valid episode, not a tombstone or anything else."""
    match record:
        case {"id": str(), "session": str(), "kind": str(), "detail": str(), "source": str(), "rank": int(rank)}:
            is_valid = NOT_TRUSTED <= rank <= USER and not type_error("time", record.get("time"), float, json=True)
            return is_valid and (len(record) == _REQUIRED_FIELDS or _has_valid_fields(record))
    return False


def is_tombstone(record: Record) -> bool:
    """Return whether a record is a tombstone."""
    return isinstance(record.get("erased"), str)


def _non_empty(what: Episode | Provenance | Run, blank: object, names: Sequence[str]) -> Record:
    return {name: value for name in names if (value := getattr(what, name)) != getattr(blank, name)}


def _has_valid_fields(record: Record) -> bool:
    """Return whether the optional fields of a record have the right types."""
    flat = {name: value for name, value in record.items() if name not in {"origin", "run"}}
    run = {} if record.get("run") is None else record["run"]
    has_valid_run = isinstance(run, dict) and has_types(run, field_types(Run))
    has_valid_rest = all(has_types(flat, field_types(kind)) for kind in (Episode, Provenance))
    return "erased" not in record and has_valid_rest and has_valid_run


def _run_of(record: Record) -> Run:
    """Return the run of a record; unknown fields are ignored."""
    return Run(**{"task": ""} | {name: value for name, value in with_tuples(record).items() if name in _RUN_FIELDS})


def with_tuples(record: Record) -> Record:
    """Turn the lists of a JSON record back into tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
