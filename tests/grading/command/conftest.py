"""A class of three submissions in the current folder, graded without sandboxes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from grade_command_runs import accept_level, grade_by_first_line, submit

from memlab.grading.course import batch as batches
from memlab.sandbox import isolation


@pytest.fixture(autouse=True)
def class_of_three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Create three submissions in the current folder, and replace the grader and the isolation levels."""
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batches, "grade", grade_by_first_line)
    monkeypatch.setattr(isolation, "level_named", accept_level)
    for name, first_line in (("ada", "12"), ("bo", "6"), ("chi", "crashed")):
        submit(f"in/{name}.py", first_line)
    yield
    signal.signal(signal.SIGTERM, before)
