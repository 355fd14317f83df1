"""A clock that jumps back, stands still or was never set: the order is that of writing, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest

from memlab.memory import MemoryMix, ScriptedWorld

NOON = 1_767_614_400.0
CLOCKS: dict[str, Callable[[], Iterator[float]]] = {
    "jumps back by an hour": lambda: chain([NOON, NOON + 1, NOON + 2], repeat(NOON - 3600)),
    "jumps back to where it was": lambda: chain([NOON, NOON + 1, NOON + 2] * 20),
    "stands still": lambda: repeat(NOON),
    "runs backwards": lambda: (NOON - n for n in range(1000)),
    "was never set": lambda: repeat(1.0),
}


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[Iterator[float]], MemoryMix]:
    def build(ticks: Iterator[float]) -> MemoryMix:
        return MemoryMix(tmp_path, ScriptedWorld(), lambda: next(ticks))

    return build


@pytest.mark.parametrize("clock", CLOCKS)
def test_the_latest_fact_is_current_and_the_history_is_in_writing_order_with_any_clock(
    clock: str, opened: Callable[[Iterator[float]], MemoryMix]
) -> None:
    mix = opened(CLOCKS[clock]())
    colours = ["red", "blue", "green", "red", "blue", "red"]
    for colour in colours:
        mix.write_fact("lamp", "colour of the lamp", f"The lamp is {colour}.")
    for one in (mix, opened(CLOCKS[clock]())):
        history = one.facts.history("lamp")
        assert [fact.body for fact in history] == [f"The lamp is {colour}." for colour in colours]
        assert [bool(fact.superseded_by) for fact in history] == [True] * 5 + [False]
        assert [found.text for found in one.recall("which colour is the lamp")] == ["The lamp is red."]


@pytest.mark.parametrize("clock", CLOCKS)
def test_the_log_and_the_task_are_in_writing_order_with_any_clock(
    clock: str, opened: Callable[[Iterator[float]], MemoryMix]
) -> None:
    mix = opened(CLOCKS[clock]())
    mix.set_task("old", ["rest"])
    for n in (1, 2, 3, 2, 1):
        mix.log_episode("note", f"Note {n}.")
    mix.set_task("new", ["walk", "ring"])
    mix.check_off("walk")
    fresh = opened(CLOCKS[clock]())
    assert [one.detail for one in fresh.episodes.replay() if not one.step] == [f"Note {n}." for n in (1, 2, 3, 2, 1)]
    assert [one.detail for one in fresh.episodes.recent()][:2] == ["walk", "new"]
    assert (fresh.working.goal, fresh.working.todo) == ("new", ("ring",))
    assert "- (2026-01-05, user) Note 1." in fresh.assemble("note", 400) or clock == "was never set"


@pytest.mark.parametrize("clock", CLOCKS)
def test_erasing_one_memory_erases_no_other_of_the_same_time(
    clock: str, opened: Callable[[Iterator[float]], MemoryMix]
) -> None:
    mix = opened(CLOCKS[clock]())
    for n in range(4):
        mix.log_episode("note", f"Note {n} of the lamp.")
        mix.write_fact(f"fact-{n}", "", f"Fact {n} of the lamp.")
    first = next(iter(mix.episodes.replay()))
    mix.erase({first.id, mix.facts.history("fact-0")[0].id})
    assert [one.detail for one in mix.episodes.replay()] == [f"Note {n} of the lamp." for n in (1, 2, 3)]
    assert [fact.name for fact in mix.facts.as_of(float("inf"))] == ["fact-1", "fact-2", "fact-3"]
