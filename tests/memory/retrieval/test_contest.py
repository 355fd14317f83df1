from __future__ import annotations

import math

import pytest

from memlab.memory import Fact, MemoryMix, Provenance, ScriptedWorld
from memlab.memory.episode import Episode
from memlab.memory.retrieval import contest
from memlab.memory.retrieval.contest import MOST_REPLACED, Contest, with_description
from memlab.memory.retrieval.contradiction import SURE, analyse
from memlab.memory.retrieval.ranking import Candidate, Question
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.validity import RIVALS
from memlab.memory.world import Change

DAY = 86_400.0
START = 1_767_600_000.0


def tell(mix: MemoryMix, text: str, day: int, source: str = "user") -> None:
    origin = Provenance(source, f"s{day}", START + day * DAY, f"{source}-{day}")
    mix.log_episode("turn", text, origin=origin)


def texts(mix: MemoryMix, question: str, k: int = 5) -> list[str]:
    return [one.text for one in mix.recall(question, k)]


ASKED = "at which hour does the ferry to Skerry leave"
CABINS = " ".join(f"Cabin {n} is for {n} guests." for n in range(12))
OLD, NEW = "The ferry to Skerry leaves at 7:40 in the morning.", "The ferry to Skerry leaves at 9:15 in the morning."


def test_of_two_statements_that_differ_in_a_number_the_later_one_is_served(mix: MemoryMix) -> None:
    tell(mix, OLD, 1)
    tell(mix, NEW, 2)
    assert texts(mix, ASKED) == [NEW]


def test_a_lower_rank_defeats_no_higher_one_however_late_it_comes(mix: MemoryMix) -> None:
    tell(mix, OLD, 1)
    tell(mix, NEW, 2, "web")
    assert texts(mix, ASKED) == [OLD]


def test_a_page_that_said_the_truth_first_does_not_let_another_page_defeat_it(mix: MemoryMix) -> None:
    tell(mix, OLD, 2)
    tell(mix, f"Noted: {OLD}", 1, "web")
    tell(mix, NEW, 3, "web")
    assert OLD in texts(mix, ASKED)


@pytest.mark.parametrize("about", ["", "another thing"])
def test_an_untrusted_source_takes_its_lie_out_of_the_contest_by_no_name_and_no_label(
    mix: MemoryMix, about: str
) -> None:
    truth = "The account for invoices is 4711."
    mix.write_fact("account", "", truth, about="the account")
    mix.write_fact("other", "", "The account for Lyon invoices is 6666.", about=about, origin=Provenance("web"))
    assert texts(mix, "which account do we use to pay the Lyon invoices") == [truth]


@pytest.mark.parametrize(("source", "repeating"), [("user", "agent"), ("user", "user"), ("agent", "agent")])
def test_a_lie_that_a_trusted_source_repeats_ranks_as_its_first_source(
    mix: MemoryMix, source: str, repeating: str
) -> None:
    """Whatever lineage it claims: what counts is who said the same first."""
    tell(mix, OLD, 1, source)
    tell(mix, NEW, 2, "web")
    tell(mix, f"Noted: {NEW}", 3, repeating)
    assert texts(mix, ASKED) == [OLD]


def test_a_statement_keeps_its_rank_when_a_page_repeats_it_later(mix: MemoryMix) -> None:
    tell(mix, OLD, 1)
    tell(mix, NEW, 2)
    tell(mix, f"Noted: {NEW}", 3, "web")
    assert texts(mix, ASKED)[0] == NEW
    assert OLD not in texts(mix, ASKED)


def test_a_page_that_has_the_words_of_an_answer_among_many_has_not_said_it_before(mix: MemoryMix) -> None:
    """Otherwise the answer would rank as the web, and the web's later lie would defeat it."""
    page = "From the ferry to Skerry one hears bells and gulls at 7:40 in the morning, before the mail boat leaves."
    tell(mix, page, 1, "web")
    tell(mix, OLD, 2, "agent")
    tell(mix, NEW, 3, "web")
    assert OLD in texts(mix, ASKED)
    assert NEW not in texts(mix, ASKED)


def test_facts_that_were_given_two_names_are_both_served_and_those_of_one_name_are_versions(mix: MemoryMix) -> None:
    key, spare = (
        "The key of the portal is kept in the red drawer.",
        "A spare key of the portal is kept in the green drawer.",
    )
    mix.write_fact("portal-key", "", key, origin=Provenance("user", time=1.0))
    mix.write_fact("portal-spare", "", spare, origin=Provenance("user", time=2.0))
    assert set(texts(mix, "where is the key of the portal kept")) == {key, spare}
    mix.write_fact("portal-key", "", "The key of the portal is kept in the blue drawer.")
    assert key not in texts(mix, "where is the key of the portal kept")


def test_a_name_that_the_memory_gave_is_no_other_name(mix: MemoryMix) -> None:
    """A fact that an episode states is named by a digest."""
    mix.log_episode("turn", OLD, about="ferry", origin=Provenance("user", "s1", START))
    mix.write_fact("ferry-times", "", NEW, origin=Provenance("user", "s2", START + DAY))
    assert texts(mix, ASKED) == [NEW]


def test_an_untrusted_text_is_served_beside_a_trusted_one_only_if_it_covers_more_of_the_question(
    mix: MemoryMix,
) -> None:
    tell(mix, OLD, 1)
    page = "Ferry to Skerry: the hour is a secret of the crew."
    tell(mix, page, 2, "web")
    assert texts(mix, "to where does the ferry leave") == [OLD]
    assert page in texts(mix, "which secret has the crew of the ferry to Skerry")


def test_a_trusted_text_that_has_the_words_of_the_question_in_other_places_keeps_back_no_page(mix: MemoryMix) -> None:
    loft = "The boat house of Skerry: ropes, two bicycles without saddles, and a sack of old mail that nobody wants."
    page = "Folding bicycles are taken by the mail boat, says a blog about islands."
    tell(mix, loft, 1)
    tell(mix, page, 2, "web")
    assert page in texts(mix, "which bicycles may travel with the mail boat to Skerry")


def test_statements_about_other_things_are_both_served(mix: MemoryMix) -> None:
    tell(mix, OLD, 1)
    other = "The ferry to Hallin leaves at 9:15 in the morning."
    tell(mix, other, 2)
    assert texts(mix, ASKED)[0] == OLD
    assert texts(mix, "at which hour does the ferry to Hallin leave")[0] == other


def test_two_turns_that_share_their_greeting_are_both_served(mix: MemoryMix) -> None:
    """Turns are long: the sentences that match best need not be those that answer."""
    played = (
        "Noor: Hey Ben! Good to see you again. So much has happened since the last time, on the court and off it. In "
        "the match against Leeds I scored forty points, which is my highest ever, and my hands were still shaking "
        "at dinner, because nobody in our family has ever done that before."
    )
    later = "Noor: Hey Ben, good to see you! Any news of the shop? Here is a photo of two women next to a banner."
    for number, turn in enumerate((played, later)):
        mix.log_episode("turn", turn, origin=Provenance("user", "s1", START + number, f"turn-{number}"))
    assert played in texts(mix, "In which match did Noor score the most points", 10)


def test_a_refuted_statement_defeats_nothing(mix: MemoryMix, world: ScriptedWorld) -> None:
    world.change(Change(files={"tools/old.sh": ""}))
    tell(mix, "The ferry list is printed with tools/old.sh.", 1)
    tell(mix, "The ferry list is printed with tools/none.sh.", 2)
    assert texts(mix, "with what is the ferry list printed") == ["The ferry list is printed with tools/old.sh."]


@pytest.mark.parametrize("question", [ASKED, "ferry Skerry"])
def test_without_versions_a_later_statement_defeats_nothing(mix: MemoryMix, question: str) -> None:
    mix._recall._versions = False  # noqa: SLF001 - as Defences(versions=False) sets it
    tell(mix, OLD, 1)
    tell(mix, NEW, 2)
    assert sorted(texts(mix, question)) == sorted([OLD, NEW])


KEYS = "The key of the portal is kept in the {} drawer."


@pytest.mark.parametrize(
    ("first", "second", "served"),
    [
        (("user", 1), ("user", 2), ["green", "red"]),
        (("user", 2), ("user", 1), ["red", "green"]),
        (("user", 1), ("agent", 2), ["red", "green"]),
        (("agent", 2), ("user", 1), ["green", "red"]),
        (("tool", 1), ("agent", 2), ["red", "green"]),
    ],
)
def test_of_two_facts_of_two_names_that_may_contradict_the_higher_rank_is_served_first_and_then_the_later(
    mix: MemoryMix, first: tuple[str, int], second: tuple[str, int], served: list[str]
) -> None:
    for name, colour, (source, day) in (("portal-key", "red", first), ("portal-spare", "green", second)):
        mix.write_fact(name, "", KEYS.format(colour), origin=Provenance(source, time=START + day * DAY, id=colour))
    assert texts(mix, "where is the key of the portal kept") == [KEYS.format(colour) for colour in served]


@pytest.mark.parametrize(
    ("labels", "served"), [(("gate", "door"), ["green", "red"]), (("gate", "gate"), ["green"]), (("", ""), ["green"])]
)
def test_facts_with_two_subjects_contradict_nothing_and_those_without_a_name_are_compared_by_their_text(
    mix: MemoryMix, labels: tuple[str, str], served: list[str]
) -> None:
    for day, (about, colour) in enumerate(zip(labels, ("red", "green"), strict=True)):
        origin = Provenance("user", time=START + day * DAY, id=colour)
        if about:
            mix.write_fact(f"key-{day}", "", KEYS.format(colour), origin=origin, about=about)
        else:
            mix.log_episode("turn", KEYS.format(colour), origin=origin)
    found = texts(mix, "where is the key of the portal kept")
    assert sorted(found) == sorted(KEYS.format(colour) for colour in served)


@pytest.mark.parametrize(
    ("source", "path", "is_served"),
    [("web", "tools/old.sh", True), ("web", "a big printer", False), ("agent", "a big printer", True)],
)
def test_a_refuted_statement_of_a_higher_rank_defeats_only_an_untrusted_one_that_is_not_confirmed(
    mix: MemoryMix, world: ScriptedWorld, source: str, path: str, *, is_served: bool
) -> None:
    world.change(Change(files={"tools/old.sh": ""}))
    tell(mix, "The ferry list is printed with tools/none.sh.", 1)
    tell(mix, f"The ferry list is printed with {path}.", 2, source)
    assert texts(mix, "with what is the ferry list printed") == (
        [f"The ferry list is printed with {path}."] if is_served else []
    )


@pytest.mark.parametrize(("parents", "served"), [((), OLD), (("user-1",), NEW), (("user-2",), OLD)])
def test_a_restatement_has_the_time_of_the_latest_statement_that_it_is_derived_from(
    mix: MemoryMix, parents: tuple[str, ...], served: str
) -> None:
    for day, text in ((1, OLD), (2, NEW)):
        tell(mix, text, day)
    origin = Provenance("user", "s3", START + 3 * DAY, "again", parents)
    mix.log_episode("turn", f"As I said, {OLD[0].lower()}{OLD[1:]}", origin=origin)
    assert served[-25:] in texts(mix, ASKED)[0]


@pytest.mark.parametrize("pages", [10, 60])
def test_however_many_pages_repeat_the_question_the_later_statement_defeats_the_earlier(
    mix: MemoryMix, pages: int
) -> None:
    """They neither make the two less probable answers, nor push one of them out of the comparison."""
    tell(mix, OLD, 1)
    tell(mix, NEW, 2)
    for page in range(pages):
        tell(mix, f"{ASKED.capitalize()}, asked guest {page}?", 3 + page, "web")
    assert texts(mix, ASKED) == [NEW]


def test_a_long_text_that_a_later_one_contradicts_is_served_after_it(mix: MemoryMix) -> None:
    """It also says other things."""
    tell(mix, f"{OLD} {CABINS}", 1)
    tell(mix, NEW, 2)
    assert texts(mix, ASKED) == [NEW, f"{OLD} {CABINS}"]


def test_a_long_text_of_which_one_passage_is_served_is_long(mix: MemoryMix) -> None:
    tell(mix, f"{OLD}\n{CABINS}\n{CABINS}", 1)
    tell(mix, NEW, 2)
    assert texts(mix, ASKED) == [NEW, f"{OLD}\n{CABINS}"]


@pytest.mark.parametrize("size", [MOST_REPLACED, MOST_REPLACED + 1])
def test_a_later_statement_replaces_one_of_25_words_but_no_longer_one(mix: MemoryMix, size: int) -> None:
    older = f"{OLD} {' '.join(f'Cabin{number}' for number in range(size - len(OLD.split())))}"
    assert len(analyse(older).stems) == size
    tell(mix, older, 1)
    tell(mix, NEW, 2)
    assert texts(mix, ASKED) == ([NEW] if size == MOST_REPLACED else [NEW, older])


def test_only_the_25_best_are_put_in_order(mix: MemoryMix, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(RIVALS + 15):
        tell(
            mix, f"The ferry carries {'abcdefghijklmnopqrstuvwxyz'[day % 26] * (3 + day // 26)} crates of apples.", day
        )
    sizes = list[int]()

    def in_order(_: Contest, served: list[Candidate]) -> list[Candidate]:
        sizes.append(len(served))
        return served

    monkeypatch.setattr(Contest, "in_order", in_order)
    monkeypatch.setattr(Contest, "loses", lambda *_: False)
    assert len(mix.recall("what does the ferry carry", RIVALS + 5)) == RIVALS + 5
    assert sizes == [RIVALS]


@pytest.mark.parametrize("first", ["agent", "web"])
def test_a_long_text_of_lower_rank_than_one_that_contradicts_it_is_not_served(mix: MemoryMix, first: str) -> None:
    tell(mix, f"{OLD} {CABINS}", 1, first)
    tell(mix, NEW, 2)
    assert texts(mix, ASKED) == [NEW]


@pytest.mark.parametrize(("other", "served"), [("Skerry", 1), ("Hallin", 2)])
def test_facts_are_compared_with_their_descriptions_which_may_name_the_subject(
    mix: MemoryMix, other: str, served: int
) -> None:
    for day, (harbour, hour) in enumerate((("Skerry", "7:40"), (other, "9:15"))):
        origin = Provenance("user", time=START + day * DAY, id=hour)
        mix.write_fact("", f"the ferry to {harbour}", f"The boat leaves at {hour} in the morning.", origin=origin)
    found = texts(mix, ASKED)
    assert len(found) == served
    assert "The boat leaves at 9:15 in the morning." in found


def test_two_candidates_are_compared_in_the_order_of_their_times_with_the_probability_that_both_answer(
    mix: MemoryMix, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = dict[tuple[object, ...], float]()
    monkeypatch.setattr(contest, "contradiction", lambda *pair: compared.setdefault(pair, 0.0))
    tell(mix, NEW, 2)
    tell(mix, OLD, 1)
    assert len(texts(mix, ASKED)) == 2
    one, other = Question(ASKED, Stores(mix.facts, mix.episodes, mix.skills, mix.vectors)).candidates
    assert [*compared] == [(OLD, NEW, ASKED, math.log(one.probability * other.probability))]


def test_the_description_of_a_fact_precedes_the_passage_that_would_be_served() -> None:
    fact, turn = Fact("boat", "Long text.", "the ferry"), Episode(kind="turn", detail="Long text.")
    assert with_description(Candidate(fact, "Text.", "semantic")) == "the ferry Text."
    assert with_description(Candidate(turn, "Text.", "episodic")) == "Text."


def test_what_is_derived_from_a_superseded_fact_is_superseded_with_it(mix: MemoryMix) -> None:
    mix.write_fact("ferry-hour", "", OLD, origin=Provenance("user", "", START, "old"))
    origin = Provenance("agent", "", START + DAY, "plan", ("old",))
    mix.write_fact("plan", "", "We meet at the pier of the ferry to Skerry at half past seven.", origin=origin)
    asked = "when do we meet at the pier of the ferry"
    assert "half past seven" in texts(mix, asked)[0]
    mix.write_fact("ferry-hour", "", NEW, origin=Provenance("user", "", START + 2 * DAY, "new"))
    assert not any("half past seven" in text for text in texts(mix, asked))


def test_a_new_version_may_be_derived_from_a_superseded_one_of_its_subject(mix: MemoryMix) -> None:
    third = NEW.replace("9:15", "8:30")
    for day, (text, parents) in enumerate(((OLD, ()), (NEW, ()), (third, ("v0",)))):
        origin = Provenance("user", "", START + day * DAY, f"v{day}", parents)
        mix.write_fact("ferry-hour", "", text, origin=origin)
    assert texts(mix, ASKED) == [third]


def test_a_fact_of_another_name_is_no_repetition_of_a_superseded_one_and_an_event_is(mix: MemoryMix) -> None:
    for day, text in enumerate((OLD, NEW)):
        mix.write_fact("ferry-hour", "", text, origin=Provenance("user", "", START + 2 * day * DAY, f"v{day}"))
    tell(mix, OLD, 1)
    assert texts(mix, ASKED) == [NEW]
    mix.write_fact("poster", "", OLD, origin=Provenance("user", "", START + DAY, "poster"))
    assert texts(mix, ASKED) == [NEW, OLD]


@pytest.mark.parametrize("page_time", [START - DAY, START + DAY / 2])
def test_a_page_that_says_what_the_user_says_helps_no_agent_against_the_user(mix: MemoryMix, page_time: float) -> None:
    """Its time may be invented, and the user may have confirmed it."""
    mix.write_fact("ferry-hour", "", OLD, origin=Provenance("user", "", START + DAY, "said"))
    mix.log_episode("page", OLD, origin=Provenance("web", "", page_time, "page"))
    mix.log_episode("turn", NEW, origin=Provenance("agent", "", START + 2 * DAY, "error"))
    assert OLD in texts(mix, ASKED)


def test_facts_with_two_names_are_put_in_order_and_none_is_withheld() -> None:
    assert contest.UNSURE < SURE
