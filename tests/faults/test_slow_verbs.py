"""A slow verb that rewrites much may be killed at any moment: it happened completely or not at all."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from random import Random

import pytest

from memlab.memory import MemoryMix, Provenance

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]], float], list[int]]
Shown = Callable[[MemoryMix, Iterable[str], Iterable[str]], dict[str, object]]

KILLS = int(os.environ.get("KILLS", "20")) // 10
EPISODES, FACTS = 60 + 6 * KILLS, 40
ERASED = "Quuxblat"
IDS = ("id-7", "id-8", "fact-7", "fact-8")
PAD = "and so on " * 20


def write_life(mix: MemoryMix) -> None:
    for n in range(EPISODES):
        detail = f"{ERASED if n % 20 == 7 else 'Note'} {n}. {PAD}"
        mix.log_episode("note", detail, origin=Provenance("user", f"s{n}", 1_767_600_000.0 + n, f"id-{n}"))
    for n in range(FACTS):
        origin = Provenance("agent", f"s{n}", 1_767_700_000.0 + n, f"fact-{n}", (f"id-{n}",))
        mix.write_fact(f"fact-{n}", "", f"{ERASED if n == 7 else 'Fact'} {n}. {PAD}", origin=origin)
    mix.set_task("find the note", ["look"], Provenance("user", "", 1_767_800_000.0, "task"))


def erase(mix: MemoryMix) -> None:
    mix.erase({f"id-{n}" for n in range(7, EPISODES, 20)})


def catch_up(mix: MemoryMix) -> None:
    """Rebuild a deleted index from the log."""
    for path in mix.directory.glob("episodes.index*"):
        path.unlink()
    mix.recall("note 5")


def compact(mix: MemoryMix) -> None:
    mix.compact()


@pytest.mark.parametrize("verb", [erase, catch_up, compact])
def test_a_slow_verb_killed_at_any_moment_happened_completely_or_not_at_all(
    verb: Callable[[MemoryMix], None], build: Build, run: Run, shown: Shown, tmp_path: Path
) -> None:
    def observe(directory: Path) -> dict[str, object]:
        mix = build(directory)
        found = shown(mix, IDS, ("note 5", f"note {EPISODES - 1}", ERASED))
        mix.close()
        return found

    def run_for(directory: Path, seconds: float) -> float:
        start = time.perf_counter()
        run([lambda: verb(build(directory))], seconds)
        return time.perf_counter() - start

    chance, ended = Random(verb.__name__), 0  # noqa: S311 - chance has a seed
    run([lambda: write_life(build(tmp_path / "before"))], inf)
    before = observe(tmp_path / "before")
    seconds = run_for(shutil.copytree(tmp_path / "before", tmp_path / "done"), inf)
    done = observe(tmp_path / "done")
    for kill in range(KILLS):
        directory = shutil.copytree(tmp_path / "before", tmp_path / f"killed-{kill}")
        run_for(directory, chance.uniform(0, seconds))
        if verb is compact:  # a second run continues it
            run_for(directory, inf)
        found = observe(directory)
        assert found in (before, done), [key for key in found if found[key] not in (before[key], done[key])]
        ended += found == done
        if verb is erase and found == done:
            assert not [path for path in directory.rglob("*") if path.is_file() and b"uxblat" in path.read_bytes()]
        shutil.rmtree(directory)
    print(f"\n{verb.__name__}: {KILLS} kills within {seconds:.2f} s, {ended} of them after it was decided", end="")  # noqa: T201 - the output of `make faults`
