"""The naive design of the lesson (document 001): transcript-rag."""

from __future__ import annotations

from collections.abc import Callable

from memlab.systems.documents.transcript_rag import LONGEST_CHUNK, TranscriptRag
from memlab.terms import Event, Workspace

Tell = Callable[..., Event]


def test_a_chunk_has_three_turns_of_one_session_and_overlaps_by_one(workspace: Workspace, tell: Tell) -> None:
    system = TranscriptRag(workspace)
    for number in range(5):
        system.observe(tell("turn", f"ferry turn {number}", session="a"))
        system.observe(tell("turn", f"bus {number}", session="b"))
    assert set(system.recall("ferry turn", 2)) == {
        "ferry turn 0\nferry turn 1\nferry turn 2",
        "ferry turn 2\nferry turn 3\nferry turn 4",
    }


def test_a_long_turn_is_cut_into_pieces_and_loses_nothing(workspace: Workspace, tell: Tell) -> None:
    system = TranscriptRag(workspace)
    long = "".join(f"word{number} " for number in range(900))
    system.observe(tell("tool", long))
    pieces = system.recall("word1 word899", 50)
    assert all(len(one) <= LONGEST_CHUNK * 4 for one in pieces)
    assert "".join(sorted(pieces, key=long.index)) == long


def test_contradictions_accumulate_and_nothing_says_who_spoke(workspace: Workspace, tell: Tell) -> None:
    system = TranscriptRag(workspace)
    system.observe(tell("fact", "The ferry leaves at nine.", name="ferry", session="a"))
    system.observe(tell("fact", "The ferry leaves at ten.", name="ferry", session="b", source="web"))
    system.observe(tell("erase", erases=("e0",)))
    assert sorted(system.recall("when does the ferry leave")) == [
        "The ferry leaves at nine.",
        "The ferry leaves at ten.",
    ]


def test_a_context_has_the_most_similar_chunks_in_the_order_of_time(workspace: Workspace, tell: Tell) -> None:
    system = TranscriptRag(workspace)
    for number, text in enumerate(("the ferry leaves at ten", "the ferry", "rain over the hills", "the ferry leaves")):
        system.observe(tell("turn", text, session=f"s{number}"))
    assert system.assemble("the ferry leaves", 14).split("\n") == [
        "the ferry leaves at ten",
        "the ferry",
        "the ferry leaves",
    ]
