"""Plays many rounds, in this process or in several, and loses no finished cell."""

from __future__ import annotations

import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import chain, islice
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection, wait
from typing import Any

from memlab.harness.running.runner import play, unplayed
from memlab.harness.scenarios.answer_keys import keys
from memlab.harness.scenarios.loading import Template
from memlab.systems.registry import entry
from memlab.systems.submission.parent import LIMIT
from memlab.terms import Key, Result, Scenario

Cell = list[Result]
Answered = tuple[Any, ...]
ANSWERED = tuple(field.name for field in fields(Result))[1:]
"""What a process tells of a result: all but its key, which is many times as large and the same for every system."""
PATIENCE = 5.0
"""Seconds that a process has to end."""
ENDED = "the process that played this was ended ({}). Play it again, with fewer --jobs if memory is short."


@dataclass(frozen=True)
class Round:
    """All systems on one sample of one scenario: the piece of work that a process takes at a time."""

    template: Template
    seed: int
    systems: tuple[str, ...]
    limit: float = LIMIT

    def play(self, first: int = 0) -> Iterator[Cell]:
        """Play the sample to each system from the `first` on, and give each cell when it is finished."""
        return play(self._scenario(), [entry(name, self.limit) for name in self.systems[first:]])

    def keys(self) -> list[Key]:
        """Give the key of every probe, in the order in which they are asked."""
        return list(keys(self._scenario()).values())

    def lost(self, number: int, why: str) -> Cell:
        """Give the cell of one system as an error."""
        return unplayed(self._scenario(), self.systems[number], why)

    def _scenario(self) -> Scenario:
        return self.template.sample(self.seed)


def run(rounds: Sequence[Round], jobs: int, keep: Callable[[Cell], None]) -> Generator[Cell, None, None]:
    """Play rounds in this process or in `jobs` of them; `keep` each cell and give it, in the order of the rounds.

    What is finished is kept, even if this is closed before its end. A process that is ended from outside costs the one
    cell that it was playing, which is an error.
    """
    if jobs == 1:
        for one in rounds:
            for cell in one.play():
                keep(cell)
                yield cell
        return
    crew = WorkerPool(rounds, jobs)
    try:
        for cell in crew.cells():
            keep(cell)
            crew.kept += 1
            yield cell
    finally:
        crew.stop()
        for cell in crew.held():
            keep(cell)


class WorkerPool:
    """Processes that share some rounds; `kept` counts the cells that were taken."""

    def __init__(self, rounds: Sequence[Round], jobs: int) -> None:
        self.kept = 0
        self._rounds = rounds
        self._ahead = deque(range(len(rounds)))
        self._finished: list[list[Cell]] = [[] for _ in rounds]
        self._keys: dict[int, list[Key]] = {}
        self._workers: dict[Connection, Worker] = {}
        for _ in range(min(jobs, len(rounds))):
            self._hire(self._ahead.popleft())

    def cells(self) -> Iterator[Cell]:
        """Give every cell in order, waiting for those that come later."""
        for one, finished in zip(self._rounds, self._finished, strict=True):
            for number in range(len(one.systems)):
                while len(finished) <= number:
                    self._listen()
                yield finished[number]

    def held(self) -> Iterator[Cell]:
        """Give the cells that were finished and not taken."""
        return islice(chain.from_iterable(self._finished), self.kept, None)

    def stop(self) -> None:
        """End every process, and let each remove what it has on disk."""
        for worker in self._workers.values():
            worker.process.terminate()
        for worker in self._workers.values():
            worker.process.join(PATIENCE)
            worker.process.kill()

    def _hire(self, number: int) -> None:
        worker = Worker(_work, self._rounds)
        self._workers[worker.pipe] = worker
        worker.begin(number, len(self._finished[number]))

    def _listen(self) -> None:
        """Take what the processes have to tell, and give those that have nothing left to do the next round."""
        for pipe in wait(list(self._workers)):
            worker = self._workers[pipe]  # type: ignore[index] # wait gives what it was given
            finished = self._finished[worker.number]
            one = self._rounds[worker.number]
            try:
                told: list[Answered] | Exception = worker.pipe.recv()
            except (EOFError, OSError):
                del self._workers[worker.pipe]
                finished.append(one.lost(len(finished), ENDED.format(worker.ended())))
                if len(finished) < len(one.systems):
                    self._hire(worker.number)
                elif self._ahead:
                    self._hire(self._ahead.popleft())
                continue
            if isinstance(told, Exception):
                raise told
            if worker.number not in self._keys:
                self._keys[worker.number] = one.keys()
            finished.append([Result(key, *rest) for key, rest in zip(self._keys[worker.number], told, strict=True)])
            if len(finished) == len(one.systems) and self._ahead:
                worker.begin(self._ahead.popleft())


class Worker:
    """A process that does its share of some work, and the pipe on which it tells of it; `number` is what it is at."""

    def __init__(self, work: Callable[[Any, Connection, Connection], None], pieces: object) -> None:
        self.number = 0
        self.pipe, far = Pipe()
        self.process = Process(target=work, args=(pieces, self.pipe, far), daemon=True)
        self.process.start()
        far.close()

    def begin(self, number: int, first: int = 0) -> None:
        """Have a piece done: a round, from its `first` system on."""
        self.number = number
        with suppress(OSError):  # a process that has ended is noticed when it is listened to
            self.pipe.send((number, first))

    def ended(self) -> str:
        """Say how it ended: signal SIGKILL."""
        self.process.join(PATIENCE)
        code = self.process.exitcode
        return f"signal {signal.Signals(-code).name}" if code and code < 0 else f"exit code {code}"


def _once_more(told: sys.UnraisableHookArgs) -> None:
    """Interrupt again, in a moment, what was interrupted in a place where Python passes over it."""
    if isinstance(told.exc_value, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
    else:
        sys.__unraisablehook__(told)


def attend(near: Connection) -> None:
    """Be a process that works for another: a Ctrl-C is the other's, and SIGTERM unwinds, so that nothing is left.

    `near` is the other side's end of the pipe, which this process would wait for when the other is gone.
    """
    near.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it reaches every process, and the first one answers for all
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = _once_more


def _work(rounds: Sequence[Round], near: Connection, pipe: Connection) -> None:
    attend(near)
    with suppress(KeyboardInterrupt, EOFError, OSError):
        while True:
            number, first = pipe.recv()
            try:
                for cell in rounds[number].play(first):
                    pipe.send([tuple(getattr(one, name) for name in ANSWERED) for one in cell])
            except Exception as error:  # noqa: BLE001 - it is raised again where the comparison is
                error.add_note(traceback.format_exc())
                pipe.send(error)
