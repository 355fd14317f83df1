from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memory.world import ScriptedWorld
from memlab.systems.bm25 import BM25
from memlab.terms import Event, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, tmp_path, ScriptedWorld(), lambda: 0.0)


def event(number: int, text: str, source: str = "user") -> Event:
    return Event(f"e{number}", "turn", float(number), "s", source, text)


def test_the_text_with_the_rarest_words_of_the_query_is_first_whoever_said_it(workspace: Workspace) -> None:
    memory = BM25(workspace)
    for number, text in enumerate(["the server runs", "the server is blue", "the harbour is blue"]):
        memory.observe(event(number, text, "web"))
    assert memory.recall("is the harbour blue?", 2) == ["the harbour is blue", "the server is blue"]
    assert memory.recall("which servers RUN", 1) == ["the server runs"]


def test_of_equal_scores_the_older_is_first_and_a_repetition_is_a_text_of_its_own(workspace: Workspace) -> None:
    memory = BM25(workspace)
    for number, text in enumerate(["port is 80", "port is 80", "port is 81"]):
        memory.observe(event(number, text))
    assert memory.recall("port", 5) == ["port is 80", "port is 80", "port is 81"]


def test_what_was_observed_is_found_after_a_restart(workspace: Workspace) -> None:
    memory = BM25(workspace)
    memory.observe(event(1, "Mara ships on Fridays"))
    assert BM25(workspace).recall("who ships") == ["Mara ships on Fridays"]  # as after a crash
    memory.close()
    assert BM25(workspace).recall("who ships") == ["Mara ships on Fridays"]


@pytest.mark.parametrize("query", ["", "?!", '"', "a OR (", "NEAR(x y)", "\ud800", "text:port*"])
def test_no_query_is_read_as_syntax(query: str, workspace: Workspace) -> None:
    memory = BM25(workspace)
    memory.observe(event(1, "port is 80"))
    assert memory.recall(query) == (["port is 80"] if "port" in query else [])


def test_a_context_holds_the_best_texts_that_fit_whole(workspace: Workspace) -> None:
    memory = BM25(workspace)
    memory.observe(event(1, "deploy " + "x" * 100))
    memory.observe(event(2, "deploy at noon"))
    assert memory.assemble("deploy", 10) == "deploy at noon"
