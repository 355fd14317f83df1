"""The output of a submission is compared line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_lab import grade_source, mark, tiny

from memlab.grading.marking.printout_task import first_difference

LINES = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5), min_size=1, max_size=4)
PRINTOUT_TASK = {"printout": "printed", "runs": 'say("Ann")\nprint(1 +\n      1)\n', "prints": "\nHello Ann\n2\n"}


@given(LINES, st.sampled_from(["", " ", "\t", "  \n"]), st.sampled_from(["", "\n", "\n\n"]))
def test_trailing_white_space_is_ignored(lines: list[str], space: str, end: str) -> None:
    assert first_difference(f"{space}\n".replace("\n\n", "\n").join(lines) + end, "\n".join(lines)) == ""


@given(LINES, LINES)
def test_the_reported_line_is_the_first_that_differs(lines: list[str], others: list[str]) -> None:
    message = first_difference("\n".join(lines), "\n".join(others))
    assert bool(message) == (lines != others)
    if message:
        number = int(message.split()[1])
        assert lines[: number - 1] == others[: number - 1]
        assert lines[number - 1 : number] != others[number - 1 : number]


@pytest.mark.parametrize(
    ("found", "message"),
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
def test_the_first_different_line_is_reported(found: str, message: str) -> None:
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
        ("def say(name):\n    print('Hallo', name)\n", "line 1 is 'Hallo Ann', expected 'Hello Ann'"),
        ("def say(name):\n    return f'Hello {name}'\n", "line 1 is '2', expected 'Hello Ann'"),
        ("def say(name):\n    raise KeyError(name)\n", "printed_here() raised KeyError: 'Ann' (line 2)"),
        ("", "was not checked: memory_store.py is empty"),
    ],
)
def test_a_wrong_printout_fails_with_the_first_different_line(source: str, message: str) -> None:
    found = grade_source(tiny(PRINTOUT_TASK), source)
    (reason,) = mark(found, "printed").reasons
    assert (reason.message, found.points) == (message, 0)
