"""The ten words of memlab as types: no I/O, no logic.

A scenario is a timeline: events are lived, probes are asked. A memory system observes the events and answers the
probes. A metric reads the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from memlab.memory.world import Change, World

Kind = Literal["rule", "fact", "skill", "episode", "turn", "tool", "task", "done", "end", "compact", "erase"]
Why = Literal["world", "version", "trust", "lineage", "erased", "ended", "nothing"]
Verb = Literal["recall", "assemble"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing the agent lives through, as a memory system sees it.

    `text` is what the event says: the rule, the fact's body, the skill's steps, the episode's detail, the words of a
    turn, the tool's output, the goal of a task, the to-do that is done, the outcome of an end. `time` is in seconds
    since 1970, UTC. `type` is a fact's type (user, project, reference), an episode's kind (log, deploy), or the task
    type that a skill serves. `about` names a fact's subject where its slug (`name`) does not. A rule or fact of a known
    name replaces it; a rule without text withdraws it. `derived_from` and `erases` hold ids of earlier events.
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


@dataclass(frozen=True, slots=True)
class Claim:
    """What events state: recognised in a text by its needles, all of which must stand there.

    `events` are the ids of the events that state it; `orders` is the author's mark that it gives orders.
    """

    id: str
    needles: tuple[str, ...]
    events: tuple[str, ...]
    orders: bool = False


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Why a claim must not be served, and for `trust` the claim that says otherwise; `nothing` is for family limits."""

    why: Why
    against: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    """One question with its answer key, in claim ids. A system receives `query` and `k`, or `query` and `budget`.

    `expect` None: not judged; empty: nothing may be served. `budget` is in tokens.
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


@dataclass(frozen=True, slots=True)
class Restart:
    """The process ends: `crash` in the middle of a task, `session` after it."""

    how: Literal["crash", "session"]


Step = Event | Change | Restart | Probe


@dataclass(frozen=True, slots=True)
class Scenario:
    """A timeline, sampled by `seed`. `overlay` names what was laid over the file (an attack, other budgets).

    `file` is a digest of what the file said, empty where the scenario comes from none.
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


@dataclass(frozen=True, slots=True)
class Memory:
    """One recalled item; notes ("needs refreshing") travel outside the text."""

    text: str
    sources: tuple[str, ...] = ()
    store: str = ""
    score: float = 0.0
    notes: tuple[str, ...] = ()


class MemorySystem(Protocol):
    """Anything that can be compared."""

    def observe(self, event: Event) -> None:
        """Live through one event. May raise Refused: the run goes on."""

    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        """Answer a question with at most k items, best first."""

    def assemble(self, task: str, budget: int) -> str:
        """Compose the prompt of one turn, in at most `budget` tokens."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where one system lives: its own directory, the world's root (the current directory), the World, a clock.

    The clock gives seconds since 1970, UTC; nothing else may be asked for the time.
    """

    directory: Path
    root: Path
    world: World
    clock: Callable[[], float]


Build = Callable[[Workspace], MemorySystem]


@dataclass(frozen=True, slots=True)
class Key:
    """A probe's answer key, resolved at the moment it is asked: all that a metric needs besides the answer.

    `claims` maps each claim told so far to its needles, `texts` to what its events say; `expect`, `forbid` and `keep`
    hold claim ids. `rules`, `goal`, `todo` (open, next first) and `done` (finished) are the pins as they stand. `file`
    is the digest of the scenario's file.
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


@dataclass(frozen=True, slots=True)
class Result:
    """A probe with its resolved key, what one system answered, and what it cost.

    `items` are raw texts, cut to k or to the budget (an assembled context is one item). `error` is empty, or says why
    there is no answer. `broke` names the limits that the answer exceeded (`budget`, `k`); `fallback` the verb that the
    system lacks. `tokens` counts the answer, `seconds` the probe. `stores` names, item by item, where each was kept;
    it is empty where the system does not say.
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


Metric = Callable[[Result], float]
