"""Measures what a cell of a run costs here: time to play it, bytes to send and to store it, memory to report on it."""

from __future__ import annotations

import pickle
import resource
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

from memlab.harness.running.batches import batches, packed
from memlab.harness.running.results import ResultsWriter, read_results
from memlab.harness.running.saved_run import play_to_file
from memlab.harness.running.workers import Playable, without_keys
from memlab.terms import Result

T = TypeVar("T")


class Costs(NamedTuple):
    """Totals of `cells` cells, in seconds and bytes.

    `wall` is the time to play them. The other times are processor time: to play, to `receive` the cells that workers
    played and write them, to compare answer keys for --resume, to read results.jsonl and to score it. `sent` and
    `returned` is what an executor transfers, `stored` the size of results.jsonl, `memory` what its results occupy.
    """

    cells: int
    wall: float
    play: float
    receive: float
    check: float
    read: float
    score: float
    sent: int
    returned: int
    stored: int
    memory: int


def measure_costs(rounds: Sequence[Playable], score: Callable[[list[Result]], object]) -> Costs:
    """Play rounds in this process and score the results; return what that costs."""
    for first in rounds[:1]:
        first.answer_keys()  # what a process loads once
    with TemporaryDirectory(prefix="memlab-costs-") as folder:
        path = Path(folder, "results.jsonl")
        begin = time.perf_counter()
        cells, playing = _timed(lambda: list(play_to_file(rounds, 1, path, {})))
        wall = time.perf_counter() - begin
        keys, check = _timed(lambda: [one.answer_keys() for one in rounds])
        results, read = _timed(lambda: read_results(path))
        _, scoring = _timed(lambda: score(results))
        sent_back = [pickle.dumps(one) for one in (*keys, *map(without_keys, cells))]
        _, receive = _timed(lambda: _receive(sent_back, results, path.with_name("received.jsonl")))
        return Costs(
            len(cells),
            *(wall, playing, receive, check, read, scoring),
            sent=sum(len(packed(batch)) for batch in batches(rounds)),
            returned=sum(map(len, sent_back)),
            stored=path.stat().st_size,
            memory=_memory(path),
        )


def _receive(sent_back: Iterable[bytes], results: Iterable[Result], path: Path) -> None:
    for one in sent_back:
        pickle.loads(one)  # noqa: S301 - made here
    with path.open("w", encoding="utf-8") as stream:
        journal = ResultsWriter(stream)
        for result in results:
            journal.write(result)


def _memory(path: Path) -> int:
    """Return the bytes that the results of a file occupy."""
    tracemalloc.start()
    try:
        results = read_results(path)
        return tracemalloc.get_traced_memory()[0] if results else 0
    finally:
        tracemalloc.stop()


def _timed(act: Callable[[], T]) -> tuple[T, float]:
    """Return what a function returns, and the processor time that it took."""
    begin = _processor_time()
    return act(), _processor_time() - begin


def _processor_time() -> float:
    """Return the processor time of this process and of its children that have ended, in seconds."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)
