"""Plays rounds in this process or in several, and keeps every finished cell."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, fields
from queue import SimpleQueue
from typing import Any

from memlab.harness.running.runner import error_results, play
from memlab.harness.running.worker_pool import WorkerEnded, WorkerPool
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.loading import Template
from memlab.systems.child.system import LIMIT
from memlab.systems.registry import entry
from memlab.terms import Key, Result, Scenario

Cell = list[Result]
Answers = list[tuple[Any, ...]]
ANSWERED = tuple(field.name for field in fields(Result))[1:]
"""The fields of a result that a process sends: all but its key, which is large and the same for every system."""
ENDED = "the process that played this was ended ({}). Play it again, with fewer --jobs if memory is short."


@dataclass(frozen=True)
class Round:
    """All systems on one sample of one scenario: the piece of work that a process takes at a time."""

    template: Template
    seed: int
    systems: tuple[str, ...]
    limit: float = LIMIT

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Play the sample to each system from the `first` on, and yield each cell when it is finished."""
        return play(self._scenario(), [entry(name, self.limit) for name in self.systems[first:]])

    def answer_keys(self) -> list[Key]:
        """Return the key of every probe, in the order of the timeline."""
        return list(answer_keys(self._scenario()).values())

    def lost(self, number: int, why: str) -> Cell:
        """Return the cell of one system as an error."""
        return error_results(self._scenario(), self.systems[number], why)

    def _scenario(self) -> Scenario:
        return self.template.sample(self.seed)


def run(rounds: Sequence[Round], jobs: int, keep: Callable[[Cell], None]) -> Generator[Cell, None, None]:
    """Play rounds in this process or in `jobs` processes; `keep` and yield each cell, in the order of the rounds.

    Every finished cell is kept, even if this generator is closed early. A process that is killed costs the one cell
    that it was playing, which becomes an error.
    """
    if jobs == 1:
        for one in rounds:
            for cell in one.play():
                keep(cell)
                yield cell
        return
    pool = WorkerPool(min(jobs, len(rounds)))
    running = [PlayedRound(one, pool) for one in rounds]
    kept = 0
    try:
        for round_ in running:
            for cell in round_.cells():
                keep(cell)
                kept += 1
                yield cell
    finally:
        pool.terminate()
        for cell in [cell for one in running for cell in one.finished()][kept:]:
            keep(cell)


class PlayedRound:
    """One round that a pool plays; its cells arrive one by one."""

    def __init__(self, planned: Round, pool: WorkerPool) -> None:
        self._round = planned
        self._pool = pool
        self._arrived: SimpleQueue[Answers | BaseException | None] = SimpleQueue()
        self._cells: list[Cell] = []
        self._keys: list[Key] = []
        self._play()

    def cells(self) -> Iterator[Cell]:
        """Yield every cell in order, waiting for those that are not finished."""
        for number in range(len(self._round.systems)):
            while len(self._cells) <= number:
                self._receive()
            yield self._cells[number]

    def finished(self) -> list[Cell]:
        """Return the cells that are finished by now."""
        while not self._arrived.empty():
            if isinstance(answers := self._arrived.get(), list):
                self._cells.append(self._cell(answers))
        return self._cells

    def _play(self) -> None:
        future = self._pool.submit_generator(self._arrived.put, _answers, self._round, len(self._cells))
        future.add_done_callback(lambda done: self._arrived.put(None if done.cancelled() else done.exception()))

    def _receive(self) -> None:
        arrived = self._arrived.get()
        if isinstance(arrived, list):
            self._cells.append(self._cell(arrived))
        elif isinstance(arrived, WorkerEnded):
            self._cells.append(self._round.lost(len(self._cells), ENDED.format(arrived)))
            if len(self._cells) < len(self._round.systems):
                self._play()
        elif arrived is not None:
            raise arrived

    def _cell(self, answers: Answers) -> Cell:
        self._keys = self._keys or self._round.answer_keys()
        return [Result(key, *rest) for key, rest in zip(self._keys, answers, strict=True)]


def _answers(planned: Round, first: int) -> Iterator[Answers]:
    """Play a round from its `first` system on, and yield each cell's results without their keys."""
    for cell in planned.play(first):
        yield [tuple(getattr(one, name) for name in ANSWERED) for one in cell]
