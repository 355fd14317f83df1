from __future__ import annotations

from pathlib import Path

import pytest
from timezone_facts import Open

from memlab.memory.indexing.fact_table import FactTable


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    return lambda: FactTable(tmp_path / "facts.db")


@pytest.fixture
def store(opened: Open) -> FactTable:
    return opened()
