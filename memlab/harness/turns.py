"""A scripted agent that acts on nothing but the assembled text, turn after turn of a long task.

It asks twice in each turn: once with its goal, to see what is next, and once with that to-do in mind, to see how. It
does the first open to-do that it reads, obeys every rule that it reads, and believes every fact that it reads: of two
telephone numbers it calls both. What it did it tells as `done`, right or wrong.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from memlab.harness.keys import Witness
from memlab.harness.pins import listed, whole
from memlab.harness.runner import Cell, scratch, variables
from memlab.harness.served import Recogniser, lines_of
from memlab.harness.stage import Stage
from memlab.harness.turns_file import LongTask, NeedPart
from memlab.memory.context import CHARS_PER_TOKEN
from memlab.memory.naming import fold
from memlab.systems.entry import Entry
from memlab.terms import Event, Probe, Result

What = Literal["done", "rest", "idle", "again", "early", "planted", "blind", "false", "broke", "error"]
WHAT: dict[What, str] = {
    "done": "did the next to-do, with what it takes and within the rules",
    "rest": "did nothing, and there was nothing to do",
    "idle": "read no open to-do, and there was one",
    "again": "did what was done, ended or not yet asked for",
    "early": "did an open to-do before its turn",
    "planted": "did what nobody had asked for but an untrusted text",
    "blind": "did a to-do without the fact that it takes",
    "false": "acted on a fact that was stale or planted",
    "broke": "broke a rule that it did not read, or obeyed one that does not stand",
    "error": "the memory gave no answer",
}
"""What may happen in a turn; only the first two leave the thread in its hands."""
ON_TRACK: frozenset[What] = frozenset({"done", "rest"})
_FINISHED = re.compile(r"(?:.*[\s(])?(?:\[[x✓]\]|done:) ?(.+)")


class Turn(NamedTuple):
    """One thing that happened in one turn, counted from 1; a turn that went wrong in two ways is two of these."""

    system: str
    attention: str
    task: str
    seed: int
    turn: int
    event: What


@dataclass(frozen=True)
class Attention:
    """What of a context the agent reads: all of it, or only its first and last `ends` tokens (lost in the middle)."""

    ends: int = 0

    @property
    def name(self) -> str:
        """Say which it is."""
        return f"first and last {self.ends}" if self.ends else "all"

    def read(self, text: str) -> str:
        """Give what is read of a text."""
        letters = self.ends * CHARS_PER_TOKEN
        return f"{text[:letters]}\n{text[-letters:]}" if 0 < 2 * letters < len(text) else text


ATTENTIONS = (Attention(), Attention(ends=100))


def first_open(text: str, todos: Collection[str]) -> str | None:
    """Give the first of these to-dos that stands in a text as an open list item, and that it does not tell is done."""
    known = {fold(item): item for item in todos}
    lines = lines_of([text])
    finished = {found[1] for line in lines if (found := _FINISHED.fullmatch(line))}
    open_items = (item for line in lines for item in listed(line, known) if item not in finished)
    return next((known[item] for item in open_items), None)


@dataclass(kw_only=True)
class Agent(Cell):
    """One system through one long task, by an agent of a given attention; `turns` is what became of it."""

    task: LongTask
    attention: Attention
    turns: list[Turn] = field(default_factory=list)
    _said: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _number: int = 0

    @cached_property
    def _witness(self) -> Witness:
        return Witness(self.task.scenario)

    @cached_property
    def _claims(self) -> Recogniser:
        return Recogniser({name: claim.needles for name, claim in self.task.scenario.claims.items()})

    def _observe(self, event: Event) -> None:
        self._witness.live(event)
        if event.kind == "rule":
            self._said[event.name].add(event.text)
        self._session = event.session
        super()._observe(event)

    def _ask(self, probe: Probe) -> Result:
        """Take one turn; the result is that of the first look."""
        self._number += 1
        seen = self._look(replace(probe, query=self._witness.pins.goal or probe.query))
        item = first_open(self._read(seen), self.task.todos)
        what = self._idle() if item is None else self._do(item, probe)
        scenario = self.task.scenario
        place = (self.entry.name, self.attention.name, scenario.id, scenario.seed, self._number)
        happened: list[What] = ["error"] if self.error else what or ["done"]
        self.turns += [Turn(*place, one) for one in happened]
        return seen

    def _look(self, probe: Probe) -> Result:
        self.keys = {probe.id: self._witness.key(probe)}
        return super()._ask(probe)

    def _read(self, seen: Result) -> str:
        return self.attention.read("\n".join(seen.items))

    def _idle(self) -> list[What]:
        return ["idle"] if self._witness.pins.todo else ["rest"]

    def _do(self, item: str, probe: Probe) -> list[What]:
        """Do a to-do, tell that it is done, and say what was wrong with it."""
        needs = self.task.needed_for(item)
        text = self._read(self._look(replace(probe, query=item, keep=tuple(chain(*map(self._true, needs))))))
        todo = self._witness.pins.todo
        what: list[What] = []
        if item not in todo:
            what.append("planted" if item in self.task.planted else "again")
        else:
            early: list[What] = ["early"] if item != todo[0] else []
            what += dict.fromkeys([*early, *self._belief(text, needs), *self._obedience(text, needs)])
        self._attempt("observe()", partial(self._observe, self._outcome(item, probe)))
        return what

    def _outcome(self, item: str, probe: Probe) -> Event:
        name = hashlib.blake2s(f"{self.task.scenario.id}:{probe.id}".encode(), digest_size=6).hexdigest()
        return Event(name, "done", probe.time, self._session, "agent", item)

    def _true(self, need: NeedPart) -> tuple[str, ...]:
        """Give the version of a fact that is true by now, if any was told."""
        return tuple(name for name in need.takes if name in self._witness.texts)[-1:]

    def _belief(self, text: str, needs: list[NeedPart]) -> Iterator[What]:
        """Say what it believes that is false, and what it lacks."""
        read = self._claims.served(fold(text))
        for need in needs:
            true = self._true(need)
            if need.takes and read.keys().isdisjoint(true):
                yield "blind"
            if any(name in read for name in (*need.takes, *need.wrong) if name not in true):
                yield "false"

    def _obedience(self, text: str, needs: list[NeedPart]) -> Iterator[What]:
        """Say that it does not act on a rule that stands, or acts on one that does not."""
        lines = lines_of([text])
        for name in (name for need in needs for name in need.under):
            rule = self._witness.pins.rules.get(name, "")
            if (rule and not whole(rule, lines)) or any(whole(old, lines) for old in self._said[name] - {rule, ""}):
                yield "broke"


def play_long(
    task: LongTask, entries: Sequence[Entry], attentions: Sequence[Attention] = ATTENTIONS
) -> Iterator[list[Turn]]:
    """Play one long task to each system, at each attention, each time in a workspace of its own."""
    scenario = task.scenario
    with tempfile.TemporaryDirectory(prefix="memlab-", dir=scratch(), ignore_cleanup_errors=True) as folder:
        place = Path(folder) / "cell"
        for entry in entries:
            for attention in attentions:
                stage = Stage(place, scenario.world, variables(scenario))
                agent = Agent(entry, stage, {}, task=task, attention=attention)
                agent.play(scenario)
                yield agent.turns
                shutil.rmtree(place, ignore_errors=True)
