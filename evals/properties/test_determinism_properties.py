"""Same in, same out: the same story twice writes the same bytes; and it does not matter how many hands write it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from profiles import property_settings
from stories import Move, stories, tell
from strategies import minutes

from memlab.memory import MemoryMix, Refused, ScriptedWorld

QUESTIONS = ("what colour has the lamp", "the valve of the stove", "light the lamp")


def opened(place: Path) -> MemoryMix:
    return MemoryMix(place, ScriptedWorld(), minutes(), sync="never")


def heard(mix: MemoryMix, story: list[Move], place: int) -> bool:
    try:
        tell(mix, story, place)
    except Refused:
        return False
    return True


def answers(mix: MemoryMix) -> list[object]:
    served = [(mix.recall(question, 9), mix.assemble(question, 300)) for question in QUESTIONS]
    return [*served, mix.working, mix.quarantined(), list(mix.episodes.replay()), mix.facts.as_of(1e12)]


def files(place: Path) -> dict[str, bytes]:
    """Give the bytes of every file but the index of the log, which notes the inode of the file that it has read."""
    found = [path for path in place.rglob("*") if path.is_file() and not path.name.startswith("episodes.index")]
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


@property_settings
@given(stories, st.sets(st.integers(0, 9), max_size=2))
def test_the_same_events_in_two_folders_give_the_same_bytes_and_answers(story: list[Move], erased: set[int]) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        written = list[dict[str, bytes]]()
        answered = list[list[object]]()
        for folder in (one, other):
            mix = opened(Path(folder))
            for place in range(len(story)):
                heard(mix, story, place)
            mix.erase({f"id{place}" for place in erased})
            answered.append(answers(mix))
            mix.close()
            written.append(files(Path(folder)))
        assert answered[0] == answered[1]
        assert written[0] == written[1]


@property_settings
@given(stories, st.lists(st.integers(0, 2), min_size=10, max_size=10))
def test_several_writers_in_turn_give_the_same_memory_as_one_writer(story: list[Move], turns: list[int]) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        alone = opened(Path(one))
        several = [opened(Path(other)) for _ in range(3)]
        for place, turn in zip(range(len(story)), turns, strict=False):
            assert heard(several[turn], story, place) == heard(alone, story, place)
            assert all(mix.working == alone.working for mix in several)
            assert all(mix.recall("the lamp", 9) == alone.recall("the lamp", 9) for mix in several)
        assert all(answers(mix) == answers(alone) for mix in several)
        for mix in [alone, *several]:
            mix.close()
        assert files(Path(one)) == files(Path(other))
