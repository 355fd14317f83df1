from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.memory.indexing.fulltext import MOST_ROWS, WordIndex, signed_row
from memlab.memory.retrieval.relevance import weigh

SCHEMA = """
CREATE TABLE IF NOT EXISTS told (row INTEGER PRIMARY KEY);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (stems, content = '');
"""
MANY = 4 * MOST_ROWS


@pytest.fixture
def index(tmp_path: Path) -> Iterator[WordIndex]:
    made = WordIndex(tmp_path / "words.db", "told", SCHEMA)
    yield made
    made.close()


def tell(index: WordIndex, texts: Iterable[str], trust: int = 1) -> None:
    with index.db as db:
        db.execute("BEGIN")
        for text in texts:
            row = db.execute("INSERT INTO told (row) VALUES (NULL)").lastrowid
            db.execute("INSERT INTO words (rowid, stems) VALUES (?, ?)", (signed_row(row or 0, trust), text))


def search(index: WordIndex, question: str, limit: int = 5) -> list[int]:
    """Return the best rows of each side, those of trusted sources first."""
    hits = index.hits(question.split(), limit)
    ranked = (sorted(side, key=lambda row: (-hits.weight(side[row]), -row)) for side in hits.sides)
    return [row for side in ranked for row in side[:limit]]


@given(texts=st.lists(st.sets(st.sampled_from(["red", "lamp", "door", "key", "mill", "oak"])).map(sorted), max_size=30))
def test_a_small_index_ranks_by_the_weight_of_shared_words_and_then_by_time(texts: list[list[str]]) -> None:
    question = ["lamp", "key", "oak"]
    with TemporaryDirectory() as folder, closing(WordIndex(Path(folder) / "words.db", "told", SCHEMA)) as index:
        tell(index, map(" ".join, texts))
        weights = weigh(question, *index.frequency(question))
        found = search(index, " ".join(question), 40)
    scores = {row: sum(weights[word] for word in question if word in text) for row, text in enumerate(texts, 1)}
    assert found == sorted((row for row in scores if scores[row]), key=lambda row: (-round(scores[row], 9), -row))


def test_a_search_returns_the_limit_from_trusted_and_again_from_untrusted_sources(index: WordIndex) -> None:
    tell(index, ["lamp"] * 3)
    tell(index, ["lamp"] * 50, trust=0)
    assert search(index, "lamp") == [3, 2, 1, 53, 52, 51, 50, 49]


@pytest.mark.parametrize("trust", [0, 1])
def test_trusted_and_untrusted_texts_are_each_found_completely_whatever_the_other_side_holds(
    index: WordIndex, trust: int
) -> None:
    """A rare word, a common one beside it, and two common ones: in none of them does one side bear on the other."""
    texts = ["zork deploy", *["zork"] * 20, "deploy failed", *["deploy", "failed"] * MANY]
    questions = ["zork", "deploy zork", "deploy failed", "deploy"]
    tell(index, texts, trust)
    alone = [search(index, question, 3) for question in questions]
    tell(index, ["zork deploy failed"] * MANY, 1 - trust)
    beside = [search(index, question, 3) for question in questions]
    latest = [len(texts) + MANY - n for n in range(3)]
    assert beside == [found + latest if trust else latest + found for found in alone]


def test_a_common_word_adds_to_what_a_rare_one_finds_however_old_it_is(index: WordIndex) -> None:
    tell(index, ["zork deploy", *["zork"] * 20, *["deploy"] * MANY])
    assert search(index, "deploy zork", 3) == [1, 21, 20]


def test_a_rare_word_that_finds_too_little_does_not_hide_what_the_common_ones_find(index: WordIndex) -> None:
    tell(index, [*["deploy"] * MANY, *["deploy failed"] * MANY, "asap", *["failed"] * MANY])
    found = search(index, "deploy failed asap")
    assert found[0] == 2 * MANY + 1
    assert found[1:] == [2 * MANY, 2 * MANY - 1, 2 * MANY - 2, 2 * MANY - 3]


def test_a_text_with_every_word_is_found_whatever_its_age_and_their_frequency(index: WordIndex) -> None:
    tell(index, ["deploy failed", *["deploy", "failed"] * MANY])
    assert search(index, "deploy failed")[0] == 1


def test_a_search_for_one_common_word_finds_the_latest_rows(index: WordIndex) -> None:
    tell(index, ["deploy"] * MANY)
    assert search(index, "deploy", 3) == [MANY, MANY - 1, MANY - 2]


@pytest.mark.parametrize("trust", [0, 1])
@pytest.mark.parametrize("question", ["deploy", "deploy failed", "deploy zork", "deploy failed zork"])
def test_a_search_takes_no_more_steps_however_many_rows_hold_its_common_words(
    index: WordIndex, question: str, trust: int
) -> None:
    """SQLite counts its own steps, so the ratio is the same on every machine."""

    def steps() -> int:
        taken = 0

        def step() -> None:
            nonlocal taken
            taken += 1

        index.db.set_progress_handler(step, 10)
        search(index, question, 40)
        index.db.set_progress_handler(None, 0)
        return taken

    tell(index, [*["zork deploy"] * 100, *["deploy failed"] * MANY])
    tell(index, ["deploy failed"] * MANY, trust=0)
    few = steps()
    tell(index, [*["deploy failed", "deploy", "failed"] * 5 * MANY], trust)
    assert steps() < 1.2 * few
