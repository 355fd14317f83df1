"""Outdated statements are never served."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("stale")
def test_stale(cell: list[Result]) -> None:
    judge(cell)
