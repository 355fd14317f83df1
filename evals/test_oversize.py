"""A task survives any history: rules, goal, next to-do and what it needs are whole."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("oversize")
def test_oversize(cell: list[Result]) -> None:
    judge(cell)
