from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from timezone_facts import Open, fact, standing

from memlab.memory.facts import Fact, same_subject
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.retrieval.relevance import stems
from memlab.memory.text import Refused
from memlab.memory.trust import Provenance


@pytest.mark.parametrize("name", ["../timezone", "a" * 300, "time\0zone", "time\ud800zone", ""])
def test_a_store_keeps_nothing_under_a_name_that_is_no_slug(store: FactTable, name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="a name is a slug"):
        store.put(fact("a", "The timezone is Paris.", name=name))
    assert list(store.statements()) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spelt", ["TimeZone", "time\u200bzone", "\uff54imezone"])
def test_names_with_one_spelling_after_folding_are_one_subject_under_one_slug(store: FactTable, spelt: str) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", name=spelt, time=2))
    assert [(one.id, one.name) for one in store.history(spelt)] == [("a", "timezone"), ("b", "timezone")]
    assert standing(store, "timezone") == ["b"]
    assert [one.id for one in store.on_subject(Fact(spelt, "", origin=Provenance(id="c")))] == ["b"]


@pytest.mark.parametrize(
    "odd", ["NUL \0 here", "a\r\nb\rc\x85d\u2028e", "\ufeffmark", "\x1b[2J", "  edges \n\n", "", "'"]
)
def test_any_text_comes_back_to_the_last_character(opened: Open, odd: str) -> None:
    origin = Provenance(odd or "user", odd, 1.0, f"id{odd}", (f"id{odd}",), odd)
    stored = Fact("lamp", odd, odd, odd or "project", odd, origin, 3)
    first = opened()
    first.put(stored)
    first.close()
    again = opened()
    assert again.get(stored.id) == stored
    assert again.derived_ids({stored.id}) == {stored.id}
    assert list(again.statements()) == again.history("lamp") == again.as_of(1) == [stored]
    again.erase({stored.id})
    again.put(stored)
    assert list(again.statements()) == []


def test_surrogates_are_stored_as_replacement_characters(store: FactTable) -> None:
    store.put(Fact("lamp", "red \ud800", "x\udfff", about="\ud800", origin=Provenance("a\ud800", "", 1.0, "i\ud800")))
    kept = store.get("i\ud800")
    assert kept is not None
    assert (kept.body, kept.description, kept.id, kept.origin.source) == ("red \ufffd", "x\ufffd", "i\ufffd", "a\ufffd")
    assert [one.id for one in store.on_subject(Fact("stove", "", about="\ud800"))] == ["i\ufffd"]
    store.erase({"i\ud800"})
    assert store.get("i\ud800") is None


def test_a_body_of_a_megabyte_is_stored_completely_and_found(opened: Open) -> None:
    body = "The lamp is red. " * 61_681
    first = opened()
    first.put(fact("a", body, name="lamp"))
    first.close()
    (found,) = opened().search(stems("lamp"), 5)
    assert found.body == body


@pytest.mark.parametrize(
    "origin", [Provenance(time=1.0), Provenance(id="a", time=float("nan")), Provenance(id="a", time=1e999)]
)
def test_a_statement_without_an_id_or_a_finite_time_is_an_error_that_says_so(
    store: FactTable, origin: Provenance
) -> None:
    with pytest.raises(ValueError, match="needs an id of its own and a finite time"):
        store.put(Fact("lamp", "The lamp is red.", origin=origin))
    assert list(store.statements()) == []


def test_restatements_are_found_by_the_ids_of_their_originals(opened: Open) -> None:
    store = opened()
    for identity, parents in (("b", ("a",)), ("d", ()), ("c", ("a", "b", "a"))):
        stored = fact(identity, f"Note {identity}.", name=identity)
        store.put(replace(stored, origin=replace(stored.origin, derived_from=parents)))
    assert [store.derived_ids(ids) for ids in ({"a"}, {"b", "x"}, ())] == [{"b", "c"}, {"c"}, set()]
    store.erase({"c"})
    store.put(fact("e", "Note e.", name="e"))
    assert (store.derived_ids({"a"}), opened().derived_ids({"a"})) == ({"b"}, {"b"})


def test_an_erased_id_cannot_be_used_again_and_an_unknown_one_can(store: FactTable) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.erase({"a", "never-told"})
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("never-told", "The timezone is Mars."))
    assert [one.id for one in store.statements()] == ["never-told"]


def test_reading_an_empty_store_creates_no_file(opened: Open, tmp_path: Path) -> None:
    store = opened()
    assert (standing(store, "lamp"), store.get("a"), store.history("lamp"), store.as_of(1)) == ([], None, [], [])
    assert (list(store.statements()), store.derived_ids({"a"})) == ([], set())
    assert (store.frequency(["lamp"]), store.on_subject(fact("a", ""))) == (({}, 0), [])
    store.erase({"a"})
    assert list(tmp_path.iterdir()) == []


def test_two_facts_have_one_subject_only_if_their_name_or_about_is_equal() -> None:
    lamp, light = fact("a", "", "lamp", about="Light"), fact("b", "", "bulb", about="\uff2c\u200bight")
    assert same_subject(lamp, light)
    assert same_subject(lamp, fact("c", "", "LAMP"))
    assert same_subject(lamp, fact("c", "", "lamp", about="Dark"))
    assert not same_subject(lamp, fact("c", "", "bulb", about="Dark"))
    assert not same_subject(fact("a", "", "lamp"), fact("b", "", "bulb"))
    assert not same_subject(lamp, fact("b", "", "light"))
