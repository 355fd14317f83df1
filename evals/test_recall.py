"""What was told is found, by when, what and how; what was not told is not made up."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("recall")
def test_recall(cell: list[Result]) -> None:
    judge(cell)
