"""Plays rounds in one process or several, and saves every finished cell."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import chain, islice
from queue import SimpleQueue
from threading import current_thread, main_thread
from typing import Any, Protocol

from memlab.harness.running.runner import error_results, play
from memlab.harness.running.worker_pool import WorkerEnded, WorkerPool
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import WITHOUT_LABELS, Conditions
from memlab.harness.scenarios.loading import Template
from memlab.systems.child.confinement import Confinement
from memlab.systems.child.system import BEST, LIMIT
from memlab.systems.registry import entry
from memlab.terms import Key, Result, Scenario

Cell = list[Result]
Answers = list[tuple[Any, ...]]
ANSWERED = tuple(field.name for field in fields(Result))[1:]
"""The fields of a result that a process sends: all but its key, which is large and the same for every system."""
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
ENDED = "the process that played this was ended ({}). Play it again, with fewer --jobs if memory is short."


class Playable(Protocol):
    """All systems on one timeline: the unit of work of a process. It is pickled."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""

    @property
    def confinement(self) -> Confinement:
        """The sandbox of the user's own systems."""

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Play to each system from the `first` on, and yield each cell when it is finished."""

    def answer_keys(self) -> list[Key]:
        """Return the key of every probe, in the order of the timeline."""

    def lost(self, number: int, why: str) -> Cell:
        """Return error results for the cell of one system."""

    def with_systems(self, names: tuple[str, ...]) -> Playable:
        """Return the same for these systems alone."""


@dataclass(frozen=True)
class Round:
    """All systems on one sample of one scenario: the unit of work of a process."""

    template: Template
    seed: int
    systems: tuple[str, ...]
    limit: float = LIMIT
    conditions: Conditions = WITHOUT_LABELS
    confinement: Confinement = field(default=BEST, kw_only=True)

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Play the sample to each system from the `first` on, and yield each cell when it is finished."""
        return play(self._scenario(), [entry(name, self.limit, self.confinement) for name in self.systems[first:]])

    def answer_keys(self) -> list[Key]:
        """Return the key of every probe, in the order of the timeline."""
        return list(answer_keys(self._scenario()).values())

    def lost(self, number: int, why: str) -> Cell:
        """Return error results for the cell of one system."""
        return error_results(self._scenario(), self.systems[number], why)

    def with_systems(self, names: tuple[str, ...]) -> Round:
        """Return the same for these systems alone."""
        return replace(self, systems=names)

    def _scenario(self) -> Scenario:
        """Return the sample as the systems see it."""
        return self.conditions(self._sample())

    def _sample(self) -> Scenario:
        return self.template.sample(self.seed)


def run(rounds: Sequence[Playable], jobs: int, keep: Callable[[Cell], None]) -> Generator[Cell, None, None]:
    """Play rounds in this process or in `jobs` processes; call `keep` with each cell and yield it, in order.

    Every finished cell is kept, even if this generator is closed early. If a process is killed, only the cell that it
    was playing is lost; its results are errors.
    """
    if jobs == 1:
        for one in rounds:
            for cell in one.play():
                with postpone_interrupts():
                    keep(cell)
                yield cell
    else:
        yield from run_in_processes(rounds, jobs, keep)


def run_in_processes(
    rounds: Sequence[Playable], jobs: int, keep: Callable[[Cell], None]
) -> Generator[Cell, None, None]:
    """Play rounds in `jobs` processes that are forked from this one; see `run`."""
    for first in rounds[:1]:
        first.answer_keys()  # load data here once: the worker processes are forked from this one
    pool = WorkerPool(min(jobs, len(rounds)))
    running = [PlayedRound(one, pool) for one in rounds]
    kept = 0
    try:
        for playing in running:
            for cell in playing.cells():
                with postpone_interrupts():
                    keep(cell)
                    kept += 1
                yield cell
    finally:
        pool.terminate()
        for cell in islice(chain.from_iterable(one.finished() for one in running), kept, None):
            keep(cell)


class PlayedRound:
    """One round that a pool plays; its cells arrive one by one."""

    def __init__(self, planned: Playable, pool: WorkerPool) -> None:
        self._round = planned
        self._pool = pool
        self._answers: list[Answers] = []
        self._news: SimpleQueue[BaseException | None] = SimpleQueue()
        self._keys: list[Key] = []
        self._play()

    def cells(self) -> Iterator[Cell]:
        """Yield every cell in order, waiting for those that are not finished."""
        for number in range(len(self._round.systems)):
            while len(self._answers) <= number:
                self._wait()
            yield self._cell(number)

    def finished(self) -> Iterator[Cell]:
        """Yield the cells that are already finished."""
        return map(self._cell, range(len(self._answers)))

    def _play(self) -> None:
        future = self._pool.submit_generator(self._take, _answers, self._round, len(self._answers))
        future.add_done_callback(lambda done: self._news.put(None if done.cancelled() else done.exception()))

    def _take(self, part: tuple[list[Key], Answers]) -> None:
        """Take a cell. The pool's thread calls this, so no interrupt can lose it."""
        keys, answers = part
        self._keys = self._keys or keys
        self._answers.append(answers)
        self._news.put(None)

    def _wait(self) -> None:
        error = self._news.get()
        if isinstance(error, WorkerEnded):
            lost = self._round.lost(len(self._answers), ENDED.format(error))
            self._keys = self._keys or [one.key for one in lost]
            self._answers.append(without_keys(lost))
            if len(self._answers) < len(self._round.systems):
                self._play()
        elif error:
            raise error

    def _cell(self, number: int) -> Cell:
        return [Result(key, *rest) for key, rest in zip(self._keys, self._answers[number], strict=True)]


def _answers(planned: Playable, first: int) -> Iterator[tuple[list[Key], Answers]]:
    """Play a round from its `first` system on, and yield the answers of each cell, the keys with the first ones."""
    for number, cell in enumerate(planned.play(first)):
        yield [one.key for one in cell] if number == 0 else [], without_keys(cell)


def without_keys(cell: Cell) -> Answers:
    """Return what a process sends of a cell."""
    return [tuple(getattr(one, name) for name in ANSWERED) for one in cell]


@contextmanager
def postpone_interrupts() -> Iterator[None]:
    """Postpone SIGINT and SIGTERM to the end of the block, so that a cell is saved completely and only once."""
    if current_thread() is not main_thread():
        yield
        return
    postponed: list[int] = []
    handlers = {one: signal.signal(one, lambda number, _: postponed.append(number)) for one in INTERRUPTS}
    try:
        yield
    finally:
        for one, handler in handlers.items():
            signal.signal(one, handler)
    if postponed:
        signal.raise_signal(postponed[0])
