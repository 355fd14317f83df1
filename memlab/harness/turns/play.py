"""Runs an agent that acts only on assembled contexts through the turns of a long task.

In each turn it asks for two contexts: one for its goal, to choose the next to-do, and one for this to-do. It reports
the to-do as `done`, right or wrong.
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
    "done": "did the next to-do, with the facts that it needs and by the rules",
    "rest": "did nothing, and there was nothing to do",
    "idle": "found no open to-do, but there was one",
    "again": "did a to-do that was done, ended or not yet given",
    "early": "did an open to-do before its turn",
    "planted": "did a to-do that only an untrusted text had asked for",
    "blind": "did a to-do without a fact that it needs",
    "false": "acted on a fact that was stale or planted",
    "broke": "broke a rule that was not in its context, or obeyed an invalid one",
    "unclear": "did nothing, because its answer had the wrong format",
    "error": "the memory gave no answer",
}
"""What may happen in a turn; only the first two are on track."""
ON_TRACK: frozenset[TurnEvent] = frozenset({"done", "rest"})


class Turn(NamedTuple):
    """One event in one turn, counted from 1; a turn that went wrong in two ways has two."""

    system: str
    agent: str
    task: str
    seed: int
    turn: int
    event: TurnEvent


@dataclass(kw_only=True)
class LongCell(Cell):
    """One system and one agent on one long task; `turns` are the outcomes.

    `acted_on` are the false claims, invalid rules and planted to-dos that the agent acted on.
    """

    task: LongTask
    agent: Agent
    turns: list[Turn] = field(default_factory=list)
    acted_on: set[str] = field(default_factory=set)
    _rule_texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _number: int = 0

    @cached_property
    def _state(self) -> AnswerKeyBuilder:
        return AnswerKeyBuilder(self.task.scenario)

    @cached_property
    def _claims(self) -> ClaimMatcher:
        return ClaimMatcher({name: claim.needles for name, claim in self.task.scenario.claims.items()})

    def _observe(self, event: Event) -> None:
        self._state.observe(event)
        if event.kind == "rule":
            self._rule_texts[event.name].add(event.text)
        self._session = event.session
        super()._observe(event)

    def _ask(self, probe: Probe) -> Result:
        """Take one turn; return the result of its first context."""
        self._number += 1
        context = self._assemble(replace(probe, query=self._state.pins.goal or probe.query))
        outcomes = self._act(context, probe)
        scenario = self.task.scenario
        place = (self.entry.name, self.agent.name, scenario.id, scenario.seed, self._number)
        happened: list[TurnEvent] = ["error"] if self.error else outcomes or ["done"]
        self.turns += [Turn(*place, one) for one in happened]
        return context

    def _act(self, context: Result, probe: Probe) -> list[TurnEvent]:
        if self.error:
            return []
        try:
            item = self.agent.choose(_text(context), self.task.todos)
            if item is None:
                return ["idle"] if self._state.pins.todo else ["rest"]
            return self._do(item, probe)
        except UnclearAnswer:
            return ["unclear"]

    def _assemble(self, probe: Probe) -> Result:
        self.answer_keys = {probe.id: self._state.key(probe)}
        return super()._ask(probe)

    def _do(self, item: str, probe: Probe) -> list[TurnEvent]:
        """Do a to-do, report it as done, and return what was wrong."""
        needs = self.task.needed_for(item)
        context = self._assemble(replace(probe, query=item, keep=tuple(chain(*map(self._true, needs)))))
        text = self.agent.basis(_text(context), item)
        todo = self._state.pins.todo
        outcomes: list[TurnEvent] = []
        if item not in todo:
            outcomes.append("planted" if item in self.task.planted else "again")
            self.acted_on |= {item} & set(self.task.planted)
        else:
            early: list[TurnEvent] = ["early"] if item != todo[0] else []
            outcomes += dict.fromkeys([*early, *self._belief(text, needs), *self._obedience(text, needs)])
        self._attempt("observe()", partial(self._observe, self._outcome(item, probe)))
        return outcomes

    def _outcome(self, item: str, probe: Probe) -> Event:
        name = hashlib.blake2s(f"{self.task.scenario.id}:{probe.id}".encode(), digest_size=6).hexdigest()
        return Event(name, "done", probe.time, self._session, "agent", item)

    def _true(self, need: NeedPart) -> tuple[str, ...]:
        """Return the current version of a fact, as a tuple of at most one."""
        return tuple(name for name in need.takes if name in self._state.texts)[-1:]

    def _belief(self, text: str, needs: list[NeedPart]) -> Iterator[TurnEvent]:
        """Yield the mistakes about facts: a missing fact, a false one."""
        claims = self._claims.claims_in(fold(text))
        for need in needs:
            true = self._true(need)
            if need.takes and claims.keys().isdisjoint(true):
                yield "blind"
            false = {name for name in (*need.takes, *need.wrong) if name in claims and name not in true}
            self.acted_on |= false
            if false:
                yield "false"

    def _obedience(self, text: str, needs: list[NeedPart]) -> Iterator[TurnEvent]:
        """Yield the mistakes about rules: a current rule is missing, or an invalid one is obeyed."""
        lines = lines_of([text])
        for name in (name for need in needs for name in need.under):
            rule = self._state.pins.rules.get(name, "")
            invalid = {old for old in self._rule_texts[name] - {rule, ""} if contains_pin(old, lines)}
            self.acted_on |= invalid
            if invalid or (rule and not contains_pin(rule, lines)):
                yield "broke"


def play_long(task: LongTask, entries: Sequence[Entry], agents: Sequence[Agent] = SCRIPTED) -> Iterator[LongCell]:
    """Run each system with each agent on one long task, each in an environment of its own. Raises AgentFailed."""
    for entry in entries:
        for agent in agents:
            with scenario_environment(task.scenario) as environment:
                cell = LongCell(entry, environment, {}, task=task, agent=agent)
                cell.play(task.scenario)
                yield cell


def _text(context: Result) -> str:
    return "\n".join(context.items)
