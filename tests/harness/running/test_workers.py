from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from threading import main_thread
from typing import Any

import pytest
from child_systems import is_running, unique_seconds

from memlab.harness.comparison import Comparison
from memlab.harness.running.results import read_results
from memlab.harness.running.saved_run import PREVIOUS
from memlab.harness.running.workers import Cell, PlayedRound, Round, run
from memlab.harness.scenarios.conditions import AS_WRITTEN
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import Template, load
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.child.confinement import Confinement
from memlab.systems.registry import entry
from memlab.terms import Key

Write = Callable[[str], Path]
TIMELINE = """\
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - probe: {id: what, recall: what is the first thing, k: 2, expect: [one]}
"""
KILLS = """
import os, signal
class Mine:
    def observe(self, event):
        server = open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()
        os.kill(int(server[1]), signal.SIGKILL)
    def recall(self, query, k=5):
        return ["red"]
"""
SLEEPS = """
import time
class Mine:
    def observe(self, event):
        time.sleep(60)
    def recall(self, query, k=5):
        return []
"""


@pytest.fixture
def template(write: Write) -> Template:
    return load(write(TIMELINE))


def mine(tmp_path: Path, source: str) -> str:
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    return f"{path}:Mine"


def test_a_process_that_is_killed_costs_one_cell_which_is_an_error_and_never_a_pass(
    template: Template, tmp_path: Path
) -> None:
    name = mine(tmp_path, KILLS)
    seen = Confinement("rlimits")  # every better level hides our processes
    systems = ("bucket-recent", name, "oracle")
    rounds = [Round(template, seed, systems, conditions=AS_WRITTEN, confinement=seen) for seed in range(3)]
    cells = list(run(rounds, 2, lambda _: None))
    assert [one.system for cell in cells for one in cell] == ["bucket-recent", name, "oracle"] * 3
    lost = [one for cell in cells for one in cell if one.system == name]
    assert all("was ended (signal SIGKILL)" in one.error for one in lost)
    assert [METRICS["passes"](one) for cell in cells for one in cell] == [1, 0, 1] * 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_finished_cells_are_kept_once_and_in_order_when_a_run_is_closed(template: Template, jobs: int) -> None:
    kept: list[Cell] = []
    rounds = [Round(template, seed, ("null", "echo")) for seed in range(20)]
    with closing(run(rounds, jobs, kept.append)) as cells:
        for _ in range(3):
            next(cells)
        time.sleep(0.2)
    finished_order = [(one.key.seed, one.system) for cell in kept for one in cell]
    everything = [(seed, name) for seed in range(20) for name in ("null", "echo")]
    assert finished_order[:3] == everything[:3]
    assert sorted(finished_order, key=everything.index) == finished_order
    assert len(set(finished_order)) == len(finished_order)


def test_cells_that_wait_for_their_turn_are_kept_too(
    template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Cell] = []
    first = Round(template, 0, (mine(tmp_path, SLEEPS),), limit=60)
    finished = count()
    take = PlayedRound._take  # noqa: SLF001 - where a cell arrives, in a thread

    def interrupt_after_the_third(self: PlayedRound, answers: Any) -> None:  # noqa: ANN401 - as it came
        take(self, answers)
        if next(finished) == 2:
            signal.pthread_kill(main_thread().ident or 0, signal.SIGALRM)

    monkeypatch.setattr(PlayedRound, "_take", interrupt_after_the_third)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    cells = run([first, *(Round(template, seed, ("null",)) for seed in range(1, 4))], 2, kept.append)
    with closing(cells), pytest.raises(KeyboardInterrupt):
        next(cells)
    signal.signal(signal.SIGALRM, before)
    assert [one.key.seed for cell in kept for one in cell] == [1, 2, 3]


@dataclass(frozen=True)
class LoadsOnce(Round):
    """A round whose results say in which process the background was loaded."""

    def play(self, first: int = 0) -> Iterator[Cell]:
        for cell in super().play(first):
            yield [replace(one, items=(str(loading_process()),)) for one in cell]

    def answer_keys(self) -> list[Key]:
        loading_process()
        return super().answer_keys()


@cache
def loading_process() -> int:
    return os.getpid()


def test_what_every_process_needs_is_loaded_once_before_they_are_forked(template: Template) -> None:
    loading_process.cache_clear()
    rounds = [LoadsOnce(template, seed, ("null",), conditions=AS_WRITTEN) for seed in range(4)]
    assert {one.items for cell in run(rounds, 2, lambda _: None) for one in cell} == {(str(os.getpid()),)}


def test_no_process_is_left_when_a_run_is_closed(template: Template, tmp_path: Path) -> None:
    seconds = unique_seconds()
    start = f"__import__('subprocess').Popen(['sleep', '{seconds}'], start_new_session=True)"
    rounds = [Round(template, seed, (mine(tmp_path, SLEEPS.replace("time.sleep(60)", start)),)) for seed in range(9)]
    with closing(run(rounds, 2, lambda _: None)) as cells:
        (result,) = next(cells)
    assert not result.error
    assert not is_running(f"sleep {seconds}")


def test_an_error_in_a_worker_process_is_raised_in_the_parent_process(write: Write) -> None:
    template = load(write("vary: {a: [in, ..]}\nworld: {files: {'{a}/x': y}}\n" + TIMELINE))
    with pytest.raises(BadScenario, match=r"'\.\./x' is no path below the world's root"):
        list(run([Round(template, seed, ("null",)) for seed in range(9)], 2, lambda _: None))


def test_an_earlier_run_in_the_folder_is_not_lost(template: Template, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for name in ("echo", "null"):
        list(Comparison([template], [entry(name)], seeds=2).play(path))
    assert {one.system for one in read_results(path)} == {"null"}
    assert {one.system for one in read_results(tmp_path / PREVIOUS)} == {"echo"}
