"""Recurring, valid statements rank first; a repeated lie does not."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("promotion")
def test_promotion(cell: list[Result]) -> None:
    judge(cell)
