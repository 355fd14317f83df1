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
    assert max(map(len, triples)) <= LONGEST_CLAUSE - 2
    assert all(triples) or len(pieces) == 1
    assert [any(one[0] == "^" for one in piece) for piece in pieces] == [count > 0] + [False] * (len(pieces) - 1)
