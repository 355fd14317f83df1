"""The fact store, whatever is done to it, holds what a naive model holds: a list that is read from the front."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from naive import NaiveFacts, same_subject
from profiles import property_settings
from strategies import NOON, names, sources, subjects, valid_texts

from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.retrieval.relevance import stems
from memlab.memory.trust import Provenance, rank

NAMES = ("lamp", "lantern", "stove")
moments = st.integers(0, 12).map(lambda minute: NOON + minute)
some = st.sets(st.integers(0, 12).map(lambda place: f"id{place}"), max_size=3)


class FactTableMachine(RuleBasedStateMachine):
    """Any statements by anybody, in any order and of any time, erasures and restarts."""

    def opened(self) -> FactTable:
        return FactTable(self.place / "facts.db")

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.place = Path(self.folder.name)
        self.store = self.opened()
        self.model = NaiveFacts()
        self.count = 0

    @rule(
        name=names,
        about=subjects,
        source=sources,
        time=moments,
        text=valid_texts,
        parents=st.lists(st.integers(0, 12).map(lambda place: f"id{place}"), max_size=2).map(tuple),
        importance=st.floats(0, 1),
    )
    def put(  # noqa: PLR0913 - a fact has that many sides
        self, *, name: str, about: str, source: str, time: float, text: str, parents: tuple[str, ...], importance: float
    ) -> None:
        origin = Provenance(source, text[:5], time, f"id{self.count}", parents, text[::-1])
        body = f"The {name} has word{self.count}.{text}"
        fact = Fact(name, body, text, "reference", about, origin, rank(source), importance=importance)
        self.store.put(fact)
        self.model.put(fact)
        self.count += 1

    @rule(identity=st.integers(0, 12), name=names)
    def tell_something_else_under_a_known_id(self, identity: int, name: str) -> None:
        if identity < self.count:
            fact = Fact(name, "something else", origin=Provenance(time=NOON, id=f"id{identity}"))
            self.store.put(fact)
            self.model.put(fact)

    @rule(ids=some)
    def erase(self, ids: set[str]) -> None:
        self.store.erase(ids)
        self.model.erase(ids)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.opened()

    @rule(question=names, limit=st.integers(0, 4), superseded=st.booleans())
    def ask(self, question: str, limit: int, *, superseded: bool) -> None:
        """Find what holds the word, as many as were asked for from either side, neither crowding the other out."""
        found = self.store.search(stems(question), limit, superseded=superseded)
        fitting = [
            one for one in self.model.statements if holds(one, question) and bool(one.superseded_by) == superseded
        ]
        assert len({one.id for one in found}) == len(found)
        assert all(one in fitting for one in found)
        for trusted in (True, False):
            side = [one for one in fitting if (one.rank > 0) == trusted]
            assert len([one for one in found if (one.rank > 0) == trusted]) == min(limit, len(side))

    @rule(time=moments)
    def look_back(self, time: float) -> None:
        assert {fact.id for fact in self.store.as_of(time)} == self.model.as_of(time)

    @rule(ids=some)
    def trace(self, ids: set[str]) -> None:
        assert self.store.derived_ids(ids) == {
            one.id for one in self.model.statements if ids & set(one.origin.derived_from)
        }

    @rule()
    def count_words(self) -> None:
        held = Counter(word for fact in self.model.statements for word in set(stems(fact.key)) & {"lamp", "stov"})
        assert self.store.frequency(["lamp", "stov"]) == (held, len(self.model.statements))

    @invariant()
    def it_contains_what_was_written(self) -> None:
        """Compare the history of each name, the statement of each id, and rivals, most trusted and latest first."""
        for name in NAMES:
            assert self.store.history(name) == [fact for fact in self.model.statements if fact.name == name]
        known = {fact.id: fact for fact in self.model.statements}
        assert all(self.store.get(f"id{place}") == known.get(f"id{place}") for place in range(self.count + 1))
        for fact in self.model.statements:
            others = [one for one in reversed(self.model.standing()) if same_subject(one, fact) and one.id != fact.id]
            assert self.store.on_subject(fact) == sorted(others, key=lambda one: -one.rank)

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


def holds(fact: Fact, word: str) -> bool:
    return not set(stems(word)).isdisjoint(stems(fact.key))


TestTheTableHoldsWhatTheNaiveModelHolds = FactTableMachine.TestCase
TestTheTableHoldsWhatTheNaiveModelHolds.settings = property_settings
