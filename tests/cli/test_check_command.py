from __future__ import annotations

from pathlib import Path

import pytest
from commands import one_line

pytestmark = pytest.mark.usefixtures("in_empty_folder")
COLLIDES = """\
id: recall/ferry
title: The ferry
story: One paragraph that a learner reads before predicting what each memory will do.
vary: {pilot: [Ada, Noor, Ilse, Juno, Maren, Tove, Bo, Levi, Mara]}
timeline:
  - fact: {id: who, name: duty, description: who sails, body: "{pilot} sails.", needles: ["{pilot}"]}
  - turn: {text: Mara sells the tickets.}
  - probe: {id: ask, recall: who sails, k: 1, expect: [who]}
"""


def check(text: str, *options: str, code: int = 0) -> str:
    Path("mine/recall").mkdir(parents=True, exist_ok=True)
    Path("mine/recall/ferry.yaml").write_text(text, encoding="utf-8")
    return one_line("check", "--folder", "mine", *options, code=code)


def test_check_prints_how_many_samples_it_checked_and_how_many_it_played() -> None:
    valid = COLLIDES.replace("Mara sells", "Vera sells")
    assert check(valid) == "1 scenario is valid (samples of each: 3, played: 3)."
    assert check(valid, "--seeds", "1") == "1 scenario is valid (samples of each: 1, played: 1)."
    assert check(valid, "--seeds", "40") == "1 scenario is valid (samples of each: 40, played: 3)."


def test_more_samples_find_a_collision_of_variables_that_the_first_three_lack() -> None:
    assert check(COLLIDES) == "1 scenario is valid (samples of each: 3, played: 3)."
    assert "claim 'who' has its needle 'mara' in" in check(COLLIDES, "--seeds", "100", code=2)
