"""The reference memory as a system with the three verbs: with every defence, or with one of them off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from memlab.memory import Defences, MemoryMix, Recalled, WindowShares, assemble_window
from memlab.memory.context import BudgetTooSmall
from memlab.memory.forgetting import KEEP
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.retrieval.vectors import Encoder
from memlab.memory.text import Refused
from memlab.memory.trust import Provenance
from memlab.models.embedders import EXTRA, MINILM, WORDLLAMA
from memlab.systems.entry import Entry
from memlab.terms import Build, Event, Kind, Memory, Workspace

Handler = Callable[[MemoryMix, Event, Provenance], object]
_WITHOUT = {
    "guard": "serves what the environment refutes",
    "trust": "believes every source as if it were the user",
    "versions": "never lets a newer statement supersede an older one",
    "pin": "fills the budget with the best matches, so that rules, goal and to-do may not fit",
    "recite": "states the to-do once, after the rules, and does not recite it at the end",
    "log": "stores no episodes, and loses the task in a crash",
}


def log_episode(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Log an episode, a turn or a tool's output."""
    kind = event.kind if event.kind != "episode" else event.type or "episode"
    mix.log_episode(kind, event.text, event.about, origin)


def summarise(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Log a summary; one with a subject, or without its sources, is an episode like any other."""
    if event.about or not event.derived_from:
        log_episode(mix, event, origin)
    else:
        mix.summarise(event.session, event.text, origin)


def release(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Release what the user accepts from quarantine, and log that."""
    for identity in {held["id"] for held in mix.quarantined()}.intersection(event.derived_from):
        mix.release(identity)
    log_episode(mix, event, origin)


def end_task(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """End the task, and log the record of its run."""
    if event.run is None:
        mix.end_task(event.text, origin)
    else:
        mix.end_task(origin=replace(origin, id=""))
        mix.log_run(event.run, origin)


EPISODES: Mapping[str, Handler] = {
    "note": lambda mix, event, origin: mix.note(event.text, event.name, origin),
    "ask": lambda mix, event, origin: mix.ask(event.text, origin),
    "answer": lambda mix, event, origin: mix.answer(event.description, event.text, origin),
    "summary": summarise,
    "release": release,
}
"""The types of episodes that mean more than that something happened: see terms.Event."""


OBSERVE: Mapping[Kind, Handler] = {
    "rule": lambda mix, event, origin: mix.write_rule(event.text, event.name, origin),
    "fact": lambda mix, event, origin: mix.write_fact(
        event.name,
        event.description,
        event.text,
        type=event.type,
        about=event.about,
        importance=event.importance,
        origin=origin,
    ),
    "skill": lambda mix, event, origin: mix.write_skill(
        event.name, event.text, event.description, type=event.type, origin=origin
    ),
    "episode": lambda mix, event, origin: EPISODES.get(event.type, log_episode)(mix, event, origin),
    "turn": log_episode,
    "tool": log_episode,
    "task": lambda mix, event, origin: mix.set_task(event.text, event.todo, origin, type=event.type),
    "done": lambda mix, event, origin: mix.check_off(event.text, origin),
    "end": end_task,
    "compact": lambda mix, _, origin: mix.compact(origin),
    "erase": lambda mix, event, origin: mix.erase(event.erases, origin),
}


class Hybrid:
    """Events in, memories out: adapts MemoryMix to the three verbs.

    `handlers` says what the mix does with each kind of event; `facts` opens another fact store in a directory; `keep`
    is the number of latest episodes that are never forgotten; `encoder` also finds texts without a shared word.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - each is one independent choice
        self,
        workspace: Workspace,
        defences: Defences = Defences(),  # noqa: B008 - it is frozen
        handlers: Mapping[Kind, Handler] = OBSERVE,
        facts: Callable[[Path], FactTable] | None = None,
        keep: int = KEEP,
        encoder: Encoder | None = None,
    ) -> None:
        self._handlers = handlers
        directory = workspace.directory
        store = facts(directory) if facts else None
        given = directory, workspace.world, workspace.clock
        self._mix = MemoryMix(*given, facts=store, sync="never", defences=defences, keep=keep, encoder=encoder)

    def observe(self, event: Event) -> None:
        """Write one event to the memory. Raises Refused if its source may not do this."""
        origin = Provenance(event.source, event.session, event.time, event.id, event.derived_from, event.quote)
        self._handlers[event.kind](self._mix, event, origin)

    def recall(self, query: str, k: int = 5) -> Sequence[Memory]:
        """Return at most k memories for a query, best first."""
        return [to_memory(found) for found in self._mix.recall(query, k)]

    def assemble(self, task: str, budget: int) -> str:
        """Return the prompt of one turn. Raises Refused if rules, goal and next to-do do not fit."""
        return _fitting(lambda: self._mix.assemble(task, budget))

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        """Return a whole window in the usual shares. Raises Refused if rules, goal and to-do exceed the memory's."""
        shares = WindowShares(total=budget)
        return _fitting(
            lambda: assemble_window("", lambda room: self._mix.assemble(task, room), turns, results, shares=shares)
        )

    def close(self) -> None:
        self._mix.close()


def _fitting(assemble: Callable[[], str]) -> str:
    try:
        return assemble()
    except BudgetTooSmall as small:
        raise Refused(str(small)) from small


def to_memory(found: Recalled) -> Memory:
    """Return what the mix recalled as an item of an answer."""
    return Memory(found.text, (found.origin.source,), found.store, found.score, found.notes)


def _without(*defences: str) -> Build:
    return lambda workspace: Hybrid(workspace, Defences(**dict.fromkeys(defences, False)))


_ALL = [field.name for field in fields(Defences)]
REFERENCE = Entry("hybrid", "The reference: four stores with every defence.", "reference", _without())
WITH_ENCODER = tuple(
    Entry(
        f"hybrid+{one.name}",
        f"The reference with the encoder {one.name}: it also finds texts without a word of the question.",
        "encoders",
        partial(Hybrid, encoder=one),
        modules=one.modules,
        extra=EXTRA,
    )
    for one in (MINILM, WORDLLAMA)
)
ABLATIONS = (
    *(
        Entry(f"hybrid-no-{name}", f"The reference without {name}: it {_WITHOUT[name]}.", "ablation", _without(name))
        for name in _ALL
    ),
    Entry("hybrid-bare", "The stores with every defence off and without the log.", "ablation", _without(*_ALL)),
    Entry(
        "hybrid-undefended",
        "The four stores, log included, with every defence off.",
        "ablation",
        _without(*(name for name in _ALL if name != "log")),
    ),
)
