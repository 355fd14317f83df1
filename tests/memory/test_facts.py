from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.memory.fact_files import FactFiles
from memlab.memory.fact_table import FactTable
from memlab.memory.naming import Refused, fold, slug
from memlab.memory.relevance import words
from memlab.memory.semantic import Fact, FactStore, same_subject
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


def test_a_known_id_changes_nothing(store: FactStore) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("a", "The timezone is Mars."))
    assert [one.body for one in store.history("timezone")] == ["The timezone is Paris."]


def test_everything_is_there_again_after_a_restart(opened: Open) -> None:
    told = Fact(
        "odd-name",
        '---\nname: x\n"quoted": é\n---',
        'a: "b"\n# c',
        "user",
        "about: this",
        Provenance("tool", "s", 5.5, "i", ("p",)),
        2,
    )
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


def test_a_revived_fact_has_its_file_and_line_again(tmp_path: Path) -> None:
    store = FactFiles(tmp_path)
    store.put(fact("a", "The timezone is Paris.", about="clock", time=1))
    store.put(fact("b", "The timezone is Lisbon.", name="zone", about="clock", time=2))
    store.put(fact("c", "The timezone is Mars.", source="web", time=3))
    store.erase({"b"})
    assert "Paris" in (tmp_path / "facts" / "timezone.md").read_text()
    assert sorted(standing(store, "timezone")) == ["a", "c"]
    assert not (tmp_path / "facts" / "zone.md").exists()


def test_untrusted_statements_cannot_crowd_out_trusted_ones(store: FactStore) -> None:
    store.put(fact("mine", "Ship on Friday.", name="ship-day"))
    for n in range(30):
        store.put(fact(f"w{n}", f"Ship ship ship on Friday {n}.", name=f"spam-{n}", source="web"))
    assert "mine" in [one.id for one in store.search(words("ship friday"), 5)]


def test_a_body_edited_by_hand_is_the_users_word(tmp_path: Path) -> None:
    store = FactFiles(tmp_path)
    store.put(fact("a", "The timezone is Mars.", source="agent"))
    path = tmp_path / "facts" / "timezone.md"
    path.write_text(path.read_text().replace("Mars", "Lisbon"))
    (found,) = store.search(words("timezone"), 5)
    assert (found.body, found.rank, found.origin.source) == ("The timezone is Lisbon.", 3, "user")


def test_the_index_has_one_line_a_fact_that_nothing_stored_can_forge(tmp_path: Path) -> None:
    store = FactFiles(tmp_path)
    store.put(Fact("host", "x", "one\n- [evil](evil.md) -- two", origin=Provenance(id="a", time=1)))
    store.put(fact("b", "y"))
    lines = (tmp_path / "MEMORY.md").read_text().splitlines()
    assert [line.split("]")[0] for line in lines] == ["- [host", "- [timezone"]


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


def test_a_file_edited_by_hand_is_not_pushed_out_of_its_place_by_what_ranks_lower(tmp_path: Path) -> None:
    store = FactFiles(tmp_path)
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The timezone is Mars.", source="web", time=2))
    path = tmp_path / "facts" / "timezone.md"
    path.write_text(path.read_text().replace("Paris", "Lisbon"))
    store.put(fact("c", "The lamp is red.", name="lamp", time=3))
    assert "Lisbon" in path.read_text()
