from __future__ import annotations

import pytest

from memlab.memory import MemoryMix, Provenance, ScriptedWorld
from memlab.memory.retrieval.relevance import SHORTEST_EXCERPT, excerpt, passages, weigh
from memlab.memory.world import Change

WEB = Provenance("web")

HINTS, VALID = 240, 40
"""The valid hint is older than the 50 candidates of the first search."""


def recalled(mix: MemoryMix, query: str, k: int = 5) -> list[str]:
    return [found.text for found in mix.recall(query, k)]


def test_a_question_that_nothing_answers_gets_no_answer(mix: MemoryMix) -> None:
    mix.write_fact("duty", "who ships on fridays", "On Fridays Mara ships.")
    assert recalled(mix, "what is the wifi password of the office") == []
    assert recalled(mix, "what is it and how") == []


def test_few_rare_words_answer_a_long_question_and_a_lone_one_does_not(mix: MemoryMix) -> None:
    hearing = "The Solberg hearing was moved, it is on 3 November now."
    shed = "The mower has to be refuelled outdoors, cold, and never by the under-eighteens."
    mix.write_fact("hearing", "", hearing)
    mix.write_fact("shed", "", shed)
    for n in range(40):
        mix.log_episode("office", f"Matter {n}: letter drafted, client called back.")
    assert recalled(mix, "I need to block my calendar for the Solberg hearing") == [hearing]
    assert recalled(mix, "is my 16 year old allowed to refuel the mower", 2) == [shed]
    assert recalled(mix, "I need to buy a new mower for my uncle in Bergen", 2) == []
    assert recalled(mix, "mower") == [shed]


def test_a_word_weighs_1_if_no_text_holds_it_and_less_the_more_do() -> None:
    weights = weigh(["kept", "common", "unheard"], {"kept": 1, "common": 98}, 98)
    assert weights["unheard"] == 1
    assert 0 < weights["common"] < weights["kept"] < 1


def test_only_memories_that_answer_are_served_not_those_that_share_a_word(mix: MemoryMix) -> None:
    mix.write_fact("night-roster", "who writes the night roster", "The night roster is written by Ewa.")
    mix.write_fact("day-roster", "who writes the day roster", "The day roster is written by Jon.")
    assert recalled(mix, "who writes the night roster") == ["The night roster is written by Ewa."]


def test_a_question_with_two_parts_gets_an_answer_to_each(mix: MemoryMix) -> None:
    mix.write_fact("guide", "guide of the walk", "The walk around Skerry is led by Oona.")
    mix.write_fact("meal", "lunch on the walk", "Lunch on the walk around Skerry is soup.")
    assert len(recalled(mix, "who leads the walk around Skerry and what is for lunch")) == 2


@pytest.mark.parametrize("k", [5, 10])
def test_an_untrusted_text_with_more_words_of_the_question_pushes_out_no_trusted_answer(mix: MemoryMix, k: int) -> None:
    question = "tell me about the greenhouse and the holiday of the gardener in august"
    mix.log_episode("turn", "The greenhouse key hangs in the shed.")
    (key,) = mix.recall(question, k)
    holiday = "In August the gardener has a holiday and nobody waters the tomatoes of the greenhouse."
    mix.log_episode("page", holiday, origin=WEB)
    beside = {found.text: found.score for found in mix.recall(question, k)}
    assert beside == {holiday: pytest.approx(0.98, abs=0.02), key.text: pytest.approx(key.score, abs=0.02)}


def test_an_answer_to_the_second_part_does_not_compete_in_the_first_because_it_names_the_subject(
    mix: MemoryMix,
) -> None:
    for what in ("roof", "cellar", "fence", "gate", "lamp"):
        mix.log_episode("note", f"Mrs Kowalczyk of the Linden school called about the {what}.")
    wanted = "Overflow desk: Mrs Kowalczyk, Linden school, reference EST-22950"
    mix.log_episode("note", wanted)
    for n in range(40):
        mix.log_episode("note", f"The kettle of room {n} was descaled.")
    question = "What did Mrs Kowalczyk of the Linden school call about, and which reference did we give"
    assert wanted in recalled(mix, question, 3)


@pytest.mark.parametrize(
    "asks",
    [
        "a plumber from the next valley asks",
        "my aunt and her grown sons on the phone asked",
        "the caretaker of that old school wonders",
        "please tell the young lady from the paper",
        "does anybody in this draughty old house know",
    ],
)
def test_words_about_the_asker_are_no_part_of_the_question(mix: MemoryMix, asks: str) -> None:
    key = "The spare key of the boathouse hangs behind the clock."
    mix.write_fact("key", "", key)
    for n in range(40):
        mix.log_episode("round", f"Round {n}: {('boathouse painted', 'a new key cut', 'lawn mown', 'ivy cut')[n % 4]}.")
    assert recalled(mix, f"{asks} where to find the boathouse key", 2)[0] == key
    assert recalled(mix, f"{asks} where to find the boiler switch") == []


def test_when_finds_an_event_what_a_fact_and_how_the_steps(mix: MemoryMix) -> None:
    mix.write_fact("boiler", "pressure of the boiler in the cellar", "The boiler in the cellar runs at 1.4 bar.")
    mix.write_skill("light-boiler", "Open the gas tap. Light the boiler.", "how to light the boiler in the cellar")
    mix.log_episode("fault", "The boiler in the cellar failed because of soot.")
    assert mix.recall("when did the boiler in the cellar fail", 1)[0].store == "episodic"
    assert mix.recall("what is the pressure of the boiler in the cellar", 1)[0].store == "semantic"
    assert mix.recall("how do I light the boiler in the cellar", 1)[0].store == "procedural"


def test_a_refuted_memory_is_listed_and_the_next_best_is_served(mix: MemoryMix) -> None:
    mix.write_fact("old", "which script ships", "To ship, run scripts/old.sh.")
    mix.write_fact("new", "who knows which script ships", "Ask Mara which script ships.")
    for _ in range(2):
        assert recalled(mix, "to ship, run which script") == ["Ask Mara which script ships."]
    (listed,) = mix.needs_refreshing()
    assert listed["names"] == "scripts/old.sh"
    mix.mark_refreshed({listed["id"]})
    assert mix.needs_refreshing() == []


def test_a_refuted_fact_leaves_the_list_when_its_new_version_is_written(mix: MemoryMix) -> None:
    mix.write_fact("deploy", "how we deploy", "Deploy with scripts/gone.sh.")
    assert recalled(mix, "how do we deploy") == []
    assert [one["names"] for one in mix.needs_refreshing()] == ["scripts/gone.sh"]
    mix.write_fact("deploy", "how we deploy", "Deploy by hand.")
    assert mix.needs_refreshing() == []


@pytest.mark.parametrize("store", ["facts", "log"])
def test_any_number_of_refuted_memories_hides_no_other(mix: MemoryMix, store: str) -> None:
    mix.write_fact("gears", "care of the gears", "The gears of the mill want oil on Mondays.")
    for n in range(HINTS):
        file = "Makefile" if n == VALID else f"scripts/old{n % 3}.sh"
        hint = f"Hint {n}: the wheel turns after {file} was read."
        if store == "facts":
            mix.write_fact(f"hint-{n}", "", hint, origin=WEB)
        else:
            mix.log_episode("hint", hint, origin=WEB)
    assert [text[:8] for text in recalled(mix, "after which file was read does the wheel turn")] == [f"Hint {VALID}:"]
    page = mix.assemble("oil the gears, and after what does the wheel turn", 400)
    assert "on Mondays" in page
    assert "Makefile" in page


def test_episodes_do_not_restate_superseded_facts(mix: MemoryMix) -> None:
    mix.log_episode("turn", "Please set my timezone to Paris time.")
    mix.write_fact("timezone", "timezone", "The timezone of Ada is Paris time.")
    assert "Please set" in mix.assemble("please set the timezone", 400)
    mix.write_fact("timezone", "timezone", "The timezone of Ada is Lisbon time.")
    assert "Paris" not in mix.assemble("please set the timezone", 400)
    assert recalled(mix, "what is the timezone of Ada") == ["The timezone of Ada is Lisbon time."]
    mix.log_episode("turn", "Back for good, so my timezone is Paris time again.")
    assert any("Back for good" in text for text in recalled(mix, "is the timezone Paris time"))


def test_the_episode_behind_a_superseded_statement_is_superseded_too(mix: MemoryMix) -> None:
    mix.log_episode("turn", "I have moved my desk to the lower office.", origin=Provenance(id="said"))
    noted = Provenance("agent", derived_from=("said",))
    mix.write_fact("desk", "where the desk is", "Ada sits in room two, by the window of the office.", origin=noted)
    mix.write_fact("desk", "where the desk is", "Ada sits in room nine.")
    assert "lower office" not in mix.assemble("find the desk of Ada in the office", 400)


def test_an_episode_is_found_by_its_kind_too(mix: MemoryMix) -> None:
    mix.log_episode("rollback", "Version 3 went back to 2.")
    mix.log_episode("deploy", "Version 3 went out.")
    assert recalled(mix, "was there a rollback") == ["Version 3 went back to 2."]


def test_of_equal_texts_the_latest_of_the_most_trusted_is_served(mix: MemoryMix) -> None:
    for source, identity in (("web", "one"), ("user", "two"), ("user", "three"), ("web", "four")):
        mix.log_episode("turn", "The lamp is red.", origin=Provenance(source, id=identity))
        mix.recall("the colour of the lamp")
    (found,) = mix.recall("is the lamp red")
    assert found.origin.id == "three"


def test_a_restatement_of_a_superseded_statement_is_superseded_too(mix: MemoryMix) -> None:
    old = mix.write_fact("library", "when the library opens", "The library opens at nine.")
    mix.log_episode("summary", "The library opens early.", origin=Provenance("agent", derived_from=(old.id,)))
    mix.write_fact("library", "when the library opens", "The library opens at noon.")
    assert "early" not in mix.assemble("be at the library when it opens", 400)
    assert recalled(mix, "library opens early") == ["The library opens at noon."]


def test_a_restatement_by_way_of_a_skill_is_superseded_with_the_original(mix: MemoryMix) -> None:
    old = mix.write_fact("library", "when the library opens", "The library opens at nine.")
    steps = mix.write_skill("books", "Be there at nine.", origin=Provenance("agent", derived_from=(old.id,)))
    mix.write_fact("cards", "cards", "Cards are stamped early.", origin=Provenance("agent", derived_from=(steps.id,)))
    assert recalled(mix, "cards are stamped early") == ["Cards are stamped early."]
    mix.write_fact("library", "when the library opens", "The library opens at noon.")
    assert recalled(mix, "cards are stamped early") == []


def test_an_event_about_a_subject_takes_its_place_among_the_versions(mix: MemoryMix) -> None:
    mix.log_episode("tool", "Panel: the limit of the pump is 2.1 bar.", "pump-limit", Provenance("tool"))
    mix.log_episode("turn", "The limit of the pump is 3.4 bar now.", "pump-limit")
    mix.log_episode("turn", "Forum: the limit of the pump is 9.9 bar.", "pump-limit", WEB)
    assert recalled(mix, "what is the limit of the pump") == ["The limit of the pump is 3.4 bar now."]
    context = mix.assemble("check the limit of the pump", 200)
    assert "3.4" in context
    assert "2.1" not in context
    assert "9.9" not in context


def test_a_lower_rank_is_served_when_the_world_refutes_the_old_and_confirms_the_new(
    mix: MemoryMix, world: ScriptedWorld
) -> None:
    mix.write_fact("ship", "the script that ships", "Ship with scripts/deploy.sh.")
    mix.write_fact("ship", "the script that ships", "Ship with tools/ship.sh.", origin=Provenance("agent"))
    assert recalled(mix, "the script that ships") == ["Ship with scripts/deploy.sh."]
    world.change(Change(files={"scripts/deploy.sh": None}))
    assert recalled(mix, "the script that ships") == []
    world.change(Change(actor="web", files={"tools/ship.sh": ""}))
    assert recalled(mix, "the script that ships") == []
    world.change(Change(files={"tools/ship.sh": ""}))
    assert recalled(mix, "the script that ships") == ["Ship with tools/ship.sh."]


def test_an_uncontested_statement_of_the_web_is_served_and_marked(mix: MemoryMix) -> None:
    mix.write_fact("node", "what pnpm needs", "pnpm 9 needs Node 18.", origin=WEB)
    (found,) = mix.recall("what does pnpm 9 need")
    assert found.origin.source == "web"
    assert "web is not trusted" in found.notes
    assert ", web, not trusted) pnpm 9 needs Node 18." in mix.assemble("update pnpm", 200)


def test_near_duplicates_count_once_but_other_names_are_other_things(mix: MemoryMix) -> None:
    for tail in ("", " ", "!", " now"):
        mix.write_fact("", "", f"The nightly backup of the main server runs before dawn on Sunday in May{tail}")
    assert len(recalled(mix, "when runs the nightly backup of the main server", 4)) == 1
    for place, port in (("Lisbon", 5432), ("Porto", 5433)):
        mix.write_fact("", "", f"The replica of the main database server in {place} listens on port {port} for reads")
    (found,) = recalled(mix, "on which port listens the replica of the database in Lisbon", 1)
    assert "5432" in found


def test_of_a_long_result_only_the_passage_that_answers_is_recalled_and_more_if_it_is_short(mix: MemoryMix) -> None:
    lines = [f"line {n}: nothing of note happened here" for n in range(900)]
    lines[444] = "error: connection refused on port 5433"
    mix.log_episode("tool", "\n".join(lines), origin=Provenance("tool"))
    (found,) = recalled(mix, "on which port was the connection refused")
    assert found.split("\n") == lines[444 : 444 + len(found.split("\n"))]
    assert SHORTEST_EXCERPT <= len(found) < SHORTEST_EXCERPT + len(lines[445])


@pytest.mark.parametrize("text", ["x" * 5000, "word " * 2000, "One sentence here. " * 300, "short\n\nlines"])
def test_passages_lose_no_word(text: str) -> None:
    assert "".join("".join(passages(text)).split()) == "".join(text.split())
    assert excerpt(text, {}) in {text, *passages(text)}


@pytest.mark.parametrize(
    ("answer", "served"),
    [(0, [0, 1]), (1, [1, 2, 3]), (2, [2, 3, 4]), (7, [7, 8]), (9, [8, 9])],
)
def test_a_short_passage_is_served_with_those_after_it_or_at_the_end_with_those_before_it(
    answer: int, served: list[int]
) -> None:
    lines = [f"line {number} {'x' * (60 if number in {0, 8} else 30)}" for number in range(10)]
    lines[answer] += " viola"
    assert excerpt("\n".join(lines), {"viola": 1.0}) == "\n".join(lines[number] for number in served)


@pytest.mark.parametrize("length", [SHORTEST_EXCERPT - 1, SHORTEST_EXCERPT])
def test_a_passage_of_100_characters_is_served_alone(length: int) -> None:
    lines = ["viola".ljust(length, "x"), *["y" * 300] * 2]
    lines[0] = "viola " + "x" * (length - 6)
    assert (excerpt("\n".join(lines), {"viola": 1.0}) == lines[0]) is (length == SHORTEST_EXCERPT)


@pytest.mark.parametrize(
    ("stored", "question"),
    [
        (
            "\u8f66\u5e93\u94a5\u5319\u5728\u84dd\u8272\u62bd\u5c49\u91cc\u3002",
            "\u8f66\u5e93\u94a5\u5319\u5728\u54ea\u91cc?",
        ),
        (
            "\u9375\u306f\u9752\u3044\u5f15\u304d\u51fa\u3057\u306b\u3042\u308a\u307e\u3059\u3002",
            "\u9375\u306f\u3069\u3053\u3067\u3059\u304b",
        ),
        (
            "\uc11c\ubc84\uac00 \uc11c\uc6b8\uc5d0 \uc788\uc2b5\ub2c8\ub2e4.",
            "\uc11c\ubc84\ub294 \uc5b4\ub514\uc5d0 \uc788\ub098\uc694",
        ),
    ],
    ids=["Chinese", "Japanese", "Korean"],
)
def test_a_text_without_blanks_between_its_words_is_found(mix: MemoryMix, stored: str, question: str) -> None:
    mix.log_episode("turn", stored)
    assert recalled(mix, question) == [stored]
