"""What one store of facts holds can be told to another, of either kind, without loss and in the same order."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.memory.facts import Fact, FactStore, copy
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.markdown_store.store import FactFiles
from memlab.memory.retrieval.relevance import words
from memlab.memory.trust import Provenance

PROFILE = settings(max_examples=60, derandomize=True)
Made = Callable[[Path], FactStore]
NAMES = ("lamp", "lantern", "stove")
texts = st.text(max_size=20)
ids = st.integers(0, 11).map("id{}".format)
statements = st.builds(
    Fact,
    st.sampled_from(NAMES),
    texts,
    texts,
    st.sampled_from(["user", "project", "reference"]),
    st.sampled_from(["", "light", "Light\u200b"]),
    st.builds(Provenance, texts, texts, st.floats(0, 20), ids, st.lists(ids, max_size=2).map(tuple), texts),
    st.integers(0, 3),
    importance=st.floats(0, 1),
)
withdrawn = statements.map(lambda fact: replace(fact, body="", superseded_by=fact.id))
moves = st.lists(statements | statements | withdrawn | st.sets(ids, min_size=1, max_size=3), max_size=12)


def table(place: Path) -> FactStore:
    return FactTable(place / "facts.db")


def apply_story(store: FactStore, story: list[Fact | set[str]]) -> None:
    for place, move in enumerate(story):
        if isinstance(move, Fact):
            store.put(move)
        elif place % 2:
            store.erase(move)
        else:
            store.tombstone(move)


def answers(store: FactStore) -> dict[str, object]:
    every = list(store.statements())
    query_words = {word for fact in every for word in words(fact.key)}
    found = {
        (word, retired): {fact.id for fact in store.search([word], 99, retired=retired)}
        for word in query_words
        for retired in (False, True)
    }
    return {
        "told": every,
        "buried": store.tombstones(),
        "history": [store.history(name) for name in NAMES],
        "as of": [store.as_of(time) for time in range(0, 22, 3)],
        "rivals": [store.rivals(fact) for fact in every],
        "derived": {fact.id: store.derived_ids({fact.id}) for fact in every},
        "frequency": store.frequency(query_words),
        "found": found,
    }


@pytest.mark.parametrize(("one", "other"), [(table, FactFiles), (FactFiles, table), (FactFiles, FactFiles)])
@PROFILE
@given(moves)
def test_copying_facts_to_another_store_and_back_changes_no_answer(
    one: Made, other: Made, story: list[Fact | set[str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, second, third = (made(Path(folder) / str(place)) for place, made in enumerate((one, other, one)))
        apply_story(first, story)
        copy(first, second)
        copy(second, third)
        copy(second, third)
        assert answers(first) == answers(second) == answers(third)
        for store in (first, second, third):
            store.close()


@PROFILE
@given(moves)
def test_both_stores_answer_the_same_after_the_same_writes(story: list[Fact | set[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        stores = [table(Path(folder) / "table"), FactFiles(Path(folder) / "files")]
        for store in stores:
            apply_story(store, story)
        assert answers(stores[0]) == answers(stores[1])
        for store in stores:
            store.close()


@pytest.mark.parametrize("made", [table, FactFiles])
def test_facts_copied_into_a_store_come_after_those_it_has(made: Made, tmp_path: Path) -> None:
    source, target = table(tmp_path / "source"), made(tmp_path / "target")

    def fact(identity: str, body: str, name: str = "lamp") -> Fact:
        return Fact(name, body, origin=Provenance(time=1.0, id=identity))

    target.put(fact("a", "The lamp is red."))
    target.put(fact("erased", "The lamp is grey.", "lantern"))
    source.put(fact("erased", "The lamp is grey.", "lantern"))
    source.put(fact("b", "The lamp is blue."))
    source.put(fact("c", "The lamp is green."))
    source.erase({"erased"})
    copy(source, target)
    assert [(one.id, one.superseded_by) for one in target.statements()] == [("a", "c"), ("b", "c"), ("c", "")]
    assert target.tombstones() == {"erased"}
