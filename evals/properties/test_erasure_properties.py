"""After an erasure the memory answers as if the erased, and all that was derived from it, had never been told.

What was refused was not told either: it stays away, even if it was refused because of what was erased later.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import property_settings
from stories import Move, restated, stories, tell_story
from strategies import NOON, SOURCES, again, opened, sources

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld

QUESTIONS = ("what colour has the lamp", "lamp", "stove", "note on the lamp and the stove", "valve sticks")
chosen = st.sets(st.integers(0, 9), min_size=1, max_size=4)


@contextmanager
def in_folder() -> Iterator[MemoryMix]:
    with tempfile.TemporaryDirectory() as folder:
        mix = MemoryMix(Path(folder), ScriptedWorld(), lambda: NOON, sync="never")
        yield mix
        mix.close()


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
        "rivals": [[one.id for one in mix.facts.on_subject(fact)] for fact in facts],
        "pad": replace(mix.working),
        "quarantined": [record["id"] for record in mix.quarantined()],
    }


@property_settings
@given(stories, chosen)
def test_a_memory_answers_after_an_erasure_as_if_nothing_had_been_written(story: list[Move], some: set[int]) -> None:
    doomed = {place % len(story) for place in some}
    with in_folder() as erased, in_folder() as never:
        refused = tell_story(erased, story)
        erased.erase({f"id{place}" for place in doomed})
        tell_story(never, story, closure(story, doomed, refused))
        assert answers(erased) == answers(never)


@property_settings
@given(stories, chosen)
def test_no_file_contains_a_word_of_an_erased_statement_or_its_restatements(story: list[Move], some: set[int]) -> None:
    with in_folder() as mix:
        refused = tell_story(mix, story)
        mix.recall("the colour of the lamp")
        doomed = {place % len(story) for place in some}
        mix.erase({f"id{place}" for place in doomed})
        mix.recall("the colour of the lamp")
        mix.close()
        gone = closure(story, doomed, refused)
        left = b"".join(path.read_bytes() for path in mix.directory.rglob("*") if path.is_file())
        assert not [place for place in gone if b"word%d" % place in left or b"mended %d" % place in left]


WORDS = (
    "A lamp hums by door word0 in winter.",
    "Grandmother sold her lamp; word1 was painted on it.",
    "Oil for any lamp costs word2 crowns.",
    "word3 drew a lamp on the wall.",
    "Moths love this lamp, says word4.",
    "No lamp burns after word5.",
)
"""Statements about one word that do not contradict each other."""


@property_settings
@given(st.sets(st.integers(0, 5), min_size=1), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_no_verb_serves_an_erased_statement_or_its_derivations_after_any_restart(
    doomed: set[int], links: list[tuple[int, int]]
) -> None:
    parents = {child: {parent for one, parent in links if one == child and parent < child} for child in range(6)}
    gone = set(doomed)
    for child in range(6):
        gone |= {child} if parents[child] & gone else set()
    with opened() as mix:
        for n in range(6):
            origin = Provenance("user", id=f"id{n}", derived_from=tuple(f"id{one}" for one in sorted(parents[n])))
            if n % 2:
                mix.write_fact(f"lamp-{n}", "", WORDS[n], origin=origin)
            else:
                mix.log_episode("turn", WORDS[n], origin=origin)
        mix.erase({f"id{n}" for n in doomed})
        mix.close()
        later = again(mix)
        served = "\n".join(found.text for found in later.recall("lamp word", 20)) + later.assemble("lamp word", 4000)
        assert {n for n in range(6) if f"word{n}" in served} == set(range(6)) - gone
        later.close()


@property_settings
@given(author=sources, eraser=sources, what=st.sampled_from(["fact", "turn"]), quoting=st.booleans())
def test_the_user_may_erase_anything_and_a_source_what_it_wrote_itself(
    author: str, eraser: str, what: str, *, quoting: bool
) -> None:
    with opened() as mix:
        origin = Provenance(author, id="it")
        if what == "fact":
            mix.write_fact("lamp", "", "The lamp has word1.", origin=origin)
        else:
            mix.log_episode("turn", "The lamp has word1.", origin=origin)
        mix.log_episode("turn", "Rain at noon.", origin=Provenance("user", id="rain"))
        by = Provenance(eraser, derived_from=("rain",) if quoting else ())
        may = eraser == "user" or (author == eraser and not quoting)
        try:
            mix.erase({"it"}, by)
            assert may
        except Refused:
            assert not may
        assert bool([found for found in mix.recall("lamp") if "word1" in found.text]) != may


@property_settings
@given(
    st.sampled_from(["fact", "turn", "skill"]),
    sources,
    st.sampled_from(SOURCES),
    st.sampled_from([Provenance(id="it"), Provenance(derived_from=("it",)), Provenance(id="it", derived_from=("it",))]),
)
def test_an_erased_statement_cannot_be_written_or_restated_by_any_source(
    what: str, author: str, other: str, again: Provenance
) -> None:
    with opened() as mix:
        mix.log_episode("turn", "The lamp has word1.", origin=Provenance(author, id="it"))
        mix.erase({"it"})
        before = {path: path.read_bytes() for path in mix.directory.glob("*.jsonl")}
        with pytest.raises(Refused, match="it was erased"):
            restate(mix, what, replace(again, source=other))
        assert {path: path.read_bytes() for path in mix.directory.glob("*.jsonl")} == before
        assert not mix.recall("lamp word1")


def restate(mix: MemoryMix, what: str, origin: Provenance) -> None:
    if what == "fact":
        mix.write_fact("lamp", "", "The lamp has word1.", origin=origin)
    elif what == "turn":
        mix.log_episode("turn", "The lamp has word1.", origin=origin)
    else:
        mix.write_skill("lamp", "Light the lamp word1.", origin=origin)
