"""Content planted by an untrusted source is never served; honest sources stay useful."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("poison")
def test_poison(cell: list[Result]) -> None:
    judge(cell)
