"""Plays rounds and writes every finished cell to a results file."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

from memlab.harness.running.results import ResultsWriter
from memlab.harness.running.workers import Playable, run
from memlab.terms import Result

PREVIOUS = "previous.jsonl"


def play_to_file(rounds: Sequence[Playable], jobs: int, path: Path) -> Generator[list[Result], None, None]:
    """Play every round, and yield the results of each cell when they are in the file at `path`.

    Finished cells are in the file even if the generator is closed early. The file of an earlier run is renamed to
    `previous.jsonl`.
    """
    if path.exists():
        path.replace(path.with_name(PREVIOUS))
    with path.open("w", encoding="utf-8") as stream:
        journal = ResultsWriter(stream)

        def keep(cell: list[Result]) -> None:
            for result in cell:
                journal.write(result)

        with closing(run(rounds, jobs, keep)) as cells:
            yield from cells
