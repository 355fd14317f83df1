from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.indexing.neighbours import NEIGHBOUR_WEIGHTS, Hit
from memlab.memory.retrieval.relevance import LONGEST_PASSAGE
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance

TURNS = ["Bo: Which viola did you buy?", "Ada: The brown one.", "Bo: Lovely.", "Ada: Rain again."]


@pytest.fixture
def episodes(tmp_path: Path) -> Iterator[Episodes]:
    log = Episodes(tmp_path, "never")
    yield log
    log.close()


def tell(log: Episodes, texts: list[str], session: str = "monday", rank: int = USER) -> None:
    for text in texts:
        log.append(Episode("turn", text, Provenance(session=session, time=1, id=f"{session}: {text[:30]}"), rank))


def added(hit: Hit) -> dict[int, frozenset[str]]:
    """Return the words that neighbours add, by their distance."""
    return {step: words for step, words in zip(NEIGHBOUR_WEIGHTS, hit.near, strict=True) if words}


def test_a_short_turn_is_found_by_the_words_of_the_three_turns_before_it(episodes: Episodes) -> None:
    tell(episodes, [*TURNS, "Bo: Indeed."])
    found = {one.detail: added(hit) for one, hit in episodes.search(["viola"], 9)}
    viola = frozenset({"viola"})
    assert [*found.items()] == list(zip(TURNS, [{}, {-1: viola}, {-2: viola}, {-3: viola}], strict=True))


def test_a_turn_is_found_by_the_words_of_the_two_turns_after_it(episodes: Episodes) -> None:
    tell(episodes, TURNS)
    assert [one.detail for one, _ in episodes.search(["rain"], 9)] == TURNS[:0:-1]


def test_each_word_of_a_question_counts_once_where_it_is_nearest(episodes: Episodes) -> None:
    tell(episodes, ["Bo: A viola?", "Ada: The cello.", "Bo: No viola?"])
    found = {one.detail: added(hit) for one, hit in episodes.search(["viola", "cello"], 9)}
    viola, cello = frozenset({"viola"}), frozenset({"cello"})
    assert found == {"Bo: A viola?": {1: cello}, "Ada: The cello.": {-1: viola}, "Bo: No viola?": {-1: cello}}


@pytest.mark.parametrize("rank", range(NOT_TRUSTED, USER + 1))
def test_of_more_matches_than_the_limit_the_best_is_found_and_then_the_latest(episodes: Episodes, rank: int) -> None:
    tell(episodes, ["The viola is brown.", *(f"Viola {n} is red." for n in range(20))], rank=rank)
    found = [one.detail for one, _ in episodes.search(["viola", "brown"], 3)]
    assert found == ["The viola is brown.", "Viola 19 is red.", "Viola 18 is red."]


def test_a_turn_of_another_session_a_long_text_and_one_without_a_speaker_are_no_neighbours(episodes: Episodes) -> None:
    tell(episodes, TURNS[:1])
    tell(episodes, TURNS[1:2], "tuesday")
    tell(episodes, [TURNS[0].replace("viola", "cello"), "x " * LONGEST_PASSAGE], "friday")
    tell(episodes, ["The drum is loud.", "It is in the hall."], "sunday")
    assert [one.detail for one, _ in episodes.search(["drum"], 9)] == ["The drum is loud."]
    assert [one.detail for one, _ in episodes.search(["viola"], 9)] == TURNS[:1]
    assert [one.detail for one, _ in episodes.search(["cello"], 9)] == [TURNS[0].replace("viola", "cello")]


@pytest.mark.parametrize(("length", "is_turn"), [(LONGEST_PASSAGE, True), (LONGEST_PASSAGE + 1, False)])
def test_a_turn_is_at_most_as_long_as_a_passage(episodes: Episodes, length: int, *, is_turn: bool) -> None:
    turn = "Ada: It is brown. "
    tell(episodes, [TURNS[0], turn + "x" * (length - len(turn))])
    assert len(episodes.search(["viola"], 9)) == 1 + is_turn


def test_untrusted_texts_take_no_place_of_trusted_ones(episodes: Episodes) -> None:
    tell(episodes, ["The viola is brown."])
    tell(episodes, [f"Viola {n} is red." for n in range(20)], "web", NOT_TRUSTED)
    found = [one for one, _ in episodes.search(["viola"], 3)]
    assert [one.rank for one in found] == [USER, NOT_TRUSTED, NOT_TRUSTED, NOT_TRUSTED]


def test_the_words_of_a_question_that_are_in_the_name_of_a_speaker_are_known(episodes: Episodes) -> None:
    tell(episodes, TURNS)
    assert episodes.speakers(["ada", "bo", "viola"]) == {"ada", "bo"}


def test_an_untrusted_text_makes_no_word_the_name_of_a_speaker(episodes: Episodes) -> None:
    tell(episodes, ["Viola: hello."], "web", NOT_TRUSTED)
    assert episodes.speakers(["viola"]) == set()
