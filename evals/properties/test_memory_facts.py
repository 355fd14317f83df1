"""Both fact stores against one naive model: a list that is read from the front."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.memory.fact_files import FactFiles
from memlab.memory.fact_table import FactTable
from memlab.memory.relevance import words
from memlab.memory.semantic import Fact, FactStore, same_subject
from memlab.memory.trust import Provenance, rank

PROFILE = settings(max_examples=50, derandomize=True, deadline=None)
writes = st.tuples(
    st.just("put"),
    st.sampled_from(["lamp", "lantern", "stove"]),
    st.sampled_from(["", "light"]),
    st.sampled_from(["user", "agent", "web"]),
)
moves = st.lists(
    writes | st.tuples(st.sampled_from(["erase", "restart"]), st.integers(0, 9), st.none(), st.none()), max_size=12
)


class Model:
    """What the stores promise, in the plainest words."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def put(self, fact: Fact) -> None:
        """Supersede what stands on the same subject and ranks no higher, then add."""
        for place, old in enumerate(self.facts):
            same = same_subject(old, fact)
            if same and not old.superseded_by and fact.rank >= old.rank:
                self.facts[place] = replace(old, superseded_by=fact.id)
        self.facts.append(fact)

    def erase(self, identity: str) -> None:
        """Tell everything again but this."""
        told = [replace(fact, superseded_by="") for fact in self.facts if fact.id != identity]
        self.facts = []
        for fact in told:
            self.put(fact)

    def as_of(self, time: float, told: dict[str, float]) -> set[str]:
        """Give the ids of what had been said and not yet superseded."""
        known = [fact for fact in self.facts if fact.origin.time <= time]
        return {fact.id for fact in known if not fact.superseded_by or told[fact.superseded_by] > time}


@pytest.mark.parametrize("kind", ["table", "files"])
@PROFILE
@given(moves)
def test_a_store_holds_what_the_naive_model_holds(
    kind: str, told: list[tuple[str, str | int, str | None, str | None]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:

        def opened() -> FactStore:
            return FactTable(Path(folder) / "facts.db") if kind == "table" else FactFiles(Path(folder))

        store, model, times = opened(), Model(), dict[str, float]()
        for place, (what, name, about, source) in enumerate(told):
            if what == "put":
                origin = Provenance(source or "", "s", float(place), f"id{place}")
                fact = Fact(str(name), f"{name} word{place}", about=about or "", origin=origin, rank=rank(source or ""))
                store.put(fact)
                model.put(fact)
                times[fact.id] = float(place)
            elif what == "erase":
                store.erase({f"id{name}"})
                model.erase(f"id{name}")
            else:
                store.close()
                store = opened()
        for fact in model.facts:
            assert store.get(fact.id) == fact
        for name in ("lamp", "lantern", "stove"):
            assert store.history(name) == [fact for fact in model.facts if fact.name == name]
            standing = {fact.id for fact in store.search(words(name), 20)}
            assert standing == {fact.id for fact in model.facts if fact.name == name and not fact.superseded_by}
        for time in (2.0, 6.0, 12.0):
            assert {fact.id for fact in store.as_of(time)} == model.as_of(time, times)
        store.close()
