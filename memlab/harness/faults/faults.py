"""The faults: what each does to a system, and how many acknowledged writes are lost or doubled after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from memlab.harness.faults.processes import ReportingProcess
from memlab.harness.faults.writes import READY, REFUSED, STORED, count, ends_by, write
from memlab.sandbox.folders import temporary_folder
from memlab.systems.entry import Entry

LIVES = 3
"""So many times the writer of one directory is killed."""
LONGEST_DELAY = 0.004
"""Seconds after which a writer is killed within a write, at most."""


class NotMeasurable(ValueError):
    """The system finds nothing of what was written without a fault, so that no loss can be seen."""


@dataclass
class Outcome:
    """What one fault did: numbers of writes, and the numbers of those that were lost or are there twice.

    `refused` are writes that raised an error; their first error is `error`. They are not judged.
    """

    fault: str
    acknowledged: int = 0
    refused: int = 0
    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    error: str = ""


@dataclass(frozen=True)
class Trials:
    """The trials of one system. `expected` is how often each write is found without a fault; 0: it is not judged."""

    system: Entry
    seed: int
    writes: int
    kills: int
    expected: dict[int, int]

    def run(self) -> Iterator[Outcome]:
        """Yield the outcome of each fault."""
        faults: dict[str, tuple[int, Callable[[Outcome, Path, Random], list[int]]]] = {
            "restart": (1, self._restart),
            "kill -9 between writes": (self.kills, partial(self._kills, within=False)),
            "kill -9 within a write": (self.kills, partial(self._kills, within=True)),
            "file size limit": (1, self._full_disk),
            "two writers": (1, self._two_writers),
            "torn file": (1, self._torn_file),
        }
        for name, (times, fault) in faults.items():
            outcome = Outcome(name)
            for trial in range(times):
                with temporary_folder() as folder:
                    chance = Random(f"{self.seed} {name} {trial}")  # noqa: S311 - the same in every run
                    acknowledged = fault(outcome, Path(folder), chance)
                    self._judge(outcome, Path(folder), acknowledged)
            yield outcome

    def _judge(self, outcome: Outcome, place: Path, acknowledged: Sequence[int]) -> None:
        found, error = count(self.system, place, acknowledged, self.seed)
        outcome.error = error or outcome.error
        outcome.acknowledged += len(acknowledged)
        for number in acknowledged:
            expected = self.expected.get(number, 0)
            if expected and not found.get(number):
                outcome.lost.append(number)
            elif expected and found[number] > expected:
                outcome.doubled.append(number)

    def _restart(self, outcome: Outcome, place: Path, _: Random) -> list[int]:
        return self._write(outcome, place, range(self.writes))

    def _kills(self, outcome: Outcome, place: Path, chance: Random, *, within: bool) -> list[int]:
        """Kill the writer of one directory several times, after a number of writes that is up to chance."""
        acknowledged, number = list[int](), 0
        for _ in range(LIVES):
            numbers = range(number, number + chance.randint(1, self.writes // LIVES))
            number = numbers.stop + within
            process = write(self.system, place, range(numbers.start, number), self.seed, unreported=int(within))
            delay = chance.uniform(0, LONGEST_DELAY) if within else 0.0
            _start(outcome, process)
            acknowledged += self._read(outcome, process, numbers, delay)
        return acknowledged

    def _full_disk(self, outcome: Outcome, place: Path, _: Random) -> list[int]:
        """Write before, during and after a time in which no file can grow beyond the largest."""
        third = self.writes // 3
        before, during, after = range(third), range(third, 4 * third), range(4 * third, 5 * third)
        acknowledged = self._write(outcome, place, before)
        largest = max((path.stat().st_size for path in _files(place)), default=0)
        return acknowledged + self._write(outcome, place, during, largest + 1) + self._write(outcome, place, after)

    def _two_writers(self, outcome: Outcome, place: Path, _: Random) -> list[int]:
        halves = range(self.writes), range(self.writes, 2 * self.writes)
        processes = [write(self.system, place, numbers, self.seed) for numbers in halves]
        _start(outcome, *processes)
        read = [self._read(outcome, process, half) for process, half in zip(processes, halves, strict=True)]
        return [number for numbers in read for number in numbers]

    def _torn_file(self, outcome: Outcome, place: Path, _: Random) -> list[int]:
        """Leave half of the last write on the disk, as a loss of power does. The last write is not acknowledged."""
        acknowledged = self._write(outcome, place, range(self.writes))
        before = {path: (path.stat().st_ino, path.read_bytes()) for path in _files(place)}
        self._write(Outcome(""), place, [self.writes])
        for path in _files(place):
            _tear(path, *before.get(path, (0, b"")))
        return acknowledged

    def _write(self, outcome: Outcome, place: Path, numbers: Sequence[int], largest_file: int = 0) -> list[int]:
        process = write(self.system, place, numbers, self.seed, largest_file=largest_file)
        _start(outcome, process)
        return self._read(outcome, process, numbers)

    def _read(
        self, outcome: Outcome, process: ReportingProcess, numbers: Sequence[int], delay: float = 0.0
    ) -> list[int]:
        """Return the writes that a process acknowledged, after killing it."""
        lines = process.read(len(numbers))
        process.end(ends_by(self.system), delay)
        refused = [line for line in lines if line != STORED] + ["the process ended"] * (len(numbers) - len(lines))
        outcome.refused += len(refused)
        outcome.error = outcome.error or next(iter(refused), "").removeprefix(f"{REFUSED}: ")
        return [number for number, line in zip(numbers, lines, strict=False) if line == STORED]


def run_faults(system: Entry, seed: int, writes: int, kills: int) -> Iterator[Outcome]:
    """Yield the outcome of each fault on a system. Raises NotMeasurable.

    `writes` is the number of writes of each trial, `kills` the number of directories whose writer is killed, three
    times each. What is chosen depends on the seed only.
    """
    numbers = range(2 * writes)
    with temporary_folder() as folder:
        expected, error = count(system, Path(folder), numbers, seed, first=numbers)
    if not any(expected.values()):
        raise NotMeasurable(
            f"{system.name} finds none of {len(numbers)} events after they were stored, in the same process and "
            f"without a fault. {error} `memlab run recall/first-week {system.name}` shows what it answers."
        )
    yield Outcome("none, same process", sum(map(bool, expected.values())))
    yield from Trials(system, seed, writes, kills, expected).run()


def _start(outcome: Outcome, *processes: ReportingProcess) -> None:
    """Let processes write, after all of them have opened the system."""
    for line in [line for process in processes for line in process.read(1)]:
        outcome.error = outcome.error or line.removeprefix(READY).removeprefix(f"{REFUSED}: ")
    for process in processes:
        process.start()


def _files(place: Path) -> list[Path]:
    return sorted(path for path in (place / "home").rglob("*") if path.is_file() and not path.is_symlink())


def _tear(path: Path, inode: int, old: bytes) -> None:
    """Cut the last write to a file in half: what it appended, or the new content of a text written from the start.

    A new file that replaced the old one by renaming is whole, and so is a database, which writes its pages twice.
    """
    new = path.read_bytes()
    if path.stat().st_ino != inode or new == old:
        return
    if new.startswith(old):
        path.write_bytes(new[: (len(old) + len(new)) // 2])
    elif b"\0" not in new:
        path.write_bytes(new[: len(new) // 2])
