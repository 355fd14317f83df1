from __future__ import annotations

import pytest

from memlab.memory.retrieval.relevance import LONGEST_PASSAGE, excerpt, passages

BLANKLESS = "{" + ",".join(f'"key_{n}":[{n},"v/{n}"]' for n in range(500)) + "}"


@pytest.mark.parametrize("text", [BLANKLESS, f"Short. {BLANKLESS} and more, {BLANKLESS}", "x" * 401, "x" * 400 + " y"])
def test_no_passage_is_longer_than_the_longest_even_of_a_text_without_blanks(text: str) -> None:
    parts = passages(text)
    assert max(map(len, parts)) <= LONGEST_PASSAGE
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_of_a_long_text_without_blanks_the_passage_that_answers_is_the_excerpt() -> None:
    found = excerpt(BLANKLESS, {"444": 1.0})
    assert "444" in found
    assert len(found) <= LONGEST_PASSAGE


@pytest.mark.parametrize("longest", [LONGEST_PASSAGE - 1, LONGEST_PASSAGE])
def test_a_word_is_cut_only_if_it_is_longer_than_a_passage(longest: int) -> None:
    assert passages("x" * longest + " yes") == ["x" * longest, "yes"]
    assert passages("x" * LONGEST_PASSAGE + "x no") == ["x" * LONGEST_PASSAGE, "x no"]
