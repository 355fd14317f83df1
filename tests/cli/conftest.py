"""Commands that are run in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
