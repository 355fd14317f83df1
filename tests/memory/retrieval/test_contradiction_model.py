from __future__ import annotations

import math

import pytest

from memlab.memory.retrieval.contest import UNSURE
from memlab.memory.retrieval.contradiction import (
    FEATURES,
    MIN_LOG_ODDS,
    MOST_SENTENCES,
    MOST_VALUES,
    analyse,
    content_words,
    contradiction,
    contrasts,
    features,
    is_long,
    split,
)
from memlab.memory.retrieval.contradiction_weights import BIAS, WEIGHTS

ASKED = "at which hour does the ferry to Skerry leave"
OLD, NEW = "The ferry to Skerry leaves at 7:40.", "The ferry to Skerry now leaves at 9:15."
BOTH = math.log(0.25)
FILLER = " ".join(f"Sentence {n} is about gulls and seals near rock {n}." for n in range(8))
PLACES = 0, 0, 3 / 8, BOTH, 1, 1, 1.0 + 0.6 + 1.0 + 0.6


def test_the_words_of_a_text_are_stems_of_which_numbers_names_and_common_words_are_known() -> None:
    found = analyse("The Skerry ferry's 2 boats left Hallin\u2019s pier at 21:45, not oat,2004.")
    boats = content("boats left hallin pier")
    assert found.stems == ("the", *content("skerry ferry"), "2", *boats, "at", "21:45", "not", *content("oat"), "2004")
    assert [stem for stem, counts in zip(found.stems, found.counts, strict=True) if not counts] == ["the", "at", "not"]
    assert found.content == set(found.stems) - {"the", "at", "not"}
    assert found.numbers == {"2", "21:45", "2004"}
    assert found.names == set(content("Skerry Hallin"))
    assert content_words("The ferry, the FERRY") == set(content("ferry"))


def content(text: str) -> tuple[str, ...]:
    return tuple(stem for stem, counts in zip(analyse(text).stems, analyse(text).counts, strict=True) if counts)


@pytest.mark.parametrize(
    ("text", "is_update", "denies"),
    [
        ("The ferry leaves at nine.", False, False),
        ("The ferry NOW leaves at nine.", True, False),
        ("From Monday on it leaves at nine.", True, False),
        ("It does NOT leave, and it doesn\u2019t wait.", False, True),
        ("The ferry no longer leaves.", True, True),
        ("The ferry cannot leave.", False, True),
        ("The ferry is not at the quay.", False, True),
        ("The knower of notes is nowhere.", False, False),
    ],
)
def test_a_text_may_speak_of_a_change_or_deny(text: str, *, is_update: bool, denies: bool) -> None:
    assert (analyse(text).is_update, analyse(text).denies) == (is_update, denies)


@pytest.mark.parametrize(
    ("older", "newer", "question", "values"),
    [
        (OLD, NEW, ASKED, (1, 1, 4 / 6, BOTH, 1, 0, 1.0)),
        (NEW, OLD, ASKED, (1, 0, 4 / 6, BOTH, 1, 0, 1.0)),
        (OLD, NEW, "where is the key", (0, 1, 4 / 6, BOTH, 1, 1, 1.0)),
        (OLD, NEW, "", (0, 1, 4 / 6, BOTH, 1, 1, 1.0)),
        (OLD, OLD, ASKED, (1, 0, 1, BOTH, 0, 1, 0)),
        (
            "Ada painted the north wall red with a roller.",
            "Ben painted the south wall blue with a roller.",
            "who has a roller",
            (1, 0, 3 / 8, BOTH, 0, 1, 0),
        ),
        ("Skerry pier 7:40", "Skerry pier office", "", (0, 0, 1 / 2, BOTH, 0, 1, 0)),
        ("Skerry pier office", "Skerry pier 7:40", "", (0, 0, 1 / 2, BOTH, 0, 1, 0)),
        ("Skerry pier", "Skerry pier office", "", (0, 0, 1, BOTH, 0, 1, 0)),
        (f"{FILLER} The hour is known. {OLD} {FILLER}", NEW, ASKED, (3 / 4, 1, 4 / 6, BOTH, 1, 0, 1)),
        (OLD, f"{FILLER} The hour is known. {NEW} {FILLER}", ASKED, (3 / 4, 1, 4 / 6, BOTH, 1, 0, 1)),
        ("1 gull. Old pier 3 ferry leaves. 5 seals", "2 gull. Old pier 4 ferry leaves. 6 seals", "", PLACES),
        ("Boat 3 leaves pier 7", "Boat 3 leaves pier 9", "from where", (0, 0, 3 / 4, BOTH, 0, 1, 1.6)),
    ],
)
def test_the_features_are_what_two_statements_share_and_where_they_differ(
    older: str, newer: str, question: str, values: tuple[float, ...]
) -> None:
    found = features(older, newer, question, BOTH)
    assert dict(zip(FEATURES, found, strict=True)) == pytest.approx(dict(zip(FEATURES, values, strict=True)))
    odds = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True))
    probability = contradiction(older, newer, question, BOTH)
    assert probability == pytest.approx(1 / (1 + math.exp(-odds))) or (probability == 0 and odds < MIN_LOG_ODDS)


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (OLD, "The ferry is green.", ASKED),
        (OLD, OLD.replace("Skerry", "Hallin"), ASKED),
        (OLD, OLD.replace("7:40", "9:15"), "what happens at 7:40"),
        ("The boiler in the cellar is old.", "The boiler in the attic is old.", "how old is the boiler in the cellar"),
        ("Skerry ferry is old", "Hallin ferry is old", "how old is the Skerry ferry"),
        ("7 ferry is old", "9 ferry is old", "how old is the ferry 7"),
        ("the red lamp is broken", "the blue lamp was broken", "is the red lamp broken"),
    ],
    ids=[
        "one shared word",
        "another name",
        "another number",
        "another word in a clear place",
        "another name in a less clear place",
        "another number in a less clear place",
        "another word in a place that is just clear",
    ],
)
def test_statements_about_two_things_have_no_features_and_do_not_contradict(
    older: str, newer: str, question: str
) -> None:
    for one, other in ((older, newer), (newer, older)):
        assert features(one, other, question, BOTH) == ()
        assert contradiction(one, other, question, BOTH) == 0


@pytest.mark.parametrize("other", ["red", "Skerry"])
def test_a_word_of_another_kind_in_a_place_that_is_not_clear_is_no_other_thing(other: str) -> None:
    one, another, asked = f"{other} ferry is old", "green ferry is old", f"how old is the {other} ferry"
    assert features(one, another, asked, BOTH)
    assert features(another, one, asked, BOTH)


@pytest.mark.parametrize(
    ("older", "newer", "unknown"),
    [
        ("The red ferry is old.", "The green ferry is old.", 0),
        ("Old pier 3 ferry leaves.", "Old pier 4 ferry leaves.", 0),
        (OLD, NEW, WEIGHTS[-1] * (3.2 - 1.0)),
    ],
    ids=["no numbers", "numbers in the clearest place", "numbers in a less clear place"],
)
def test_features_are_not_computed_where_the_log_odds_cannot_reach_the_least(
    older: str, newer: str, unknown: float
) -> None:
    """Before the places are compared, only the largest value of the last feature is known."""
    values = features(older, newer, "", BOTH)
    odds = sum((weight * value for weight, value in zip(WEIGHTS, values, strict=True)), BIAS)
    assert features(older, newer, "", BOTH, odds + unknown - 1e-9) == values
    assert features(older, newer, "", BOTH, odds + unknown + 1e-9) == ()


def test_a_probability_too_small_to_change_the_order_is_given_as_0() -> None:
    assert 1 / (1 + math.exp(-MIN_LOG_ODDS)) < UNSURE
    assert contradiction(OLD, NEW, ASKED, -100) == 0


def test_a_text_is_long_from_51_words_on() -> None:
    assert not is_long("word " * 50)
    assert is_long("word " * 51)


@pytest.mark.parametrize(
    ("one", "other", "fit"),
    [
        ("big red lamp shines bright", "big blue lamp shines bright", 1.0 + 1.0 + 0.6),
        ("the red and lamp", "the blue and lamp", 0.4 + 0.4 + 0.6),
        ("red lamp", "blue lamp", 1.0),
        ("very old red", "very old blue", 0.6 * 0.4 + 1.0),
        ("the red of", "the blue of", 0.4 + 0.4),
        ("he is red", "he is blue", None),
        ("the red", "the blue", None),
        ("red of lamp", "blue lamp", None),
    ],
)
def test_words_in_the_same_place_are_compared_by_the_neighbours_that_they_share(
    one: str, other: str, fit: float | None
) -> None:
    found = {(first, second): weight for first, second, weight in contrasts(analyse(one), analyse(other))}
    assert found == pytest.approx({} if fit is None else {("red", "blue"): fit})


def test_only_the_first_values_of_a_text_are_compared() -> None:
    values = [f"v{n}" for n in range(MOST_VALUES + 5)]
    one, other = (analyse(" ".join(f"k{n} {mark}{value}" for n, value in enumerate(values))) for mark in "ab")
    assert len({first for first, *_ in contrasts(one, other)}) == MOST_VALUES


def test_long_texts_are_compared_by_the_sentences_that_match_best() -> None:
    long = f"{FILLER} {OLD} {FILLER}"
    expected = pytest.approx(features(OLD, NEW, ASKED, BOTH))
    assert features(long, NEW, ASKED, BOTH) == expected
    assert features(OLD, f"{FILLER}\n{NEW}\n{FILLER}", ASKED, BOTH) == expected


def test_the_sentence_that_shares_words_of_the_question_matches_better_and_of_two_such_the_shorter() -> None:
    newer = "The tide gauge of the old pier is green, and the ferry to Skerry leaves at 9:15."
    gauge, wordy = "The tide gauge of the old pier is green.", OLD.replace(".", ", say gulls, seals and crabs.")
    for long in (f"It is so. {gauge} {wordy} {OLD} {FILLER}", f"{FILLER} {OLD} {wordy} {gauge}"):
        assert features(long, newer, ASKED, BOTH) == features(OLD, newer, ASKED, BOTH)
        assert features(newer, long, ASKED, BOTH) == features(newer, OLD, ASKED, BOTH)


def test_two_statements_that_probably_both_answer_contradict_each_other_more_probably() -> None:
    probable, improbable = (contradiction(OLD, NEW, ASKED, both) for both in (math.log(0.25), math.log(0.01)))
    assert probable > improbable > 0


def test_of_a_long_text_only_the_first_sentences_are_compared() -> None:
    sentences = [f"Boat {n} is here." for n in range(MOST_SENTENCES + 3)]
    assert split(" ".join(sentences)) == tuple(map(analyse, sentences[:MOST_SENTENCES]))
    assert split("One; two! three?\n\n four") == tuple(map(analyse, ["One", "two", "three", "four"]))
