"""The reference with one store taken away: its content goes to another store, so that the row shows the store alone.

Source: the essay on memory types (document 003), which argues for what each store buys and shows no figure.

Writes: as the reference, but the content of one store goes to another: facts to the log, episodes to the facts, skills
    to the facts, goal and to-do to the log.
Stores: three of the four.
Recalls: as the reference.
Prompt: as the reference.
Wins: no row gains on any family beyond its interval: no store costs anything.
Loses: working memory is worth most: without it no task survives its history. Without episodes, a quarter of the plain
    questions is lost. Facts and skills are worth 4 and 3 points: a fact is found as an episode, a skill as a fact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from memlab.memory import MemoryMix
from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.trust import Provenance
from memlab.systems.entry import Entry
from memlab.systems.notes import lines_of
from memlab.systems.reference.hybrid import OBSERVE, Handler, Hybrid, end_task
from memlab.terms import TASK_NOTES, Build, Event, Kind


class NoFacts(FactTable):
    """A fact store that stays empty: promotion and the end of a task store nothing either."""

    def put(self, fact: Fact) -> None:
        """Store nothing."""


def log_lines(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Log each line that a notes file would have for an event; the later lines derive from the first."""
    for number, line in enumerate(lines_of(event)):
        part = replace(origin, id=f"{event.id}-{number}", derived_from=(event.id,)) if number else origin
        mix.log_episode(event.kind, line, "", part)


def log_without_subject(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Log an event as an episode only: with a subject it would become a fact, and be served as one."""
    OBSERVE[event.kind](mix, replace(event, about=""), origin)


def log_notes(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Log the notes and questions of a task like anything else that happened."""
    (log_lines if event.type in TASK_NOTES else OBSERVE["episode"])(mix, event, origin)


def end_without_skills(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """End the task; the record of its run names no skill, since there is none."""
    end_task(mix, replace(event, run=event.run and replace(event.run, skills=())), origin)


def end_with_fact(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """End the task; the record of its run becomes a fact."""
    if event.run is None:
        end_task(mix, event, origin)
    else:
        mix.end_task(origin=replace(origin, id=""))
        write_fact(mix, event, origin)


def write_fact(mix: MemoryMix, event: Event, origin: Provenance) -> None:
    """Store an event as a fact, except the notes of a task; without a name, its name is the digest of its text."""
    if event.kind == "episode" and event.type in TASK_NOTES:
        OBSERVE["episode"](mix, event, origin)
    else:
        mix.write_fact(event.name, event.description, event.text, about=event.about, origin=origin)


def _empty_facts(directory: Path) -> FactTable:
    return NoFacts(directory / "facts.db")


def _build(handlers: Mapping[Kind, Handler], facts: Callable[[Path], FactTable] | None = None) -> Build:
    return lambda workspace: Hybrid(workspace, handlers={**OBSERVE, **handlers}, facts=facts)


_TEXTS: tuple[Kind, ...] = ("episode", "turn", "tool")
_ENTRIES: Mapping[str, tuple[str, Build]] = {
    "facts": (
        "facts are logged as episodes, and nothing supersedes them",
        _build({"fact": log_lines, **dict.fromkeys(_TEXTS, log_without_subject)}, _empty_facts),
    ),
    "episodes": (
        "what happened is stored as facts without a name, and only the steps of a task are logged",
        _build({**dict.fromkeys(_TEXTS, write_fact), "end": end_with_fact}),
    ),
    "skills": ("a skill is stored as a fact", _build({"skill": write_fact, "end": end_without_skills})),
    "working": (
        "goal and to-do are logged as episodes, without a scratchpad",
        _build({"task": log_lines, "done": log_lines, "episode": log_notes}),
    ),
}
_NAMES = {
    "facts": "semantic store",
    "episodes": "episodic store",
    "skills": "procedural store",
    "working": "working memory",
}
STORES_TAKEN_AWAY = tuple(
    Entry(f"hybrid-no-{store}", f"The reference without its {_NAMES[store]}: {how}.", "ablation", build, document="003")
    for store, (how, build) in _ENTRIES.items()
)
