"""Each test in this folder runs on both stores of facts: a table and a folder of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from timezone_facts import Open

from memlab.memory.facts import FactStore
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.markdown_store.store import FactFiles


@pytest.fixture(params=["table", "files"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    return lambda: FactTable(tmp_path / "facts.db") if request.param == "table" else FactFiles(tmp_path)


@pytest.fixture
def store(opened: Open) -> FactStore:
    return opened()
