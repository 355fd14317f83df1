from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.harness.scenarios.loading import library
from memlab.memory.retrieval.relevance import stems
from memlab.memory.retrieval.stemmer import porter_stem, stem
from memlab.memory.text import fold

PARTS = """
at bl iz ate ed ing eed sses ies s ss y ation ational ization logi bli eli ement ment ion tion sion l ll e a b w x hop
ful ness alli iviti er ence 1 z tt v o u
"""


def stems_of_sqlite(vocabulary: Collection[str]) -> dict[str, str]:
    """Let the porter tokenizer of FTS5 stem words."""
    listed = list(vocabulary)
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE said USING fts5 (word, tokenize = 'porter unicode61 remove_diacritics 0')")
        db.execute("CREATE VIRTUAL TABLE stems USING fts5vocab (said, instance)")
        db.executemany("INSERT INTO said (rowid, word) VALUES (?, ?)", enumerate(listed))
        return {listed[row]: term for term, row in db.execute("SELECT term, doc FROM stems")}


def test_every_word_of_the_scenarios_has_the_stem_that_sqlite_gives_it() -> None:
    vocabulary = {
        word for file in library().rglob("*.yaml") for word in re.findall(r"[^\W_]+", fold(file.read_text("utf-8")))
    }
    assert len(vocabulary) > 4000
    assert {word: porter_stem(word) for word in vocabulary} == stems_of_sqlite(vocabulary)


@given(st.sets(st.lists(st.sampled_from(PARTS.split()), min_size=1, max_size=5).map("".join), min_size=10))
def test_made_up_words_of_real_endings_have_the_stem_that_sqlite_gives_them(vocabulary: set[str]) -> None:
    assert {word: porter_stem(word) for word in vocabulary} == stems_of_sqlite(vocabulary)


@given(st.sets(st.text("abcdeilnostuvwxyz017", min_size=1, max_size=70)))
def test_any_letters_and_digits_have_the_stem_that_sqlite_gives_them(vocabulary: set[str]) -> None:
    assert {word: porter_stem(word) for word in vocabulary} == stems_of_sqlite(vocabulary)


@pytest.mark.parametrize(
    "forms",
    [
        "ship ships shipped shipping",
        "refuel refuelled refuelling",
        "deploy deploys deployed deployment",
        "migrate migration migrating",
        "try tries tried trying",
        "big bigger biggest",
        "buy buys bought buying",
        "five 5",
    ],
)
def test_the_forms_of_a_word_have_one_root(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


def test_a_question_and_its_answer_meet_in_their_words() -> None:
    assert stems("How do we ship on Fridays?") == stems("ships Friday")
