"""Each store has its own lifetime: restarts, ended tasks, changed rules, erasure."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("lifetimes")
def test_lifetimes(cell: list[Result]) -> None:
    judge(cell)
