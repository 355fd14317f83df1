"""Plays rounds and writes every finished cell to a results file."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from pathlib import Path

from memlab.harness.running.batches import run_on
from memlab.harness.running.results import BadResults, ResultsWriter
from memlab.harness.running.resume import (
    Cells,
    Options,
    finished_cells,
    missing_rounds,
    refuse_other_options,
    write_options,
)
from memlab.harness.running.workers import Cell, Playable, run

PREVIOUS = "previous.jsonl"
Engine = int | Executor
"""What plays the rounds: a number of processes of this machine, or an executor."""


def play_to_file(
    rounds: Sequence[Playable], engine: Engine, path: Path, options: Options, *, resume: bool = False
) -> Generator[Cell, None, None]:
    """Play every round, and yield the results of each cell when they are in the file at `path`.

    Finished cells are in the file even if the generator is closed early. `options` are recorded beside it. With
    `resume`, the finished cells in the file are kept and yielded, and the others are played; at the end the file is
    that of a run without interruption. Without, the file of an earlier run is renamed to `previous.jsonl`.

    Raises BadResults if the file does not belong to this run, or if another run is writing to the folder.
    """
    with _locked(path.parent):
        yield from _play(rounds, engine, path, options, resume=resume)


def _play(
    rounds: Sequence[Playable], engine: Engine, path: Path, options: Options, *, resume: bool
) -> Generator[Cell, None, None]:
    cells: Cells = [[None] * len(one.systems) for one in rounds]
    is_resumed = resume and path.exists()
    if is_resumed:
        refuse_other_options(options, path.parent)
        cells = finished_cells(rounds, path)
    elif path.exists():
        path.replace(path.with_name(PREVIOUS))
    write_options(options, path.parent)
    new = path.with_name(f".{path.name}.new")
    with new.open("w", encoding="utf-8") as stream:
        journal = ResultsWriter(stream)
        _write(journal, cells)
        new.replace(path)  # the stream writes to the same file under its new name
        with closing(_run(missing_rounds(rounds, cells), engine, lambda cell: _write(journal, [[cell]]))) as played:
            for finished in cells:
                for number, cell in enumerate(finished):
                    finished[number] = found = next(played) if cell is None else cell
                    yield found
    if is_resumed:
        with new.open("w", encoding="utf-8") as stream:
            _write(ResultsWriter(stream), cells)
        new.replace(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder: two that resume the same one would each lose the cells of the other."""
    with (folder / ".lock").open("a", encoding="utf-8") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise BadResults(
                f"{folder}: another run is writing to it. Wait until it ends, or choose another --out."
            ) from None
        except OSError:
            pass  # this file system has no locks
        yield


def _run(rounds: Sequence[Playable], engine: Engine, keep: Callable[[Cell], None]) -> Generator[Cell, None, None]:
    return run_on(engine, rounds, keep) if isinstance(engine, Executor) else run(rounds, engine, keep)


def _write(journal: ResultsWriter, cells: Iterable[Iterable[Cell | None]]) -> None:
    for results in (cell for finished in cells for cell in finished if cell is not None):
        for result in results:
            journal.write(result)
