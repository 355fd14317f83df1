"""Another process rewrites the log at the worst moment: between a query of the index and the reading of its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from threading import Thread

import pytest

from memlab.memory import MemoryMix, Provenance, ScriptedWorld
from memlab.memory.retrieval.relevance import stems
from memlab.memory.storage.journal import Journal

NOON = 1_767_614_400.0
Race = Callable[[Callable[[MemoryMix], object]], None]


def by(identity: str, session: str = "") -> Provenance:
    return Provenance("user", session, NOON, identity)


def opened(directory: Path) -> MemoryMix:
    return MemoryMix(directory, ScriptedWorld(), lambda: NOON, keep=0)


@pytest.fixture
def mix(tmp_path: Path) -> Iterator[MemoryMix]:
    with opened(tmp_path / "mix") as made:
        for n in range(20):
            made.log_episode("note", f"Note {n} of the valve.", origin=by(f"id{n}", f"s{n}"))
        for session in ("one", "two"):
            made.log_episode("note", "The bell is loud.", origin=by(f"bell-{session}", session))
        made.set_task("mend the bell", ["climb", "oil"], by("task"))
        made.note("The rope is frayed.", "rope", by("rope"))
        made.recall("valve")
        yield made


@pytest.fixture(params=range(3))
def race(mix: MemoryMix, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Race]:
    """Let another memory of the folder do something when places in the log are read for the n-th time.

    It is done before they are read, or, where a lock makes it wait, at the end.
    """
    started, readings = list[Thread](), count()

    def begin(rival: Callable[[MemoryMix], object]) -> None:
        at = Journal.at

        def interrupted(log: Journal, places: Sequence[tuple[int, int, int]]) -> Iterator[object]:
            if places and next(readings) == request.param:
                started.append(Thread(target=partial(act_elsewhere, mix.directory, rival)))
                started[0].start()
                started[0].join(0.5)
            return at(log, places)

        monkeypatch.setattr(Journal, "at", interrupted)

    yield begin
    for one in started:
        one.join()


def act_elsewhere(directory: Path, rival: Callable[[MemoryMix], object]) -> None:
    with opened(directory) as other:
        rival(other)


RIVALS: dict[str, Callable[[MemoryMix], object]] = {
    "erases": lambda other: other.erase({"id3"}),
    "compacts": lambda other: other.compact(),
}
both = pytest.mark.parametrize("rival", RIVALS)


@both
def test_a_search_finds_all_records_while_another_process(rival: str, mix: MemoryMix, race: Race) -> None:
    race(RIVALS[rival])
    found = {one.id for one, _ in mix.episodes.search(stems("the loud bell"), 5)}
    assert found & {"bell-one", "bell-two"}


@both
def test_a_prompt_shows_goal_and_note_while_another_process(rival: str, mix: MemoryMix, race: Race) -> None:
    with opened(mix.directory) as fresh:
        fresh.episodes.get("id0")  # the index is open
        race(RIVALS[rival])
        prompt = fresh.assemble("ring", 2000)
    assert all(part in prompt for part in ("goal: mend the bell", "- climb", "noted: The rope is frayed."))


@both
def test_the_end_of_a_task_keeps_its_named_notes_while_another_process(rival: str, mix: MemoryMix, race: Race) -> None:
    with opened(mix.directory) as fresh:
        fresh.episodes.get("id0")  # the index is open
        race(RIVALS[rival])
        fresh.end_task("done")
    assert "The rope is frayed." in {fact.body for fact in mix.facts.as_of(1e12)}


@both
def test_promotion_finds_what_recurs_while_another_process(rival: str, mix: MemoryMix, race: Race) -> None:
    race(RIVALS[rival])
    mix.promote()
    assert "The bell is loud." in {fact.body for fact in mix.facts.as_of(1e12)}


@both
def test_an_episode_is_found_by_its_id_while_another_process(rival: str, mix: MemoryMix, race: Race) -> None:
    race(RIVALS[rival])
    found = mix.episodes.get("bell-one")
    assert found is not None
    assert found.detail == "The bell is loud."
