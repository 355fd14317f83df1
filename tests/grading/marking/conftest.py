"""Fixtures for tests of the grader with the checks of a tiny lab."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_checks import CHECKS

from memlab.grading.marking import step_task


@pytest.fixture
def tiny_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the checks of the labs; test_rubric_proof.py tests those."""
    monkeypatch.setattr(step_task, "load_checks", lambda _: CHECKS)


@pytest.fixture
def temporary_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder for temporary files of a submission, which is kept when its processes end."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path
