"""The scenarios of first sight are valid and apart from the library. The reference is never played on them here."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scenarios.schema import FAMILIES, LIMITS

FOLDER = Path(__file__).parent / "first_sight"
COUNTED = tuple(family for family in FAMILIES if family != LIMITS)
TOTAL, LEAST = 40, 5


@cache
def templates() -> list[Template]:
    return load_all([FOLDER])


def test_there_are_40_scenarios_with_at_least_5_in_each_counted_family() -> None:
    there = Counter(one.family for one in templates())
    assert there.total() == TOTAL
    assert there.keys() == set(COUNTED)
    assert min(there.values()) >= LEAST


@pytest.mark.parametrize("family", COUNTED)
def test_each_can_be_passed_but_not_by_silence_and_its_attacks_have_an_effect(family: str) -> None:
    assert check([one for one in templates() if one.family == family], seeds=1) == []


def test_the_library_has_none_of_them() -> None:
    public = load_all([library()])
    assert not {one.file.id for one in public} & {one.file.id for one in templates()}
    assert not {one.file.title for one in public} & {one.file.title for one in templates()}
