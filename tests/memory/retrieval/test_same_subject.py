from __future__ import annotations

import math

import pytest

from memlab.memory.retrieval.same_subject import (
    FEATURES,
    LEAST,
    MOST_SENTENCES,
    MOST_VALUES,
    analyse,
    content_words,
    contradiction,
    contrasts,
    features,
    split,
)
from memlab.memory.retrieval.same_subject_weights import BIAS, WEIGHTS

ASKED = "at which hour does the ferry to Skerry leave"
OLD, NEW = "The ferry to Skerry leaves at 7:40.", "The ferry to Skerry now leaves at 9:15."
BOTH = math.log(0.25)


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
        ("The knower of notes is nowhere.", False, False),
    ],
)
def test_a_text_may_speak_of_a_change_or_deny(text: str, *, is_update: bool, denies: bool) -> None:
    assert (analyse(text).is_update, analyse(text).denies) == (is_update, denies)


@pytest.mark.parametrize(
    ("older", "newer", "question", "values"),
    [
        (OLD, NEW, ASKED, (1, 1, 4 / 6, BOTH, 1, 1.0)),
        (NEW, OLD, ASKED, (1, 0, 4 / 6, BOTH, 1, 1.0)),
        (OLD, NEW, "where is the key", (0, 1, 4 / 6, BOTH, 1, 1.0)),
        (OLD, NEW, "", (0, 1, 4 / 6, BOTH, 1, 1.0)),
        (OLD, OLD, ASKED, (1, 0, 1, BOTH, 0, 0)),
        (
            "Ada painted the north wall red with a roller.",
            "Ben painted the south wall blue with a roller.",
            "who has a roller",
            (1, 0, 3 / 8, BOTH, 0, 0),
        ),
        ("Skerry pier 7:40", "Skerry pier office", "", (0, 0, 1 / 2, BOTH, 0, 0)),
        ("Boat 3 leaves pier 7", "Boat 3 leaves pier 9", "from where", (0, 0, 3 / 4, BOTH, 0, 1.6)),
    ],
)
def test_the_features_are_what_two_statements_share_and_where_they_differ(
    older: str, newer: str, question: str, values: tuple[float, ...]
) -> None:
    found = features(older, newer, question, BOTH)
    assert dict(zip(FEATURES, found, strict=True)) == pytest.approx(dict(zip(FEATURES, values, strict=True)))
    odds = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True))
    probability = contradiction(older, newer, question, BOTH)
    assert probability == pytest.approx(1 / (1 + math.exp(-odds))) or (probability == 0 and odds < LEAST)


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (OLD, "The ferry is green.", ASKED),
        (OLD, OLD.replace("Skerry", "Hallin"), ASKED),
        (OLD, OLD.replace("7:40", "9:15"), "what happens at 7:40"),
        ("The boiler in the cellar is old.", "The boiler in the attic is old.", "how old is the boiler in the cellar"),
    ],
    ids=["one shared word", "another name", "another number", "another word in a clear place"],
)
def test_statements_about_two_things_have_no_features_and_do_not_contradict(
    older: str, newer: str, question: str
) -> None:
    for one, other in ((older, newer), (newer, older)):
        assert features(one, other, question, BOTH) == ()
        assert contradiction(one, other, question, BOTH) == 0


def test_features_are_not_computed_where_the_log_odds_cannot_reach_the_least() -> None:
    values = features(OLD, NEW, ASKED, BOTH)
    odds = BIAS + sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True))
    assert features(OLD, NEW, ASKED, BOTH, odds) == values
    assert features(OLD, NEW, ASKED, BOTH, odds + 100) == ()


@pytest.mark.parametrize(
    ("one", "other", "fit"),
    [
        ("big red lamp shines bright", "big blue lamp shines bright", 1.0 + 1.0 + 0.6),
        ("the red and lamp", "the blue and lamp", 0.4 + 0.4 + 0.6),
        ("red lamp", "blue lamp", 1.0),
        ("very old red", "very old blue", 0.6 * 0.4 + 1.0),
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
    filler = " ".join(f"Sentence {n} is about gulls and seals near rock {n}." for n in range(8))
    long = f"{filler} {OLD} {filler}"
    expected = pytest.approx(features(OLD, NEW, ASKED, BOTH))
    assert features(long, NEW, ASKED, BOTH) == expected
    assert features(OLD, f"{filler}\n{NEW}\n{filler}", ASKED, BOTH) == expected


def test_the_sentence_that_shares_words_of_the_question_matches_better_and_of_two_such_the_shorter() -> None:
    filler = " ".join(f"Sentence {n} is about gulls and seals near rock {n}." for n in range(8))
    newer = "The tide gauge of the old pier is green, and the ferry to Skerry leaves at 9:15."
    gauge, wordy = "The tide gauge of the old pier is green.", OLD.replace(".", ", say gulls, seals and crabs.")
    for long in (f"It is so. {gauge} {wordy} {OLD} {filler}", f"{filler} {OLD} {wordy} {gauge}"):
        assert features(long, newer, ASKED, BOTH) == features(OLD, newer, ASKED, BOTH)
        assert features(newer, long, ASKED, BOTH) == features(newer, OLD, ASKED, BOTH)


def test_two_statements_that_probably_both_answer_contradict_each_other_more_probably() -> None:
    probable, improbable = (contradiction(OLD, NEW, ASKED, both) for both in (math.log(0.25), math.log(0.01)))
    assert probable > improbable > 0


def test_of_a_long_text_only_the_first_sentences_are_compared() -> None:
    sentences = [f"Boat {n} is here." for n in range(MOST_SENTENCES + 3)]
    assert split(" ".join(sentences)) == tuple(map(analyse, sentences[:MOST_SENTENCES]))
    assert split("One; two! three?\n\n four") == tuple(map(analyse, ["One", "two", "three", "four"]))
