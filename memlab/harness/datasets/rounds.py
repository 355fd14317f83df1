"""Plays a conversation to systems as a scenario: first every event, then every question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memlab.harness.datasets.judging import LISTED, shortened
from memlab.harness.datasets.shape import ABSTENTION, Conversation, Question
from memlab.harness.running.resume import run_options
from memlab.harness.running.runner import Answer, Cell, scenario_environment
from memlab.memory.text import digest
from memlab.memory.world import Change
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import BEST, LIMIT
from memlab.systems.registry import entry
from memlab.terms import Event, Key, Probe, Result, Scenario, Step, Why


@dataclass(frozen=True)
class ConversationRound:
    """All systems on one conversation: the unit of work of a process. `dataset` is the name of the data set."""

    dataset: str
    conversation: Conversation
    systems: tuple[str, ...]
    limit: float = LIMIT
    confinement: Confinement = BEST

    def play(self, first: int = 0) -> Iterator[list[Result]]:
        """Play the conversation to each system from the `first` on, and yield each cell when it is finished."""
        scenario = self.scenario()
        keys = {key.probe: key for key in self.answer_keys()}
        for name in self.systems[first:]:
            with scenario_environment(scenario) as environment:
                cell = Cell(entry(name, self.limit, self.confinement), environment, keys).play(scenario)
            yield [shortened(result) for result in cell]

    def answer_keys(self) -> list[Key]:
        """Return the key of every question, in order."""
        return [answer_key(self.dataset, question) for question in self.conversation.questions]

    def lost(self, number: int, why: str) -> list[Result]:
        """Return error results for the cell of one system."""
        return [Answer(self.systems[number], key).result(why, fallback="") for key in self.answer_keys()]

    def with_systems(self, names: tuple[str, ...]) -> ConversationRound:
        """Return the same for these systems alone."""
        return replace(self, systems=names)

    def scenario(self) -> Scenario:
        """Return the conversation as a scenario."""
        now = max((event.time for event in self.conversation.events), default=0.0) + 1
        probes = (Probe(one.id, "recall", one.query, now, LISTED) for one in self.conversation.questions)
        timeline: tuple[Step, ...] = (*without_hints(self.conversation.events), *probes)
        return Scenario(self.conversation.id, self.dataset, "", "", 0, Change(), timeline, {})


def dataset_options(rounds: Sequence[ConversationRound]) -> dict[str, list[str]]:
    """Return the options that decide the results, as the command line names them. Raises UnknownSystem."""
    first = rounds[0]
    return {
        **run_options(first.systems, first.limit, first.confinement),
        "--dataset": [first.dataset],
        "--path": [f"{one.conversation.id} ({digest(repr(one.conversation))})" for one in rounds],
    }


def without_hints(events: Sequence[Event]) -> list[Event]:
    """Return the events with numbers as ids, sessions and names, because the original ones may reveal the answers."""
    sessions: dict[str, str] = {}
    return [
        replace(
            event,
            id=f"e{number}",
            session=sessions.setdefault(event.session, f"s{len(sessions) + 1}"),
            name=f"note-{number}" if event.name else "",
        )
        for number, event in enumerate(events, 1)
    ]


def answer_key(dataset: str, question: Question) -> Key:
    """Return the key of a question.

    `expect` holds its evidence, the newest first, `keep` the newest value, `forbid` superseded and planted statements.
    `scenario` names the cluster, `family` the data set and the kind.
    """
    forbid: dict[str, Why] = {one.id: "version" for one in question.older}
    forbid |= {one.id: "trust" for one in question.poison}
    statements = (*question.evidence, *question.newer, *question.older, *question.poison)
    needles = {one.id: (one.needle,) for one in statements}
    newest = [one.id for one in question.newer]
    expect = tuple(sorted((one.id for one in question.evidence), key=lambda one: one not in newest))
    return Key(
        scenario=f"{dataset}/{question.cluster}",
        family=f"{dataset}/{question.kind}",
        seed=0,
        overlay="",
        probe=question.id,
        verb="recall",
        query=question.query,
        k=LISTED,
        budget=0,
        expect=expect if expect or question.kind == ABSTENTION else None,
        forbid=forbid,
        keep=tuple(newest),
        claims=needles,
        texts=needles,
        rules=(),
        goal="",
        todo=(),
        done=(),
    )
