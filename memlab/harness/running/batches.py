"""Plays rounds on any `concurrent.futures.Executor`, in batches of cells: threads, processes or a cluster.

A batch contains the names of systems and the scenarios, and the versions that they must have where it is played.
"""

from __future__ import annotations

import pickle
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from itertools import islice
from pathlib import Path

from memlab.harness.running.batch_process import EngineFailed, PlayedBatch, play_batch
from memlab.harness.running.workers import Cell, Playable, postpone_interrupts
from memlab.systems.versions import memlab_version, system_version
from memlab.terms import Result

__all__ = ["AHEAD", "LEAST", "EngineFailed", "run_on"]
LEAST = 25
"""Cells of a batch, at the least: sending one takes as long as playing a quick cell."""
AHEAD = 1000
"""Batches that are submitted and not yet written: enough for hundreds of workers, and few enough for the memory."""
Batch = list[Playable]


def run_on(executor: Executor, rounds: Sequence[Playable], keep: Callable[[Cell], None]) -> Generator[Cell, None, None]:
    """Play rounds on an executor; call `keep` with each cell and yield it, in order.

    Every batch that has finished is kept, even if this generator is closed early; the others are cancelled. Raises
    EngineFailed if a worker has another version of memlab or of a system.
    """
    names = dict.fromkeys(name for one in rounds for name in one.systems)
    versions = {"memlab": memlab_version()} | {name: found for name in names if (found := system_version(name))}
    folder, planned = str(Path.cwd()), batches(rounds)
    running: deque[tuple[Batch, Future[PlayedBatch]]] = deque()
    try:
        while True:
            for batch in islice(planned, AHEAD - len(running)):
                running.append((batch, executor.submit(play_batch, versions, folder, packed(batch))))
            if not running:
                return
            running[0][1].exception()  # waits
            with postpone_interrupts():
                cells = list(_cells(*running[0]))
                for cell in cells:
                    keep(cell)
                running.popleft()
            yield from cells
    finally:
        for batch, future in running:
            if not future.cancel() and future.done() and not future.exception():
                for cell in _cells(batch, future):
                    keep(cell)


def batches(rounds: Iterable[Playable]) -> Iterator[Batch]:
    """Divide rounds into batches of LEAST cells or a little more; only the last one may be smaller."""
    batch: Batch = []
    for one in rounds:
        batch.append(one)
        if sum(len(some.systems) for some in batch) >= LEAST:
            yield batch
            batch = []
    if batch:
        yield batch


def packed(batch: Batch) -> bytes:
    """Return a batch as it is sent to a worker."""
    return zlib.compress(pickle.dumps(batch), 1)


def _cells(batch: Batch, future: Future[PlayedBatch]) -> Iterator[Cell]:
    for _, (keys, answers) in zip(batch, future.result(), strict=True):
        for cell in answers:
            yield [Result(key, *rest) for key, rest in zip(keys, cell, strict=True)]
