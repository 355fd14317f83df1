"""The output of a submission is compared line by line."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_lab import grade_source, mark, tiny

from memlab.grading.marking.printout_task import first_difference

LINES = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5), min_size=1, max_size=4)
PRINTOUT_TASK = {"printout": "printed", "runs": 'say("Ann")\nprint(1 +\n      1)\n', "prints": "\nHello Ann\n2\n"}


@given(LINES, LINES, st.sampled_from(["", " ", "\t", "  "]), st.randoms())
def test_white_space_around_lines_and_other_lines_cost_nothing(
    lines: list[str], others: list[str], space: str, random: Random
) -> None:
    printed = [f"{space}{line}{space}" for line in lines]
    for other in others:
        printed.insert(random.randint(0, len(printed)), other)
    assert first_difference("\n".join(printed), "\n".join(lines)) == ""


@given(LINES, LINES)
def test_lines_pass_only_if_all_are_printed_in_their_order(lines: list[str], printed: list[str]) -> None:
    places = combinations(range(len(printed)), len(lines))
    there = any([printed[place] for place in some] == lines for some in places)
    assert (first_difference("\n".join(printed), "\n".join(lines)) == "") == there


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ("b\na", "printed 'b\\na', expected the line 'b' after 'a'"),
        ("a", "printed 'a', expected the line 'b' after 'a'"),
        ("", "printed nothing, expected the line 'a' in front"),
        ("A\nb", "printed 'A\\nb', expected the line 'a' in front"),
        ("a\n" + 300 * "c", f"printed {'a' + chr(10) + 198 * 'c'!r}..., expected the line 'b' after 'a'"),
    ],
)
def test_the_first_missing_line_is_reported(found: str, message: str) -> None:
    assert first_difference(found, "a\nb") == message


def test_output_at_import_is_ignored_and_the_main_block_is_not_run() -> None:
    source = (
        "from __future__ import annotations\nprint('loaded')\ndef say(name):\n    print(f'Hello {name}  ')\n"
        "if __name__ == '__main__':\n    print('demonstration')"
    )
    found = grade_source(tiny(PRINTOUT_TASK), source)
    assert (found.status, mark(found, "printed").reasons, found.points) == ("ok", (), 10)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def say(name):\n    print('Hi', name)\n", "printed 'Hi Ann\\n2', expected the line 'Hello Ann' in front"),
        ("def say(name):\n    return f'Hello {name}'\n", "printed '2', expected the line 'Hello Ann' in front"),
        ("def say(name):\n    raise KeyError(name)\n", "printed_here() raised KeyError: 'Ann' (line 2)"),
        ("", "was not checked: memory_store.py is empty"),
    ],
)
def test_a_wrong_printout_fails_with_the_first_missing_line(source: str, message: str) -> None:
    found = grade_source(tiny(PRINTOUT_TASK), source)
    (reason,) = mark(found, "printed").reasons
    assert (reason.message, found.points) == (message, 0)
