"""Fixtures for tests of the grader with the checks of a tiny lab."""

from __future__ import annotations

import pytest
from tiny_checks import CHECKS

from memlab.grading.marking import step_task


@pytest.fixture
def tiny_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the checks of the labs; test_rubric_proof.py tests those."""
    monkeypatch.setattr(step_task, "load_checks", lambda _: CHECKS)
