from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.text import fold

claims = st.dictionaries(
    st.integers(0, 40).map(str), st.lists(st.text("aB .1", max_size=9), max_size=3).map(tuple), max_size=40
)


@given(claims, st.text("aB .1\n", max_size=60))
def test_the_index_finds_exactly_the_claims_that_looking_for_each_needle_finds(
    needles_by_claim: dict[str, tuple[str, ...]], text: str
) -> None:
    folded = fold(text)
    wanted = {one: [fold(needle) for needle in needles if fold(needle)] for one, needles in needles_by_claim.items()}
    expected = {one for one, needles in wanted.items() if needles and all(needle in folded for needle in needles)}
    assert ClaimMatcher(needles_by_claim).claims_in(folded).keys() == expected


@pytest.mark.parametrize("pattern", ["heartbeat {} ok", "job number {}", "x{}", "queue {} is {} long"])
def test_the_index_finds_every_one_of_many_like_claims_and_no_other(pattern: str) -> None:
    known = ClaimMatcher({str(n): (pattern.format(n, n),) for n in range(300)})
    for n in range(0, 300, 7):
        for text in (f"at noon: {pattern.format(n, n)}. then more", f"noon:{pattern.format(n, n)},more"):
            assert known.claims_in(text).keys() == {str(m) for m in range(300) if pattern.format(m, m) in text}


def test_the_position_of_a_claim_is_that_of_its_last_needle() -> None:
    known = ClaimMatcher({"both": ("mara", "fridays"), "one": ("ships",)})
    assert known.claims_in("on fridays one ships, mara says") == {"both": 22, "one": 15}
