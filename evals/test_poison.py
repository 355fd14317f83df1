"""What an untrusted source planted is never acted on, and honest sources stay useful."""

from __future__ import annotations

import pytest

from memlab.pytest_plugin import judge
from memlab.terms import Result


@pytest.mark.family("poison")
def test_poison(cell: list[Result]) -> None:
    judge(cell)
