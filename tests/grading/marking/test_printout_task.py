"""What a submission prints is compared line by line, exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_lab import graded, mark, tiny

from memlab.grading.marking.printout_task import first_difference

LINES = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5), min_size=1, max_size=4)
SAYS = {"printout": "says", "runs": 'say("Ann")\nprint(1 +\n      1)\n', "prints": "\nHello Ann\n2\n"}


@given(LINES, st.sampled_from(["", " ", "\t", "  \n"]), st.sampled_from(["", "\n", "\n\n"]))
def test_the_same_lines_are_alike_whatever_white_space_trails(lines: list[str], space: str, end: str) -> None:
    assert first_difference(f"{space}\n".replace("\n\n", "\n").join(lines) + end, "\n".join(lines)) == ""


@given(LINES, LINES)
def test_other_lines_differ_and_the_first_is_told(lines: list[str], others: list[str]) -> None:
    says = first_difference("\n".join(lines), "\n".join(others))
    assert bool(says) == (lines != others)
    if says:
        number = int(says.split()[1])
        assert lines[: number - 1] == others[: number - 1]
        assert lines[number - 1 : number] != others[number - 1 : number]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ("a\nb\nc", "line 3 is 'c', expected missing"),
        ("a", "line 2 is missing, expected 'b'"),
        ("", "line 1 is missing, expected 'a'"),
        ("a\n\nb", "line 2 is '', expected 'b'"),
        ("A\nb", "line 1 is 'A', expected 'a'"),
        (" a\nb", "line 1 is ' a', expected 'a'"),
        ("a\n" + 300 * "b", f"line 2 is {200 * 'b'!r}..., expected 'b'"),
    ],
)
def test_the_first_line_that_differs_is_told(found: str, says: str) -> None:
    assert first_difference(found, "a\nb") == says


def test_what_the_file_prints_by_itself_is_not_compared_and_its_own_demonstration_is_not_run() -> None:
    source = (
        "from __future__ import annotations\nprint('loaded')\ndef say(name):\n    print(f'Hello {name}  ')\n"
        "if __name__ == '__main__':\n    print('demonstration')"
    )
    found = graded(tiny(SAYS), source)
    assert (found.status, mark(found, "says").reasons, found.points) == ("ok", (), 10)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def say(name):\n    print('Hallo', name)\n", "line 1 is 'Hallo Ann', expected 'Hello Ann'"),
        ("def say(name):\n    return f'Hello {name}'\n", "line 1 is '2', expected 'Hello Ann'"),
        ("def say(name):\n    raise KeyError(name)\n", "printed_here() raised KeyError: 'Ann' (line 2)"),
        ("", "was not checked: memory_store.py is empty"),
    ],
)
def test_another_printout_is_lost_with_the_first_line_that_differs(source: str, says: str) -> None:
    found = graded(tiny(SAYS), source)
    (reason,) = mark(found, "says").reasons
    assert (reason.message, found.points) == (says, 0)
