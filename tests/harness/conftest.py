"""Scenario files written on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = """\
id: stale/sample
title: A sample
story: A story that is long enough for a learner to read before predicting anything at all.
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write a scenario file from what comes after its head, and give its path."""

    def writer(rest: str, head: str = HEAD) -> Path:
        path = tmp_path / "stale" / "sample.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(head + rest, encoding="utf-8")
        return path

    return writer
