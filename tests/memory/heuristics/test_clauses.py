from __future__ import annotations

from itertools import chain, pairwise

import pytest

from memlab.memory.heuristics.clauses import LONGEST_CLAUSE, clause_features
from memlab.memory.retrieval.relevance import COMMONEST

WORDS = sorted(filter(str.isalpha, COMMONEST))[: 3 * LONGEST_CLAUSE]


@pytest.mark.parametrize("count", range(len(WORDS)))
def test_a_long_clause_is_read_in_short_pieces_with_each_three_successive_words_in_one_piece(count: int) -> None:
    """A common word is a class of its own, so these triples are of the words themselves."""
    words = WORDS[:count]
    pieces = list(clause_features(" ".join(words), frozenset()))
    triples = [sorted(one for one in piece if len(one) == 3 and one[0] != "^") for piece in pieces]
    assert sorted(chain(*triples)) == sorted(zip(words, words[1:], words[2:], strict=False))
    assert set(pairwise(words)) <= set().union(*pieces)
    assert {one for piece in pieces for one in piece if len(one) == 1} == set(zip(words[1:]))
    assert max(map(len, triples)) <= LONGEST_CLAUSE - 2
    assert all(triples) or len(pieces) == 1
    assert [any(one[0] == "^" for one in piece) for piece in pieces] == [count > 0] + [False] * (len(pieces) - 1)


@pytest.mark.parametrize(
    ("clause", "opening"),
    [("about", ("about", "$")), ("about after", ("about", "after", "$")), (" ".join(WORDS[:5]), tuple(WORDS[:3]))],
)
def test_the_opening_of_a_clause_is_its_first_three_words_or_all_of_a_shorter_one_and_its_end(
    clause: str, opening: tuple[str, ...]
) -> None:
    (features,) = clause_features(clause, frozenset())
    openings = {("^", *opening[:number]) for number in (1, 2, len(opening))}
    assert {one for one in features if one[0] == "^"} == openings


@pytest.mark.parametrize("mark", [". ", "! ", "? ", "; ", ", ", ": ", " \N{EN DASH} ", " \N{EM DASH} ", " -- ", " -> "])
def test_a_clause_ends_at_each_of_these_marks(mark: str) -> None:
    first, second = clause_features(f"we go{mark}send it", frozenset({"send"}))
    assert ("^", "we") in first
    assert ("^", "V", "it") in second


@pytest.mark.parametrize("mark", ["|", "<", "["])
def test_the_brackets_of_a_chat_template_are_words(mark: str) -> None:
    (features,) = clause_features(f"see {mark}im", frozenset())
    assert (mark,) in features
