from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from beats import fill, make_episode
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.memory.episode import Episode, Run, from_record, is_episode_record, to_record
from memlab.memory.episodes import Episodes
from memlab.memory.retrieval.relevance import stems
from memlab.memory.storage.journal import Journal
from memlab.memory.text import fold
from memlab.memory.trust import NOT_TRUSTED


@pytest.fixture
def episodes(tmp_path: Path) -> Iterator[Episodes]:
    with closing(Episodes(tmp_path, "never")) as log:
        yield log


def details(found: Sequence[Episode]) -> list[str]:
    return [one.detail for one in found]


def test_a_search_returns_the_best_matches_and_of_equal_ones_the_latest(episodes: Episodes) -> None:
    fill(
        episodes,
        make_episode(1, "The pump was repaired."),
        make_episode(2, "The pump in the cellar was repaired."),
        make_episode(3, "The valve was repaired."),
        make_episode(4, "The pump was sold."),
        make_episode(5, "Nobody came."),
        make_episode(6, "the PUMP was repaired."),
    )
    question = stems("was the pump in the cellar repaired")
    assert details([one for one, _ in episodes.search(question, 3)]) == [
        "The pump in the cellar was repaired.",
        "the PUMP was repaired.",
        "The pump was sold.",
    ]
    assert episodes.search(question, 0) == episodes.search(["unheard"], 5) == episodes.search([], 5) == []


def test_a_text_is_found_by_each_word_of_its_kind_also_after_a_trusted_source_repeats_it(episodes: Episodes) -> None:
    for rank in (NOT_TRUSTED, 2):
        fill(episodes, replace(make_episode(rank, "All was quiet."), kind="night shift", rank=rank))
        for word in stems("night shift quiet"):
            assert [one.rank for one, _ in episodes.search([word], 5)] == [rank]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a b", "A  b", "c", "d"]), st.integers(0, 3), st.sampled_from([0, 2])), max_size=25
    ),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_recurring_details_are_returned_with_their_first_episode_of_each_of_the_first_sessions(
    story: list[tuple[str, int, int]], sessions: int, chance: random.Random
) -> None:
    clock = list(range(len(story)))
    chance.shuffle(clock)
    episodes_written = [
        replace(make_episode(n, detail, session=f"s{session}", time=float(time)), rank=rank)
        for n, ((detail, session, rank), time) in enumerate(zip(story, clock, strict=True))
    ]

    def first(episodes: Sequence[Episode]) -> list[Episode]:
        opening = {one.origin.session: one for one in reversed(episodes)}
        return sorted(opening.values(), key=lambda one: one.origin.time)[:sessions]

    with tempfile.TemporaryDirectory() as folder, closing(Episodes(Path(folder), "never")) as log:
        for n, one in enumerate(episodes_written):
            log.append(one)
            if n % 7 == 0:
                log.get("id0")
        groups = {
            key: [one for one in episodes_written if fold(one.detail) == key]
            for key in dict.fromkeys(map(fold, details(episodes_written)))
        }
        expected = [
            (first([one for one in group if one.rank > NOT_TRUSTED]), first(group))
            for group in groups.values()
            if len({one.origin.session for one in group}) >= sessions
        ]
        assert list(log.recurring(sessions)) == expected


def test_recurring_details_cost_the_same_however_often_they_occur(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(episodes, *(make_episode(n, "heartbeat") for n in range(300)))
    episodes.get("id0")
    lines = [0]
    at = Journal.at

    def counted(log: Journal, places: Sequence[tuple[int, int, int]]) -> Iterator[object]:
        lines[0] += len(places)
        return at(log, places)

    monkeypatch.setattr(Journal, "at", counted)
    assert [(len(taught), len(group)) for taught, group in episodes.recurring(2)] == [(2, 2)]
    assert lines[0] == 2


def test_a_record_is_an_episode_only_with_all_that_one_needs() -> None:
    record = to_record(make_episode(1))
    assert is_episode_record(record)
    assert not any(
        is_episode_record({name: value for name, value in record.items() if name != gone}) for gone in record
    )


def test_a_run_says_how_it_went_and_of_an_error_what_resolved_it() -> None:
    assert Run("ship").text == "ship: it went well"
    assert Run("ship", success=False).text == "ship: it failed"
    text = Run("ship", success=False, result="half done", error="no disk", resolution="freed some").text
    assert text == "ship: half done; error: no disk; resolved by: freed some"


def test_a_run_without_its_task_is_read_as_one_of_no_task() -> None:
    record = to_record(replace(make_episode(1), run=Run("ship", steps=3)))
    del record["run"]["task"]
    assert from_record(record).run == Run("", steps=3)
