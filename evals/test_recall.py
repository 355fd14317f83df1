"""Stored statements are found, by time, subject and task; nothing else is invented."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("recall")
def test_recall(cell: list[Result]) -> None:
    judge(cell)
