"""The scenarios of first sight are valid and apart from the library. The reference is never played on them here."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scenarios.schema import ATTACKS, FAMILIES, LIMITS

COUNTED = tuple(family for family in FAMILIES if family != LIMITS)
SETS = {
    "first_sight": COUNTED,
    "second_sight": COUNTED,
    "third_sight": COUNTED,
    "fourth_sight": ATTACKS,
    "fifth_sight": ATTACKS,
    "sixth_sight": ATTACKS,
    "seventh_sight": ATTACKS,
}
"""The families of each set."""
TOTAL, LEAST = 40, 5


@cache
def templates(name: str) -> list[Template]:
    return load_all([Path(__file__).parent / name])


@pytest.mark.parametrize("name", SETS)
def test_there_are_40_scenarios_with_at_least_5_in_each_family_of_the_set(name: str) -> None:
    there = Counter(one.family for one in templates(name))
    assert there.total() == TOTAL
    assert there.keys() == set(SETS[name])
    assert min(there.values()) >= LEAST


@pytest.mark.parametrize(("name", "family"), [(name, family) for name, families in SETS.items() for family in families])
def test_each_can_be_passed_but_not_by_silence_and_its_attacks_have_an_effect(name: str, family: str) -> None:
    assert check([one for one in templates(name) if one.family == family], seeds=1) == []


def test_no_scenario_is_in_two_sets() -> None:
    sets = [load_all([library()]), *map(templates, SETS)]
    assert not {kind for kind, times in Counter(one.file.id for some in sets for one in some).items() if times > 1}
    assert not {kind for kind, times in Counter(one.file.title for some in sets for one in some).items() if times > 1}
