"""After an erasure the memory answers as if the erased, and all that was derived from it, had never been told.

What was refused was not told either: it stays away, even if it was refused because of what was erased later.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld
from memlab.memory.fact_files import FactFiles
from memlab.memory.fact_table import FactTable

PROFILE = settings(max_examples=80, derandomize=True, deadline=None)
NOON = 1_767_600_000.0
QUESTIONS = ("what colour has the lamp", "lamp", "stove", "note on the lamp and the stove", "valve sticks")


@dataclass(frozen=True)
class Move:
    """One thing told: what, about which subject, by whom, and how many moves before stands what it restates."""

    what: str
    name: str
    about: str
    source: str
    back: int


moves = st.lists(
    st.builds(
        Move,
        st.sampled_from(["fact", "turn", "recurring", "skill", "task", "done", "end"]),
        st.sampled_from(["lamp", "stove"]),
        st.sampled_from(["", "", "light"]),
        st.sampled_from(["user", "user", "agent", "web"]),
        st.sampled_from([0, 0, 0, 1, 2]),
    ),
    max_size=10,
)


@contextmanager
def opened(kind: str) -> Iterator[MemoryMix]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        facts = FactTable(place / "facts.db") if kind == "table" else FactFiles(place)
        mix = MemoryMix(place, ScriptedWorld(), lambda: NOON, facts=facts, sync="never")
        yield mix
        mix.close()


def told(mix: MemoryMix, story: Sequence[Move], left_out: Collection[int] = ()) -> set[int]:
    """Tell a story; give the places of what was refused and not even held."""
    refused = set[int]()
    for place, move in enumerate(story):
        parents = tuple(f"id{parent}" for parent in restated(story, place))
        origin = Provenance(move.source, f"s{place}", NOON + place, f"id{place}", parents)
        try:
            if place not in left_out:
                tell(mix, move, place, origin)
        except Refused:
            refused.add(place)
    held = {record["id"] for record in mix.quarantined()}
    return {place for place in refused if f"id{place}" not in held}


def restated(story: Sequence[Move], place: int) -> list[int]:
    """Give the place of what a move restates; a checked-off to-do says nothing that could be restated."""
    parent = place - story[place].back
    return [parent] if 0 <= parent < place and story[parent].what != "done" else []


def tell(mix: MemoryMix, move: Move, place: int, origin: Provenance) -> None:
    text = f"The {move.name} has the colour word{place}."
    if move.what == "fact":
        mix.write_fact(move.name, text, "note", about=move.about, origin=origin)
    elif move.what == "turn":
        mix.log_episode("turn", text, move.about, origin)
    elif move.what == "recurring":
        mix.log_episode("note", f"The valve of the {move.name} sticks.", origin=origin)
    elif move.what == "skill":
        mix.write_skill(f"{move.name}-{place}", f"Light the {move.name} word{place}.", origin=origin)
    elif move.what == "task":
        mix.set_task(f"mend the {move.name} {place}", ["open it", "close it"], origin)
    elif move.what == "done":
        mix.check_off("open it", origin)
    else:
        mix.end_task(f"The {move.name} is mended {place}.", origin)


def closure(story: Sequence[Move], doomed: Collection[int], refused: Collection[int]) -> set[int]:
    """Give the places of the doomed and of all that restates them; what was only refused passes nothing on."""
    gone, silent = set(doomed), set(refused) - set(doomed)
    for place in range(len(story)):
        gone |= {place} if (gone - silent).intersection(restated(story, place)) else set()
    return gone | set(refused)


def answers(mix: MemoryMix) -> dict[str, object]:
    mix.compact()
    facts = [fact for name in ("lamp", "stove") for fact in mix.facts.history(name)]
    return {
        "recalled": [mix.recall(question, 20) for question in QUESTIONS],
        "assembled": mix.assemble("mend the lamp and the stove", 4000),
        "history": facts,
        "as of": [{fact.id for fact in mix.facts.as_of(NOON + time)} for time in (2.5, 5.5, 99)],
        "rivals": [[one.id for one in mix.facts.rivals(fact)] for fact in facts],
        "pad": replace(mix.working),
        "quarantined": [record["id"] for record in mix.quarantined()],
    }


@pytest.mark.parametrize("kind", ["table", "files"])
@PROFILE
@given(moves, st.sets(st.integers(0, 9), min_size=1, max_size=4))
def test_told_and_erased_answers_as_never_told(kind: str, story: list[Move], chosen: set[int]) -> None:
    doomed = {place for place in chosen if place < len(story)}
    with opened(kind) as erased, opened(kind) as never:
        refused = told(erased, story)
        erased.erase({f"id{place}" for place in doomed})
        told(never, story, closure(story, doomed, refused))
        assert answers(erased) == answers(never)
        if kind == "files":
            assert index(erased) == index(never)


def index(mix: MemoryMix) -> list[str]:
    path = mix.directory / "MEMORY.md"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
