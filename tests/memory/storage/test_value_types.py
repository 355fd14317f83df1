from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Literal

import pytest

from memlab.memory import Provenance, Run
from memlab.memory.storage.value_types import LONGEST_INTEGER, has_types, type_error

Step = Literal["ask", "answer"]


@pytest.mark.parametrize(
    ("value", "wanted", "sentence"),
    [
        ("ask", Step, ""),
        (
            "jump",
            Step,
            "x 'jump': must be of type typing.Literal['ask', 'answer'], and 'jump' is a str; write ['jump']",
        ),
        (5, int, ""),
        (5, float, ""),
        ("5", int, "x '5': must be of type int, and '5' is a str"),
        (print, Callable[[str], None], ""),
        ("print", Callable[[str], None], "x 'print': must be of type Callable[[str], None], and 'print' is a str"),
        (["a"], Collection[str], ""),
        ("a", Collection[str], "x 'a': must be of type Collection[str], and 'a' is a str; write ['a']"),
        (["a", 5], Collection[str], "x ['a', 5]: must be of type Collection[str], and 5 is a int"),
        (["a"], tuple[str, ...], ""),
        ({"a": 1}, tuple[str, ...], "x {'a': 1}: must be of type tuple[str, ...], and {'a': 1} is a dict"),
        (None, str | None, ""),
        (5, str | None, "x 5: must be of type str | None, and 5 is a int"),
        (Run("ship"), Run, ""),
        (Run(5), Run, "Run task 5: must be of type str, and 5 is a int"),  # type: ignore[arg-type]
        (
            "web",
            Provenance,
            "x 'web': must be of type Provenance, such as Provenance('tool', session='monday'), and 'web' is a str",
        ),
    ],
)
def test_an_error_names_the_place_the_value_the_type_and_what_to_write(
    value: object, wanted: object, sentence: str
) -> None:
    assert type_error("x", value, wanted) == sentence


@pytest.mark.parametrize("kind", [float, float | None, tuple[float, ...]])
@pytest.mark.parametrize(
    ("number", "fits"),
    [(2**LONGEST_INTEGER - 1, True), (2**LONGEST_INTEGER, False), (0.5, True), (float("inf"), False), ("5", False)],
)
def test_a_number_of_a_record_is_finite_and_an_integer_has_at_most_63_bits(
    kind: object, number: object, *, fits: bool
) -> None:
    value = [number] if kind == tuple[float, ...] else number
    assert has_types({"x": value, "y": None}, {"x": kind, "z": int}) is fits
