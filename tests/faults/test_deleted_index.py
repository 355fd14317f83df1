"""Processes that delete the disposable files of one memory while others open and read them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

from memlab.memory import MemoryMix

SECONDS = float(os.environ.get("SECONDS_BESIDE", "3"))


def test_processes_that_delete_the_index_of_the_log_beside_each_other_find_what_is_in_the_log(
    build: Callable[[Path], MemoryMix], run: Callable[[Sequence[Callable[[], None]]], list[int]], tmp_path: Path
) -> None:
    mix = build(tmp_path)
    mix.log_episode("note", "The bell is loud.")
    mix.close()
    until = time.time() + SECONDS

    def read(chance: Random) -> None:
        while time.time() < until:
            mix = build(tmp_path)
            if chance.random() < 0.3:
                mix.episodes._index.delete()  # noqa: SLF001 - as one that finds it damaged does
            for _ in range(3):
                assert [one.text for one in mix.recall("which bell is loud", 5)] == ["The bell is loud."]
            mix.close()

    assert run([partial(read, Random(seed)) for seed in range(4)]) == [0] * 4  # noqa: S311 - chance has a seed
