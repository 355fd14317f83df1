"""The events that are written under faults, and the search for each of them afterwards."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from memlab.harness.faults.processes import Report, ReportingProcess
from memlab.memory.world import ScriptedWorld
from memlab.sandbox.folders import use_workspaces_folder
from memlab.systems.answers import memories_of, one_line
from memlab.systems.entry import Entry
from memlab.terms import Event, Kind, MemorySystem, Workspace

NOON = 1_767_614_400.0
ITEMS = 10
"""The number of items that are recalled to find one event."""
BUDGET = 1000
"""In tokens: the context in which an event is looked for that is not recalled."""
_KINDS: tuple[Kind, ...] = ("fact", "turn", "episode", "fact", "tool")
_THINGS = ("ferry", "mentor", "locker", "oak", "tenant", "choir", "kiln", "valve", "orchard", "beacon", "ledger")
_SYLLABLES = [f"{first}{last}" for first in "bdfgklmnprstvz" for last in "aeiou"]
READY, STORED, REFUSED = "ready", "stored", "refused"


class Written(NamedTuple):
    """One thing that is written: the event, the question for it, and the word that only it contains."""

    event: Event
    query: str
    word: str


def written(number: int, seed: int) -> Written:
    """Return what the write with this number writes; it is the same in every run with a seed."""
    chance = Random(f"{seed} {number}")  # noqa: S311 - the same in every run
    owner, word = ("".join(chance.choices(_SYLLABLES, k=5)) for _ in range(2))
    thing, kind = chance.choice(_THINGS), _KINDS[number % len(_KINDS)]
    text, source = f"The {thing} of {owner} is called {word}.", "tool" if kind == "tool" else "user"
    name = f"{thing}-{owner}" if kind == "fact" else ""
    event = Event(f"w{number}", kind, NOON + number, f"s{number // 8}", source, text, name)
    return Written(event, f"What is the {thing} of {owner} called?", word)


def workspace(place: Path, now: float = NOON) -> Workspace:
    """Return the workspace of a system in the folder of one trial, with an empty world."""
    home, root = place / "home", place / "root"
    for folder in (home, root):
        folder.mkdir(exist_ok=True)
    return Workspace(home, root, ScriptedWorld(), lambda: now)


def write(  # noqa: PLR0913 - where, what, and how it ends
    system: Entry, place: Path, numbers: Sequence[int], seed: int, *, unreported: int = 0, largest_file: int = 0
) -> ReportingProcess:
    """Fork a process that opens a system, reports READY, and writes when it is started.

    It reports for each write STORED, or REFUSED and the error; then it waits. The last `unreported` writes are not
    reported. No file may grow beyond `largest_file` bytes (0: no limit). SIGTERM ends the process: a system that runs
    in a child is killed first.
    """

    def act(report: Report) -> None:
        if largest_file:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
        try:
            memory = _build(system, place)
        except Exception as error:  # noqa: BLE001 - whatever a system raises
            return report(f"{REFUSED}: {one_line(str(error))}")
        report(READY)
        report.wait_for_start()
        for at, number in enumerate(numbers):
            line = _store(memory, written(number, seed).event)
            if at < len(numbers) - unreported:
                report(line)
        signal.pause()
        return None

    return ReportingProcess(act)


def count(
    system: Entry, place: Path, numbers: Sequence[int], seed: int, first: Sequence[int] = ()
) -> tuple[dict[int, int], str]:
    """Return how often each write is found by a new process, and the first error of opening or asking the system.

    A write is missing from the result if the question for it raised an error.

    `first` are writes that the same process does before it searches.
    """

    def act(report: Report) -> None:
        try:
            memory = _build(system, place)
        except Exception as error:  # noqa: BLE001 - whatever a system raises
            return report(one_line(str(error)))
        for number in first:
            _store(memory, written(number, seed).event)
        for number in numbers:
            report(_count(system.name, memory, written(number, seed)))
        return None

    process = ReportingProcess(act)
    lines = process.read(len(numbers))
    process.end(ends_by(system))
    found = {number: int(line) for number, line in zip(numbers, lines, strict=False) if line.isdecimal()}
    return found, next((line for line in lines if not line.isdecimal()), "")


def ends_by(system: Entry) -> int:
    """Return the signal that kills a process and its system at once."""
    return signal.SIGTERM if system.child else signal.SIGKILL


def _build(system: Entry, place: Path) -> MemorySystem:
    use_workspaces_folder(place)
    memory = system.build(workspace(place))

    def kill(*_: object) -> None:
        memory.close()  # type: ignore[attr-defined] # kill -9: see Entry.child
        os._exit(0)

    if system.child:
        signal.signal(signal.SIGTERM, kill)
    return memory


def _store(memory: MemorySystem, event: Event) -> str:
    try:
        memory.observe(event)
    except Exception as error:  # noqa: BLE001 - whatever a system raises acknowledges nothing
        return f"{REFUSED}: {one_line(str(error))}"
    return STORED


def _count(name: str, memory: MemorySystem, one: Written) -> str:
    """Return in how many recalled items a word is, else how often it is in a context, or the error of the question."""
    try:
        items = memories_of(name, memory.recall(one.query, ITEMS))
        found = sum(one.word in item.text for item in items) or memory.assemble(one.query, BUDGET).count(one.word)
    except Exception as error:  # noqa: BLE001 - whatever a system raises
        return one_line(f"a question raised {type(error).__name__}: {error}")
    return str(found)
