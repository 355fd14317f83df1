"""The notebooks run, and what a reader of the committed file sees is what they give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST = 400_000
"""Bytes of one notebook, its pictures included."""


def notebook(path: Path) -> nbformat.NotebookNode:
    found: nbformat.NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call] # it has no hints
    return found


def shown(played: nbformat.NotebookNode) -> list[list[object]]:
    """Give what each code cell shows: a stream as one text, and pictures by their kind, since they hold seconds."""
    return [list(texts(cell.outputs)) for cell in played.cells if cell.cell_type == "code"]


def texts(outputs: list[nbformat.NotebookNode]) -> Iterator[object]:
    """Join what was printed, which reaches the notebook in pieces of any size."""
    for stream, pieces in groupby(outputs, lambda one: one.get("name", "")):
        if stream:
            yield "".join(one["text"] for one in pieces)
        else:
            yield from (one.get("data", {}).get("text/plain") or one for one in pieces)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_gives_the_outputs_that_it_shows(path: Path, tmp_path: Path) -> None:
    committed, fresh = notebook(path), notebook(path)
    NotebookClient(fresh, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert shown(fresh) == shown(committed), f"jupyter execute --inplace {path.relative_to(ROOT)}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_from_top_to_bottom_and_stays_small(path: Path) -> None:
    cells = [cell for cell in notebook(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert path.stat().st_size < LARGEST


def test_every_notebook_is_found() -> None:
    assert [path.stem for path in NOTEBOOKS][:1] == ["first_comparison"]
