"""The pages of docs/systems say what the docstrings and constants of the rows say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.report.tables.scores import score_all
from memlab.systems.documents.rows import ENTRIES
from memlab.systems.registry import entry, names_of

ROOT = Path(__file__).resolve().parents[2]
CODE: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "system_pages.py"))
PAGES = list(CODE["pages"]())


def test_each_page_is_as_its_command_writes_it() -> None:
    stale = [path.name for path, text in CODE["written"]([]) if path.read_text(encoding="utf-8") != text]
    assert not stale, "run: python docs/system_pages.py"


def test_every_row_of_the_documents_is_on_a_page() -> None:
    rows = [row.name for page in PAGES for row in page.rows]
    assert len(rows) == len(set(rows))
    assert {one.name for one in ENTRIES} <= set(rows)
    assert set(names_of("forgetting")) <= set(rows)


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_a_page_has_idea_diagram_policies_reasons_and_a_source(name: str) -> None:
    text = (ROOT / "docs" / "systems" / f"{name}.md").read_text(encoding="utf-8")
    assert re.search(r"\(documents? 00[0-4]\b", text)
    for part in ("![How ", "| writes |", "| stores |", "| recalls |", "| prompt |", "**Wins.** ", "**Loses.** "):
        assert part in text
    ET.fromstring(CODE["diagram"](name, ["a < b", "c", "d & e", "f"]))  # noqa: S314 - made here


def test_figures_come_from_the_first_results_with_all_rows_of_a_page() -> None:
    scenario = load(library() / "recall" / "first-week.yaml").sample(0)
    names = ("vcn", "hybrid", "bucket-search")
    scores = score_all([one for cell in play(scenario, [entry(name) for name in names]) for one in cell])
    empty = scores[scores["system"] != "vcn"]
    found = {path.name: text for path, text in CODE["written"]([empty, scores])}
    figures = CODE["figures_of"](found["vcn.md"])
    assert re.search(r"^vcn +\d+ ", figures, re.MULTILINE)
    assert "`vcn` minus `bucket-search`: no clear difference in any family; minus `hybrid`: " in figures
    assert CODE["figures_of"](found["hermes.md"]) == CODE["figures_of"](
        (ROOT / "docs" / "systems" / "hermes.md").read_text(encoding="utf-8")
    )
