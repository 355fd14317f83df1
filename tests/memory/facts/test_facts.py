from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from timezone_facts import Open, fact, standing

from memlab.memory.facts import Fact, same_subject
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.retrieval.relevance import stems
from memlab.memory.text import Refused, fold, slug
from memlab.memory.trust import Provenance


def test_a_newer_statement_supersedes_and_the_older_stays_in_the_history(store: FactTable) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", time=2))
    assert standing(store, "timezone") == ["b"]
    assert [(one.id, one.superseded_by) for one in store.history("timezone")] == [("a", "b"), ("b", "")]
    assert [one.id for one in store.search(stems("timezone"), 10, superseded=True)] == ["a"]


def test_as_of_answers_for_the_past(store: FactTable) -> None:
    for identity, time in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        store.put(fact(identity, f"The timezone is {identity}.", time=time))
    assert [[one.id for one in store.as_of(time)] for time in (0.5, 1.5, 2.5, 3.5)] == [[], ["a"], ["b"], ["c"]]


def test_the_facts_of_a_type_are_the_current_ones_in_the_order_put(store: FactTable) -> None:
    assert store.of_type("item") == []
    for identity, name, kind in (("a", "z", "item"), ("b", "y", "project"), ("c", "x", "item"), ("d", "z", "item")):
        store.put(replace(fact(identity, f"It is {identity}."), name=name, type=kind))
    assert [one.id for one in store.of_type("item")] == ["c", "d"]


def test_restating_an_old_value_revives_it_if_its_source_may(store: FactTable) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", time=2))
    store.put(fact("lie", "The timezone is Paris.", source="web", time=3))
    assert store.search(stems("timezone"), 10)[0].id == "b"
    store.put(fact("c", "The timezone is Paris.", time=4))
    assert standing(store, "timezone") == ["c"]


@pytest.mark.parametrize("low", ["tool", "agent", "web", "nobody-knows"])
def test_a_lower_rank_never_supersedes(store: FactTable, low: str) -> None:
    store.put(fact("mine", "The timezone is Lisbon.", time=1))
    store.put(fact("theirs", "The timezone is Mars.", source=low, time=2))
    mine = store.get("mine")
    assert mine is not None
    assert mine.superseded_by == ""
    assert [one.id for one in store.on_subject(mine)] == ["theirs"]


def test_facts_on_different_subjects_never_retire_each_other(store: FactTable) -> None:
    store.put(fact("a", "Anna's timezone is Paris.", name="anna-timezone"))
    store.put(fact("b", "Anne's timezone is Lisbon.", name="anne-timezone"))
    assert sorted(standing(store, "timezone")) == ["a", "b"]


def test_the_same_about_is_one_subject_under_two_names(store: FactTable) -> None:
    store.put(fact("a", "Ship from host one.", name="host", about="deploy host"))
    store.put(fact("b", "Ship from host two.", name="server", about="Deploy  Host", time=2))
    assert standing(store, "ship from") == ["b"]


def test_rivals_of_equal_rank_come_the_latest_first(store: FactTable) -> None:
    store.put(fact("a", "Ship from host one.", name="host"))
    store.put(fact("b", "Ship from host two.", name="server", about="deploy host"))
    store.put(fact("web", "Ship from host evil.", name="host", source="web"))
    query = fact("c", "", name="host", about="deploy host")
    assert [one.id for one in store.on_subject(query)] == ["b", "a", "web"]


def test_a_known_id_changes_nothing(store: FactTable) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("a", "The timezone is Mars."))
    assert [one.body for one in store.history("timezone")] == ["The timezone is Paris."]


def test_everything_is_there_again_after_a_restart(opened: Open) -> None:
    origin = Provenance("tool", "s", 5.5, "i", ("p", "q"), 'He said:\n---\n"so"')
    body = '---\nname: x\n"quoted": é\n---'
    stored = Fact("odd-name", body, 'a: "b"\n# c', "user", "about: this", origin, 2, importance=0.123456789)
    first = opened()
    first.put(stored)
    first.close()
    assert opened().get("i") == stored


def test_an_erased_fact_is_in_no_file_and_does_not_come_back(opened: Open, tmp_path: Path) -> None:
    store = opened()
    store.put(fact("a", "The secret word is quuxblat."))
    store.put(fact("b", "The other word is known.", name="other"))
    store.erase({"a"})
    store.put(fact("a", "The secret word is quuxblat."))
    store.close()
    again = opened()
    assert again.get("a") is None
    assert standing(again, "quuxblat secret") == []
    assert standing(again, "other word") == ["b"]
    again.close()
    assert all(b"quuxblat" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_fact_is_current_again_after_its_successor_is_erased_and_no_lower_rank_supersedes_it(
    store: FactTable,
) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", time=2))
    store.erase({"b"})
    store.put(fact("c", "The timezone is Mars.", source="web", time=3))
    assert standing(store, "timezone") == ["a", "c"]
    (lie,) = store.history("timezone")[1:]
    assert [one.id for one in store.on_subject(lie)] == ["a"]


def test_supersession_is_decided_again_after_an_erasure(store: FactTable) -> None:
    for place, identity in enumerate("abcd"):
        store.put(fact(identity, f"The timezone is {identity}.", time=place))
    store.erase({"b", "c"})
    assert [(one.id, one.superseded_by) for one in store.history("timezone")] == [("a", "d"), ("d", "")]
    assert [one.id for one in store.as_of(1.5)] == ["a"]


def test_erased_facts_do_not_count_in_the_frequency_of_words(store: FactTable) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The lamp is red.", name="lamp"))
    store.erase({"a"})
    assert store.frequency(["timezon", "lamp"]) == ({"lamp": 1}, 1)


def test_untrusted_statements_cannot_crowd_out_trusted_ones(store: FactTable) -> None:
    store.put(fact("mine", "Ship on Friday.", name="ship-day"))
    for n in range(30):
        store.put(fact(f"w{n}", f"Ship ship ship on Friday {n}.", name=f"spam-{n}", source="web"))
    assert "mine" in [one.id for one in store.search(stems("ship friday"), 5)]


@pytest.mark.parametrize(
    "name",
    ["../etc", "a/b", "a\nb", "---", "[x](y)", "a\0b", "a" * 300, "", "-a", "a b", ".", "con.txt", "d\u0435ploy"],
)
def test_a_name_that_is_no_slug_is_refused_with_the_rule(name: str) -> None:
    with pytest.raises(Refused, match="a name is a slug"):
        slug(name)


def test_spellings_that_fold_to_one_slug_are_one_slug() -> None:
    assert slug("\uff44eploy-key") == slug("de\u200bploy-key") == slug("Deploy-Key") == "deploy-key"
    assert same_subject(Fact("deploy\u200b-key", ""), Fact("deploy-key", ""))
    assert not same_subject(Fact("a", ""), Fact("b", ""))


def test_folding_evens_out_case_width_zero_width_and_white_space() -> None:
    assert fold(" \uff33hip\u200b  IT\n now ") == "ship it now"


@pytest.mark.parametrize("importance", [-0.1, 1.1, float("nan"), float("inf")])
def test_an_importance_out_of_range_is_refused_where_the_fact_is_made(importance: float) -> None:
    with pytest.raises(ValueError, match=r"fact lamp: importance .* is not in \[0, 1\]"):
        Fact("lamp", "The lamp is red.", importance=importance)


def test_among_equals_the_more_important_is_found_first_and_then_the_later(store: FactTable) -> None:
    for place, importance in enumerate((0.5, 0.9, 0.1, 0.5)):
        stored = fact(f"i{place}", "The lamp is red.", name=f"lamp-{place}", time=9.0 - place)
        store.put(replace(stored, importance=importance))
    assert standing(store, "lamp") == ["i1", "i3", "i0", "i2"]


def test_the_fact_that_shares_more_with_the_question_is_first_whatever_its_importance_or_age(store: FactTable) -> None:
    for n, body in enumerate(("The red lamp hums.", "The lamp hums.", "The red door creaks.", "The pump hums.")):
        store.put(replace(fact(f"i{n}", body, name=f"thing-{n}"), importance=n / 4))
    assert standing(store, "red lamp") == ["i0", "i2", "i1"]


def test_the_order_of_writing_decides_what_is_later_even_if_the_clock_has_jumped_back(opened: Open) -> None:
    store = opened()
    for place, time in enumerate((50.0, 10.0, 30.0)):
        store.put(fact(f"i{place}", f"The timezone is {place}.", time=time))
    store.put(fact("low", "The timezone is Mars.", source="web", time=1))
    store.put(fact("lower", "The timezone is Venus.", source="web", time=0.5))
    for one in (store, opened()):
        assert [(version.id, version.superseded_by) for version in one.history("timezone")] == [
            ("i0", "i1"),
            ("i1", "i2"),
            ("i2", ""),
            ("low", "lower"),
            ("lower", ""),
        ]
        assert [version.id for version in one.on_subject(fact("other", ""))] == ["i2", "lower"]
        assert [version.id for version in one.as_of(40)] == ["i2", "lower"]
        assert [version.id for version in one.as_of(20)] == ["i1", "lower"]
    store.erase({"i1"})
    assert [(version.id, version.superseded_by) for version in store.history("timezone")][:2] == [
        ("i0", "i2"),
        ("i2", ""),
    ]
