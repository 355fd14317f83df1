"""The time that reading a text takes grows as the text does, whatever repeats in it: ratios, measured in one run."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from memlab.memory.heuristics.injection import has_instruction
from memlab.memory.heuristics.references import Reference, find_references
from memlab.memory.text import Refused, fold, slug

LINEAR = 24.0
"""Eight times the text takes about eight times as long; were it squared, sixty-four times."""


def growth(act: Callable[[str], object], head: str, part: str, times: int) -> float:
    """Time an act on a head with so many times a part, and with eight times as many; the best of three each."""
    few, many = (min(seconds(act, head + part * number) for _ in range(3)) for number in (times, 8 * times))
    return many / few


def seconds(act: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    act(text)
    return time.process_time() - start


def has_instruction_uncached(text: str) -> bool:
    has_instruction.cache_clear()
    return has_instruction(text)


@pytest.mark.timing
@pytest.mark.parametrize(
    ("head", "part", "times"),
    [
        *(("", opening, 2) for opening in ("to a: ", "please a: ", "step 1 a: ", "so if a: ")),
        *(("", part, 1000) for part in ("please ", "run a b ", "`", '"')),
        *(("an attack ", opening, 1000) for opening in ("\u201c", "\u2018", "\u00ab")),
        ("a ", "curl ", 1500),
    ],
)
def test_a_text_is_searched_for_orders_as_fast_per_letter_however_often_it_repeats_itself(
    head: str, part: str, times: int
) -> None:
    assert growth(has_instruction_uncached, head, part, times) < LINEAR


def find_references_uncached(text: str) -> tuple[Reference, ...]:
    find_references.cache_clear()
    return find_references(text)


@pytest.mark.timing
@pytest.mark.parametrize(
    ("head", "part", "times"),
    [
        *(("", part, 500) for part in ("bin/a ", "$A1 ", "A_ID ", "export A_ID ", "ssh a/b.c ")),
        *(("", part, 200) for part in ("FOO_BAR_", "--a ")),
        ("a", "/a", 1500),
        ("a function: ", "a.", 1000),
        ("`a.A", "a", 1000),
    ],
)
def test_a_text_is_searched_for_names_as_fast_per_letter_however_often_it_repeats_itself(
    head: str, part: str, times: int
) -> None:
    assert growth(find_references_uncached, head, part, times) < LINEAR


@pytest.mark.timing
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\uff9e\u0323", "\u200b\u0301\u200b\u0323"])
def test_a_text_is_folded_as_fast_per_letter_however_many_accents_stand_on_one_of_them(marks: str) -> None:
    assert growth(fold, "e", marks, 1000) < LINEAR


@pytest.mark.timing
def test_a_name_is_refused_as_fast_per_letter_however_many_accents_stand_on_one_of_them() -> None:
    assert growth(attempt_slug, "e", "\u0301\u0323", 1000) < LINEAR


def attempt_slug(name: str) -> None:
    with pytest.raises(Refused):
        slug(name)


def test_accents_count_until_there_are_thirty_on_one_letter() -> None:
    assert len({fold("e" + "\u0323" * number) for number in range(31)}) == 31
    assert fold("e" + "\u0323" * 31 + "n") == fold("e" + "\u0323" * 30 + "n")
