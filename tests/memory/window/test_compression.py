from __future__ import annotations

import pytest
from tool_results import BLOB, CODE, COUNTERS, PROSE, TABLE

from memlab.memory.context import Counter, count_tokens
from memlab.memory.window import compress

RESULTS = [
    TABLE,
    CODE,
    PROSE,
    BLOB,
    "\n".join(["x" * 900] * 80),
    "\n" * 3000,
    "é " * 5000,
    "[" * 9000,
    CODE + PROSE,
]


def test_a_result_within_the_limit_is_unchanged() -> None:
    for result in ("", "one line", TABLE[:2000], "\n" * 1999):
        assert compress(result) == result
    assert compress("x" * 2000) == "x" * 2000
    assert compress("x" * 2001) != "x" * 2001


def test_an_output_of_more_than_50_lines_keeps_its_first_25_and_last_10() -> None:
    lines = CODE.split("\n")
    assert compress(CODE + "\n") == "\n".join([*lines[:25], "(265 lines left out)", *lines[-10:]])


def test_50_lines_are_cut_and_51_keep_both_ends() -> None:
    fifty = compress("\n".join(CODE.split("\n")[:50]), 100)
    assert "lines left out" not in fifty
    assert fifty.startswith("step 0: ")
    more = compress("\n".join(CODE.split("\n")[:51]), 100)
    assert more.endswith("step 50: compiling part 50 with care")
    assert "lines left out)" in more


def test_lines_that_are_too_long_together_go_in_the_same_proportion() -> None:
    lines = compress(CODE, 150).split("\n")
    at = next(place for place, line in enumerate(lines) if line.endswith("lines left out)"))
    assert lines[at] == f"({300 - len(lines) + 1} lines left out)"
    assert (at, len(lines) - at - 1) == (12, 4)


def test_anything_else_is_cut_behind_a_word_and_a_line_says_how_much_went() -> None:
    text, _, note = compress(PROSE, 100).rpartition("\n")
    assert PROSE.startswith(text)
    assert PROSE[len(text)].isspace()
    assert note == f"({len(PROSE) - len(text)} characters left out)"
    assert 95 <= count_tokens(compress(PROSE, 100)) <= 100
    text, _, note = compress(BLOB, 100).rpartition("\n")
    assert BLOB.startswith(text)
    assert len(text) + len(note) == 399


@pytest.mark.parametrize("count", COUNTERS)
def test_a_result_is_never_over_its_limit_by_any_counter_and_compressing_twice_changes_nothing_more(
    count: Counter,
) -> None:
    for result in RESULTS:
        for limit in (0, 1, 5, 12, 40, 117, 500):
            short = compress(result, limit, count)
            assert count(short) <= limit
            assert compress(short, limit, count) == short
            assert short or limit < 100


def test_a_limit_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"limit -1: .* such as 500"):
        compress("x", -1)
