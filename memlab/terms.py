"""The ten words of memlab as types: no I/O, no logic.

A scenario is a timeline of events and probes. A memory system observes the events and answers the probes. A metric
scores the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from memlab.memory.episode import Run
from memlab.memory.world import Change, World

Kind = Literal["rule", "fact", "skill", "episode", "turn", "tool", "task", "done", "end", "compact", "erase"]
Why = Literal["world", "version", "trust", "lineage", "erased", "ended", "failed", "nothing"]
TASK_NOTES = ("note", "ask", "answer")
"""The types of episodes that are notes and questions of the current task."""
Verb = Literal["recall", "assemble", "window"]
Labels = Literal["none", "names", "subjects"]
"""Which events keep their subject label `about`: none, facts (their writer chose it, as the name), or all."""
Telling = Literal["events", "transcript"]
"""Whether facts are events of their own or turns of a conversation."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens to the agent, as a memory system sees it.

    `text` is the content: the rule, the fact's body, the skill's steps, the episode's detail, the words of a turn, the
    tool's output, the goal of a task, the completed to-do, the outcome of a task. `time` is in seconds since 1970, UTC.
    `type` is a fact's type (user, project, reference), an episode's kind (log, deploy), or the type of task of a skill
    or a task. `about` names a fact's subject where its slug (`name`) does not. A rule or fact replaces an earlier one
    with the same name; a rule without text withdraws it. `derived_from` and `erases` hold ids of earlier events.

    Episodes of some types mean more: `note`, `ask` and `answer` are notes and questions of the current task (`name` is
    that of the fact that a note becomes, or of the question, whose words are the `description` of its answer), a
    `summary` condenses what it is derived from, and by a `release` the user accepts what it is derived from. `run` is
    the record of an `end`, whose `text` says the same in words. A fact has an `importance` in [0, 1], and in `quote`
    the words that state it, as they were said. A system may ignore all of this.

    >>> memlab.Event("e1", "fact", time=0.0, session="s1", source="user", text="We deploy on Tuesdays.").text
    'We deploy on Tuesdays.'
    """

    id: str
    kind: Kind
    time: float
    session: str
    source: str
    text: str = ""
    name: str = ""
    description: str = ""
    type: str = ""
    about: str = ""
    todo: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    erases: tuple[str, ...] = ()
    importance: float = 0.5
    quote: str = ""
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement made by events; a text contains it if it contains all of its needles.

    `events` are the ids of the events that state it. The scenario's author sets `orders` if it gives instructions.
    """

    id: str
    needles: tuple[str, ...]
    events: tuple[str, ...]
    orders: bool = False


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Why a claim must not be served. With `trust`, `against` is the true claim; `nothing` is for the family limits."""

    why: Why
    against: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """One question with its answer key, in claim ids. A system receives `query` and `k`, or `query` and `budget`.

    For a whole window it also receives the texts of the conversation and of the tools, oldest first. An `expect` of
    None is not judged; an empty one means that nothing may be served. `budget` is in tokens; 0, for a recall only,
    means that it is computed from what the oracle needs.
    """

    id: str
    verb: Verb
    query: str
    time: float
    k: int = 5
    budget: int = 0
    expect: tuple[str, ...] | None = None
    forbid: Mapping[str, Forbidden] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restart:
    """The process ends: `crash` is in the middle of a task, `session` after it."""

    how: Literal["crash", "session"]


Step = Event | Change | Restart | Probe


@dataclass(frozen=True, slots=True)
class Scenario:
    """A timeline, sampled by `seed`. `overlay` names what was added to the file (an attack, other budgets).

    `file` is a digest of the scenario file, empty where there is none. `labels`, `tell` and `noise` are the
    conditions of the run.
    """

    id: str
    family: str
    title: str
    story: str
    seed: int
    world: Change
    timeline: tuple[Step, ...]
    claims: Mapping[str, Claim]
    overlay: str = ""
    file: str = ""
    labels: Labels = "subjects"
    tell: Telling = "events"
    noise: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """One recalled item; notes ("needs refreshing") are not part of the text.

    >>> memlab.Memory("We deploy on Tuesdays.", store="facts").store
    'facts'
    """

    text: str
    sources: tuple[str, ...] = ()
    store: str = ""
    score: float = 0.0
    notes: tuple[str, ...] = ()


class MemorySystem(Protocol):
    """Anything that can be compared: `observe`, and `recall`, `assemble` or both.

    memlab derives a missing verb from the other, and builds the system anew after a restart of the scenario. In a
    sandbox it ends the process and calls no method, as in a crash: what only a `close()` would write is lost. In
    memlab's own process, `close()` is called if there is one, before each restart and at the end, to close files.

    >>> class Newest:
    ...     def __init__(self, workspace: memlab.Workspace) -> None:
    ...         self.notes = workspace.directory / "notes.txt"
    ...     def observe(self, event: memlab.Event) -> None:
    ...         with self.notes.open("a") as notes:
    ...             print(" ".join(event.text.split()), file=notes)
    ...     def recall(self, query: str, k: int = 5) -> list[str]:
    ...         return self.notes.read_text().splitlines()[-k:]
    >>> memlab.play("recall/first-week", Newest).table()["useful"].to_dict()
    {'Newest': 0.0}
    """

    def observe(self, event: Event) -> None:
        """Store one event. May raise Refused: the run continues."""

    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        """Return at most k items that answer a question, best first."""

    def assemble(self, task: str, budget: int) -> str:
        """Return the prompt of one turn, at most `budget` tokens."""


class WindowSystem(MemorySystem, Protocol):
    """A system with the optional third verb; for any other one a probe of a whole window is not applicable."""

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        """Return a whole context window of at most `budget` tokens, with room for the reply.

        It joins what the memory assembles for the task with the turns of the conversation and the results of tools,
        both oldest first; they are longer than the window.
        """


@dataclass(frozen=True, slots=True)
class Workspace:
    """The surroundings of one system: its own directory, the world's root (the current directory), the World, a clock.

    The clock returns seconds since 1970, UTC. A system must read the time from this clock only.

    >>> from pathlib import Path
    >>> workspace = memlab.Workspace(Path("mine"), Path(), world=None, clock=lambda: 0.0)
    >>> workspace.directory / "notes.txt", workspace.clock()
    (PosixPath('mine/notes.txt'), 0.0)
    """

    directory: Path
    root: Path
    world: World
    clock: Callable[[], float]


Build = Callable[[Workspace], MemorySystem]


@dataclass(frozen=True, slots=True)
class Key:
    """A probe's answer key at its place in the timeline: everything that a metric needs except the answer.

    `claims` maps each claim stated so far to its needles, `texts` to the texts of its events; `expect`, `forbid` and
    `keep` hold claim ids. `rules`, `goal`, `todo` (open, next first) and `done` are the current pins. `file` is the
    digest of the scenario file.
    """

    scenario: str
    family: str
    seed: int
    overlay: str
    probe: str
    verb: Verb
    query: str
    k: int
    budget: int
    expect: tuple[str, ...] | None
    forbid: Mapping[str, Why]
    keep: tuple[str, ...]
    claims: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, tuple[str, ...]]
    rules: tuple[str, ...]
    goal: str
    todo: tuple[str, ...]
    done: tuple[str, ...]
    file: str = ""
    labels: Labels = "subjects"
    tell: Telling = "events"
    noise: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A probe with its resolved key, what one system answered, and what it cost.

    `items` are raw texts, cut to k and to the budget (an assembled context is one item). `error` is empty, or says why
    there is no answer. `broke` names the limits that the answer exceeded although the system knew them (`budget` of a
    context, `k`); `fallback` the verb that the system lacks. `tokens` counts the answer before the cut, `seconds` the
    probe. `stores` names the store of each item; it is empty if the system does not report it. `not_applicable` says
    why the probe does not apply to the system: then it is in no mean. `observe_seconds` is the median time of one event
    before the probe, 0 if there was none. `isolation` names the sandbox of a system that is not memlab's own.
    `printed` is what such a system printed since the probe before, at most its last 2,000 bytes. `version` names the
    version and the settings of a product.

    >>> for answer in memlab.play("stale/deploy-script-moved", "hybrid"):
    ...     print(answer.system, answer.key.probe, answer.items[0].splitlines()[0])
    hybrid where On Fridays Noor ships.
    hybrid ship [RULES]
    """

    key: Key
    system: str
    items: tuple[str, ...]
    notes: tuple[str, ...] = ()
    error: str = ""
    broke: tuple[str, ...] = ()
    fallback: str = ""
    tokens: int = 0
    seconds: float = 0.0
    stores: tuple[str, ...] = ()
    not_applicable: str = ""
    observe_seconds: float = 0.0
    isolation: str = ""
    printed: str = ""
    version: str = ""


Metric = Callable[[Result], float]
