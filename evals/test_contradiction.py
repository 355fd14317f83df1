"""Of two statements on one subject, the current one is served, and only that."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("contradiction")
def test_contradiction(cell: list[Result]) -> None:
    judge(cell)
