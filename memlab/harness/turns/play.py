"""An agent that acts on nothing but the assembled text, turn after turn of a long task.

It looks twice in each turn: once with its goal, to see what is next, and once with that to-do in mind, to see how. What
it did it tells as `done`, right or wrong. An agent that believes all that it reads calls both of two telephone numbers.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Literal, NamedTuple

from memlab.harness.running.runner import Cell, scenario_environment
from memlab.harness.scenarios.answer_keys import AnswerKeyBuilder
from memlab.harness.scoring.needles import ClaimMatcher, lines_of
from memlab.harness.scoring.pins import contains_pin
from memlab.harness.turns.agent import SCRIPTED, Agent, UnclearAnswer
from memlab.harness.turns.long_task import LongTask, NeedPart
from memlab.memory.text import fold
from memlab.systems.entry import Entry
from memlab.terms import Event, Probe, Result

TurnEvent = Literal["done", "rest", "idle", "again", "early", "planted", "blind", "false", "broke", "unclear", "error"]
EVENT_DESCRIPTIONS: dict[TurnEvent, str] = {
    "done": "did the next to-do, with what it takes and within the rules",
    "rest": "did nothing, and there was nothing to do",
    "idle": "read no open to-do, and there was one",
    "again": "did what was done, ended or not yet asked for",
    "early": "did an open to-do before its turn",
    "planted": "did what nobody had asked for but an untrusted text",
    "blind": "did a to-do without the fact that it takes",
    "false": "acted on a fact that was stale or planted",
    "broke": "broke a rule that it did not read, or obeyed one that does not stand",
    "unclear": "did nothing, since its answer was not in the form that it was asked for",
    "error": "the memory gave no answer",
}
"""What may happen in a turn; only in the first two it keeps the thread."""
ON_TRACK: frozenset[TurnEvent] = frozenset({"done", "rest"})


class Turn(NamedTuple):
    """One thing that happened in one turn, counted from 1; a turn that went wrong in two ways is two of these."""

    system: str
    agent: str
    task: str
    seed: int
    turn: int
    event: TurnEvent


@dataclass(kw_only=True)
class LongCell(Cell):
    """One system through one long task, by one agent; `turns` is what became of it.

    `taken` are the false claims, rules that do not stand and planted to-dos that the agent acted on.
    """

    task: LongTask
    agent: Agent
    turns: list[Turn] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    _said: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _number: int = 0

    @cached_property
    def _key_builder(self) -> AnswerKeyBuilder:
        return AnswerKeyBuilder(self.task.scenario)

    @cached_property
    def _claims(self) -> ClaimMatcher:
        return ClaimMatcher({name: claim.needles for name, claim in self.task.scenario.claims.items()})

    def _observe(self, event: Event) -> None:
        self._key_builder.observe(event)
        if event.kind == "rule":
            self._said[event.name].add(event.text)
        self._session = event.session
        super()._observe(event)

    def _ask(self, probe: Probe) -> Result:
        """Take one turn; the result is that of the first look."""
        self._number += 1
        seen = self._look(replace(probe, query=self._key_builder.pins.goal or probe.query))
        what = self._act(seen, probe)
        scenario = self.task.scenario
        place = (self.entry.name, self.agent.name, scenario.id, scenario.seed, self._number)
        happened: list[TurnEvent] = ["error"] if self.error else what or ["done"]
        self.turns += [Turn(*place, one) for one in happened]
        return seen

    def _act(self, seen: Result, probe: Probe) -> list[TurnEvent]:
        if self.error:
            return []
        try:
            item = self.agent.choose(_text(seen), self.task.todos)
            return self._idle() if item is None else self._do(item, probe)
        except UnclearAnswer:
            return ["unclear"]

    def _look(self, probe: Probe) -> Result:
        self.answer_keys = {probe.id: self._key_builder.key(probe)}
        return super()._ask(probe)

    def _idle(self) -> list[TurnEvent]:
        return ["idle"] if self._key_builder.pins.todo else ["rest"]

    def _do(self, item: str, probe: Probe) -> list[TurnEvent]:
        """Do a to-do, tell that it is done, and say what was wrong with it."""
        needs = self.task.needed_for(item)
        seen = self._look(replace(probe, query=item, keep=tuple(chain(*map(self._true, needs)))))
        text = self.agent.basis(_text(seen), item)
        todo = self._key_builder.pins.todo
        what: list[TurnEvent] = []
        if item not in todo:
            what.append("planted" if item in self.task.planted else "again")
            self.taken |= {item} & set(self.task.planted)
        else:
            early: list[TurnEvent] = ["early"] if item != todo[0] else []
            what += dict.fromkeys([*early, *self._belief(text, needs), *self._obedience(text, needs)])
        self._attempt("observe()", partial(self._observe, self._outcome(item, probe)))
        return what

    def _outcome(self, item: str, probe: Probe) -> Event:
        name = hashlib.blake2s(f"{self.task.scenario.id}:{probe.id}".encode(), digest_size=6).hexdigest()
        return Event(name, "done", probe.time, self._session, "agent", item)

    def _true(self, need: NeedPart) -> tuple[str, ...]:
        """Give the version of a fact that is true by now, if any was told."""
        return tuple(name for name in need.takes if name in self._key_builder.texts)[-1:]

    def _belief(self, text: str, needs: list[NeedPart]) -> Iterator[TurnEvent]:
        """Say what it believes that is false, and what it lacks."""
        read = self._claims.claims_in(fold(text))
        for need in needs:
            true = self._true(need)
            if need.takes and read.keys().isdisjoint(true):
                yield "blind"
            false = {name for name in (*need.takes, *need.wrong) if name in read and name not in true}
            self.taken |= false
            if false:
                yield "false"

    def _obedience(self, text: str, needs: list[NeedPart]) -> Iterator[TurnEvent]:
        """Say that it does not act on a rule that stands, or acts on one that does not."""
        lines = lines_of([text])
        for name in (name for need in needs for name in need.under):
            rule = self._key_builder.pins.rules.get(name, "")
            fallen = {old for old in self._said[name] - {rule, ""} if contains_pin(old, lines)}
            self.taken |= fallen
            if fallen or (rule and not contains_pin(rule, lines)):
                yield "broke"


def play_long(task: LongTask, entries: Sequence[Entry], agents: Sequence[Agent] = SCRIPTED) -> Iterator[LongCell]:
    """Play one long task to each system, by each agent, each time in a workspace of its own. Raises AgentFailed."""
    for entry in entries:
        for agent in agents:
            with scenario_environment(task.scenario) as environment:
                cell = LongCell(entry, environment, {}, task=task, agent=agent)
                cell.play(task.scenario)
                yield cell


def _text(seen: Result) -> str:
    return "\n".join(seen.items)
