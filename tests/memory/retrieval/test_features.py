from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from memlab.memory.indexing.neighbours import NEIGHBOUR_WEIGHTS
from memlab.memory.retrieval.features import FEATURES, Clause, MemoryText
from memlab.memory.retrieval.relevance import BACKGROUND, LONGEST_PASSAGE, phrases, question_stems, stem_set
from memlab.memory.trust import USER


def feature(name: str, question: str, text: str, names: tuple[str, ...] = (), **known: object) -> float:
    (clause, *_) = Clause.split(question, question_stems(question), names, {}, 100)
    found = MemoryText(text, stem_set(text), USER, len(text))
    return clause.features(found._replace(**known))[FEATURES.index(name)]  # type: ignore[arg-type] # any field


BOILER = "boiler gasket cellar"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("text", "A boiler.", 1 / 3),
        ("text", "A cellar with a boiler.", 2 / 3),
        ("text", "A lamp.", 0),
        ("phrases", "The boiler gasket.", math.log(2)),
        ("phrases", "Boiler, gasket, cellar.", math.log(3)),
        ("phrases", "A gasket boiler, and a boiler with gasket.", 0),
        ("long", "A boiler." + " " * LONGEST_PASSAGE * 2, math.log(2 + 9 / LONGEST_PASSAGE)),
        ("long", "A boiler.", 0),
        ("trust", "A boiler.", 1),
    ],
)
def test_the_text_is_the_share_of_equally_frequent_words_and_a_phrase_a_pair_of_adjacent_words(
    name: str, text: str, value: float
) -> None:
    assert feature(name, BOILER, text) == pytest.approx(value)


def test_the_most_common_words_count_in_phrases_but_not_two_of_them() -> None:
    asked = "what is in the boiler of the cellar"
    assert feature("phrases", asked, "It is in the boiler.") == math.log(2)
    assert feature("phrases", asked, "There is in the attic a kettle of the cook.") == 0
    assert feature("phrases", asked, "He saw what is in the boiler of the cellars.") == math.log(4)
    assert phrases("Why does THIS? Was it hers?") == frozenset()
    assert phrases("Does this BOILER leak") == phrases("this boiler leaks") == {("this", "boiler"), ("boiler", "leak")}


def test_the_length_is_that_of_the_complete_text_and_trust_the_share_of_the_highest_rank() -> None:
    assert feature("long", BOILER, "A boiler.", size=3 * LONGEST_PASSAGE) == pytest.approx(math.log(3))
    assert feature("trust", BOILER, "A boiler.", rank=1) == pytest.approx(1 / USER)


def test_nothing_covers_a_question_of_common_words() -> None:
    assert feature("text", "what is it", "It is what it is.") == 0


@pytest.mark.parametrize(("place", "step"), [*enumerate(NEIGHBOUR_WEIGHTS)])
def test_a_word_that_only_a_neighbour_has_counts_with_the_weight_of_that_neighbour(place: int, step: int) -> None:
    near = tuple(frozenset({"boiler"} if place == other else ()) for other in range(len(NEIGHBOUR_WEIGHTS)))
    assert feature("text", BOILER, "A cellar.", near=near) == pytest.approx((1 + NEIGHBOUR_WEIGHTS[step]) / 3)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_neighbour_weighs_less_the_farther_it_is_and_more_before_than_after(side: int) -> None:
    weights = [weight for step, weight in NEIGHBOUR_WEIGHTS.items() if step * side > 0]
    assert weights == sorted(weights, reverse=True)
    assert all(NEIGHBOUR_WEIGHTS[-step] > weight for step, weight in NEIGHBOUR_WEIGHTS.items() if step > 0)


def test_a_word_weighs_its_inverse_document_frequency_with_the_background() -> None:
    (clause,) = Clause.split(BOILER, question_stems(BOILER), (), {"boiler": 9}, 100)
    unit = math.log(102 + BACKGROUND)
    assert clause.weights == pytest.approx(
        {"boiler": math.log(1 + (101 + BACKGROUND) / 10) / unit, "gasket": 1, "cellar": 1}
    )


@pytest.mark.parametrize(("names", "left"), [("ada", "play"), ("ada play", "ada play"), ("", "ada play")])
def test_the_name_of_a_speaker_is_no_content_of_a_question_unless_it_has_no_other(names: str, left: str) -> None:
    question = "What does Ada play"
    (clause,) = Clause.split(question, question_stems(question), stem_set(names), {}, 100)
    assert clause.weights.keys() == clause.own_words == stem_set(left)


def test_a_named_speaker_counts_for_own_turns_and_against_the_others() -> None:
    asked = "What does Ada play", "Ada: I play the viola.", "Bo: Ada plays the viola."
    assert feature("speaker", *asked[:2], names=("ada",)) == 1
    assert feature("speaker", asked[0], asked[2], names=("ada",)) == -1
    assert feature("speaker", *asked[:2]) == 0
    assert feature("speaker", asked[0], "We heard Ada play.", names=("ada",)) == 1
    assert feature("speaker", asked[0], "We heard Bo play.", names=("ada",)) == -1


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("what was played on 7 May 2023", 1),
        ("what was played on the 07th of May 2023", 1),
        ("what was played on 9 May 2023", 2 / 3),
        ("what was played", 0),
    ],
)
def test_a_date_in_the_question_counts_for_what_was_said_on_it(question: str, share: float) -> None:
    time = datetime(2023, 5, 7, 12, tzinfo=UTC).timestamp()
    assert feature("date", question, "We played the viola.", time=time) == pytest.approx(share)


def test_each_clause_is_a_question_with_the_others_as_context() -> None:
    question = "who stencils the atlas, and where is the warehouse"
    clauses = Clause.split(question, question_stems(question), (), {}, 100)
    assert [clause.own_words for clause in clauses] == [stem_set("stencils atlas"), stem_set("warehouse")]
    assert [clause.weight(clause.own_words) for clause in clauses] == pytest.approx([2, 1])
    assert [clause.weight(set(clause.weights) - clause.own_words) for clause in clauses] == pytest.approx(
        [1 / 2, 1 / 2]
    )
    text = MemoryText("The atlas.", stem_set("atlas"), USER)
    assert [clause.features(text)[FEATURES.index("text")] for clause in clauses] == pytest.approx([1 / 2.5, 0.25 / 1.5])


def test_an_everyday_word_weighs_less_than_another_until_the_memory_shows_otherwise() -> None:
    question = "bring the musette"
    (few,) = Clause.split(question, question_stems(question), (), {}, 10)
    (many,) = Clause.split(question, question_stems(question), (), {"musett": 90_000}, 100_000)
    assert few.weights["bring"] < few.weights["musett"]
    assert many.weights["bring"] > many.weights["musett"]


def test_a_time_outside_the_calendar_has_no_date() -> None:
    assert feature("date", "what was played on 7 May 2023", "We played.", time=1e18) == 0
