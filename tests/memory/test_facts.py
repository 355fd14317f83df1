from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.memory.facts import Fact, FactStore, same_subject
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.markdown_store.store import FactFiles
from memlab.memory.retrieval.relevance import words
from memlab.memory.text import Refused, fold, slug
from memlab.memory.trust import Provenance, rank

Open = Callable[[], FactStore]


@pytest.fixture(params=["table", "files"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    return lambda: FactTable(tmp_path / "facts.db") if request.param == "table" else FactFiles(tmp_path)


@pytest.fixture
def store(opened: Open) -> FactStore:
    return opened()


def fact(  # noqa: PLR0913, PLR0917 - a fact has that many sides
    identity: str, body: str, name: str = "timezone", source: str = "user", about: str = "", time: float = 1.0
) -> Fact:
    return Fact(name, body, about=about, origin=Provenance(source, "s1", time, identity), rank=rank(source))


def standing(store: FactStore, question: str) -> list[str]:
    return [found.id for found in store.search(words(question), 10)]


def test_a_newer_statement_supersedes_and_the_older_stays_in_the_history(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", time=2))
    assert standing(store, "timezone") == ["b"]
    assert [(one.id, one.superseded_by) for one in store.history("timezone")] == [("a", "b"), ("b", "")]
    assert [one.id for one in store.search(words("timezone"), 10, retired=True)] == ["a"]


def test_as_of_answers_for_the_past(store: FactStore) -> None:
    for identity, time in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        store.put(fact(identity, f"The timezone is {identity}.", time=time))
    assert [[one.id for one in store.as_of(time)] for time in (0.5, 1.5, 2.5, 3.5)] == [[], ["a"], ["b"], ["c"]]


def test_restating_an_old_value_revives_it_if_its_source_may(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", time=2))
    store.put(fact("lie", "The timezone is Paris.", source="web", time=3))
    assert store.search(words("timezone"), 10)[0].id == "b"
    store.put(fact("c", "The timezone is Paris.", time=4))
    assert standing(store, "timezone") == ["c"]


@pytest.mark.parametrize("low", ["tool", "agent", "web", "nobody-knows"])
def test_a_lower_rank_never_supersedes(store: FactStore, low: str) -> None:
    store.put(fact("mine", "The timezone is Lisbon.", time=1))
    store.put(fact("theirs", "The timezone is Mars.", source=low, time=2))
    mine = store.get("mine")
    assert mine is not None
    assert mine.superseded_by == ""
    assert [one.id for one in store.rivals(mine)] == ["theirs"]


def test_facts_on_different_subjects_never_retire_each_other(store: FactStore) -> None:
    store.put(fact("a", "Anna's timezone is Paris.", name="anna-timezone"))
    store.put(fact("b", "Anne's timezone is Lisbon.", name="anne-timezone"))
    assert sorted(standing(store, "timezone")) == ["a", "b"]


def test_the_same_about_is_one_subject_under_two_names(store: FactStore) -> None:
    store.put(fact("a", "Ship from host one.", name="host", about="deploy host"))
    store.put(fact("b", "Ship from host two.", name="server", about="Deploy  Host", time=2))
    assert standing(store, "ship from") == ["b"]


def test_rivals_that_rank_alike_come_the_latest_first(store: FactStore) -> None:
    store.put(fact("a", "Ship from host one.", name="host"))
    store.put(fact("b", "Ship from host two.", name="server", about="deploy host"))
    store.put(fact("web", "Ship from host evil.", name="host", source="web"))
    asked = fact("c", "", name="host", about="deploy host")
    assert [one.id for one in store.rivals(asked)] == ["b", "a", "web"]


def test_a_known_id_changes_nothing(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("a", "The timezone is Mars."))
    assert [one.body for one in store.history("timezone")] == ["The timezone is Paris."]


def test_everything_is_there_again_after_a_restart(opened: Open) -> None:
    origin = Provenance("tool", "s", 5.5, "i", ("p", "q"), 'He said:\n---\n"so"')
    body = '---\nname: x\n"quoted": é\n---'
    told = Fact("odd-name", body, 'a: "b"\n# c', "user", "about: this", origin, 2, importance=0.123456789)
    first = opened()
    first.put(told)
    first.close()
    assert opened().get("i") == told


def test_what_was_erased_is_in_no_file_and_does_not_come_back(opened: Open, tmp_path: Path) -> None:
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


def test_what_the_erased_had_superseded_stands_again_and_no_lower_rank_outranks_it(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", time=2))
    store.erase({"b"})
    store.put(fact("c", "The timezone is Mars.", source="web", time=3))
    assert standing(store, "timezone") == ["a", "c"]
    (lie,) = store.history("timezone")[1:]
    assert [one.id for one in store.rivals(lie)] == ["a"]


def test_supersession_is_decided_anew_among_what_an_erasure_leaves(store: FactStore) -> None:
    for place, identity in enumerate("abcd"):
        store.put(fact(identity, f"The timezone is {identity}.", time=place))
    store.erase({"b", "c"})
    assert [(one.id, one.superseded_by) for one in store.history("timezone")] == [("a", "d"), ("d", "")]
    assert [one.id for one in store.as_of(1.5)] == ["a"]


def test_the_erased_weighs_nothing_in_the_frequency_of_words(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The lamp is red.", name="lamp"))
    store.erase({"a"})
    assert store.frequency(["timezon", "lamp"]) == ({"lamp": 1}, 1)


def test_untrusted_statements_cannot_crowd_out_trusted_ones(store: FactStore) -> None:
    store.put(fact("mine", "Ship on Friday.", name="ship-day"))
    for n in range(30):
        store.put(fact(f"w{n}", f"Ship ship ship on Friday {n}.", name=f"spam-{n}", source="web"))
    assert "mine" in [one.id for one in store.search(words("ship friday"), 5)]


@pytest.mark.parametrize(
    "name",
    ["../etc", "a/b", "a\nb", "---", "[x](y)", "a\0b", "a" * 300, "", "-a", "a b", ".", "con.txt", "d\u0435ploy"],
)
def test_a_name_that_is_no_slug_is_refused_with_the_rule(name: str) -> None:
    with pytest.raises(Refused, match="a name is a slug"):
        slug(name)


def test_look_alike_spellings_of_a_slug_are_one_slug() -> None:
    assert slug("\uff44eploy-key") == slug("de\u200bploy-key") == slug("Deploy-Key") == "deploy-key"
    assert same_subject(Fact("deploy\u200b-key", ""), Fact("deploy-key", ""))
    assert not same_subject(Fact("a", ""), Fact("b", ""))


def test_folding_evens_out_case_width_zero_width_and_white_space() -> None:
    assert fold(" \uff33hip\u200b  IT\n now ") == "ship it now"


@pytest.mark.parametrize("importance", [-0.1, 1.1, float("nan"), float("inf")])
def test_an_importance_out_of_range_is_refused_where_the_fact_is_made(importance: float) -> None:
    with pytest.raises(ValueError, match=r"fact lamp: importance .* is not in \[0, 1\]"):
        Fact("lamp", "The lamp is red.", importance=importance)


def test_among_equals_the_more_important_is_found_first_and_then_the_later(store: FactStore) -> None:
    for place, importance in enumerate((0.5, 0.9, 0.1, 0.5)):
        told = fact(f"i{place}", "The lamp is red.", name=f"lamp-{place}", time=9.0 - place)
        store.put(replace(told, importance=importance))
    assert standing(store, "lamp") == ["i1", "i3", "i0", "i2"]


def test_what_shares_more_with_the_question_is_found_first_however_unimportant_or_old_it_is(store: FactStore) -> None:
    for n, body in enumerate(("The red lamp hums.", "The lamp hums.", "The red door creaks.", "The pump hums.")):
        store.put(replace(fact(f"i{n}", body, name=f"thing-{n}"), importance=n / 4))
    assert standing(store, "red lamp") == ["i0", "i2", "i1"]


def test_the_order_told_decides_what_is_later_even_if_the_clock_has_jumped_back(opened: Open) -> None:
    store = opened()
    for place, time in enumerate((50.0, 10.0, 30.0)):
        store.put(fact(f"i{place}", f"The timezone is {place}.", time=time))
    store.put(fact("low", "The timezone is Mars.", source="web", time=1))
    store.put(fact("lower", "The timezone is Venus.", source="web", time=0.5))
    for one in (store, opened()):
        assert [(told.id, told.superseded_by) for told in one.history("timezone")] == [
            ("i0", "i1"),
            ("i1", "i2"),
            ("i2", ""),
            ("low", "lower"),
            ("lower", ""),
        ]
        assert [told.id for told in one.rivals(fact("other", ""))] == ["i2", "lower"]
        assert [told.id for told in one.as_of(40)] == ["i2", "lower"]
        assert [told.id for told in one.as_of(20)] == ["i1", "lower"]
    store.erase({"i1"})
    assert [(told.id, told.superseded_by) for told in store.history("timezone")][:2] == [("i0", "i2"), ("i2", "")]


@pytest.mark.parametrize("name", ["../timezone", "a" * 300, "time\0zone", "time\ud800zone", ""])
def test_a_store_keeps_nothing_under_a_name_that_is_no_slug(store: FactStore, name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="a name is a slug"):
        store.put(fact("a", "The timezone is Paris.", name=name))
    assert list(store.statements()) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spelt", ["TimeZone", "time\u200bzone", "\uff54imezone"])
def test_look_alike_names_are_one_subject_and_kept_under_one_slug(store: FactStore, spelt: str) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("b", "The timezone is Lisbon.", name=spelt, time=2))
    assert [(one.id, one.name) for one in store.history(spelt)] == [("a", "timezone"), ("b", "timezone")]
    assert standing(store, "timezone") == ["b"]
    assert [one.id for one in store.rivals(Fact(spelt, "", origin=Provenance(id="c")))] == ["b"]


@pytest.mark.parametrize(
    "odd", ["NUL \0 here", "a\r\nb\rc\x85d\u2028e", "\ufeffmark", "\x1b[2J", "  edges \n\n", "", "'"]
)
def test_any_text_comes_back_to_the_last_character(opened: Open, odd: str) -> None:
    origin = Provenance(odd or "user", odd, 1.0, f"id{odd}", (f"id{odd}",), odd)
    told = Fact("lamp", odd, odd, odd or "project", odd, origin, 3)
    first = opened()
    first.put(told)
    first.close()
    again = opened()
    assert again.get(told.id) == told
    assert again.derived_ids({told.id}) == {told.id}
    assert list(again.statements()) == again.history("lamp") == again.as_of(1) == [told]
    again.erase({told.id})
    assert (list(again.statements()), again.tombstones()) == ([], {told.id})


def test_half_characters_are_kept_as_the_mark_of_what_is_no_character(store: FactStore) -> None:
    store.put(Fact("lamp", "red \ud800", "x\udfff", about="\ud800", origin=Provenance("a\ud800", "", 1.0, "i\ud800")))
    kept = store.get("i\ud800")
    assert kept is not None
    assert (kept.body, kept.description, kept.id, kept.origin.source) == ("red \ufffd", "x\ufffd", "i\ufffd", "a\ufffd")
    assert [one.id for one in store.rivals(Fact("stove", "", about="\ud800"))] == ["i\ufffd"]
    store.erase({"i\ud800"})
    assert store.get("i\ud800") is None


def test_a_body_of_a_megabyte_is_kept_whole_and_found(opened: Open) -> None:
    body = "The lamp is red. " * 61_681
    first = opened()
    first.put(fact("a", body, name="lamp"))
    first.close()
    (found,) = opened().search(words("lamp"), 5)
    assert found.body == body


@pytest.mark.parametrize(
    "origin", [Provenance(time=1.0), Provenance(id="a", time=float("nan")), Provenance(id="a", time=1e999)]
)
def test_a_statement_without_an_id_or_a_finite_time_is_an_error_that_says_so(
    store: FactStore, origin: Provenance
) -> None:
    with pytest.raises(ValueError, match="needs an id of its own and a finite time"):
        store.put(Fact("lamp", "The lamp is red.", origin=origin))
    assert list(store.statements()) == []


def test_a_withdrawal_leaves_nothing_standing_on_its_subject_until_somebody_states_it_anew(opened: Open) -> None:
    store = opened()
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(fact("lie", "The timezone is Mars.", source="web", time=2))
    store.put(replace(fact("w", "", time=3), superseded_by="w"))
    for one in (store, opened()):
        assert standing(one, "timezone") == []
        assert one.rivals(fact("x", "")) == []
        assert [(told.id, told.superseded_by) for told in one.history("timezone")] == [
            ("a", "w"),
            ("lie", "w"),
            ("w", "w"),
        ]
        assert [[told.id for told in one.as_of(time)] for time in (1, 2, 3)] == [["a"], ["a", "lie"], []]
    store.put(fact("b", "The timezone is Lisbon.", source="agent", time=4))
    assert standing(store, "timezone") == ["b"]


def test_what_was_withdrawn_stands_again_once_the_withdrawal_is_erased(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(replace(fact("w", "", time=2), superseded_by="w"))
    store.erase({"w"})
    assert standing(store, "timezone") == ["a"]


def test_what_ranks_lower_withdraws_nothing(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris.", time=1))
    store.put(replace(fact("w", "", source="web", time=2), superseded_by="w"))
    assert standing(store, "timezone") == ["a"]


def test_what_restates_others_is_found_by_their_ids(opened: Open) -> None:
    store = opened()
    for identity, parents in (("b", ("a",)), ("d", ()), ("c", ("a", "b", "a"))):
        told = fact(identity, f"Note {identity}.", name=identity)
        store.put(replace(told, origin=replace(told.origin, derived_from=parents)))
    assert [store.derived_ids(ids) for ids in ({"a"}, {"b", "x"}, ())] == [{"b", "c"}, {"c"}, set()]
    store.erase({"c"})
    store.put(fact("e", "Note e.", name="e"))
    assert (store.derived_ids({"a"}), opened().derived_ids({"a"})) == ({"b"}, {"b"})


def test_only_what_was_known_gets_a_tombstone_by_erasing_and_anything_by_burying(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.erase({"a", "never-told"})
    assert store.tombstones() == {"a"}
    store.tombstone({"never-told"})
    store.put(fact("never-told", "The timezone is Mars."))
    assert (store.tombstones(), list(store.statements())) == ({"a", "never-told"}, [])


def test_a_store_that_was_only_asked_has_made_no_file(opened: Open, tmp_path: Path) -> None:
    store = opened()
    assert (standing(store, "lamp"), store.get("a"), store.history("lamp"), store.as_of(1)) == ([], None, [], [])
    assert (list(store.statements()), store.tombstones(), store.derived_ids({"a"})) == ([], set(), set())
    assert (store.frequency(["lamp"]), store.rivals(fact("a", ""))) == (({}, 0), [])
    store.erase({"a"})
    assert list(tmp_path.iterdir()) == []


def test_a_store_says_where_a_person_reads_it(store: FactStore, tmp_path: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    assert (tmp_path / store.location).is_file()


def test_two_facts_are_about_the_same_by_their_names_or_by_what_both_are_about_and_nothing_else() -> None:
    lamp, light = fact("a", "", "lamp", about="Light"), fact("b", "", "bulb", about="\uff2c\u200bight")
    assert same_subject(lamp, light)
    assert same_subject(lamp, fact("c", "", "LAMP"))
    assert same_subject(lamp, fact("c", "", "lamp", about="Dark"))
    assert not same_subject(lamp, fact("c", "", "bulb", about="Dark"))
    assert not same_subject(fact("a", "", "lamp"), fact("b", "", "bulb"))
    assert not same_subject(lamp, fact("b", "", "light"))
