"""The notebooks run, and what a reader of the committed file sees is what they give.

A learner's notebook is not run: its cells are still to be filled. Run is what was made of the same text, solved.
`make test` runs one lab's, `make golden`, which sets MEMLAB_NOTEBOOKS=all, runs every lab's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import nbformat
import pytest

import memlab
from memlab.labs.handout import make_notebooks

ROOT = Path(__file__).resolve().parents[2]
LEARNERS = [ROOT / "notebooks" / f"{folder.name}.ipynb" for folder in make_notebooks.folders()]
NOTEBOOKS = sorted(path for path in (ROOT / "notebooks").glob("*.ipynb") if path not in LEARNERS)
SOLVED = [path for path in NOTEBOOKS if path.stem.endswith("_solved")]
RUN = [path for path in NOTEBOOKS if os.environ.get("MEMLAB_NOTEBOOKS") == "all" or path not in SOLVED[1:]]
LARGEST = 800_000
"""Bytes of one notebook, its pictures included: a solved lab has up to fifteen."""


def read_notebook(path: Path) -> nbformat.NotebookNode:
    found: nbformat.NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call] # it has no hints
    return found


def shown(notebook: nbformat.NotebookNode) -> list[list[object]]:
    """Give what each code cell shows: a stream as one text, and pictures by their kind, since they hold seconds."""
    return [list(texts(cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"]


def texts(outputs: list[nbformat.NotebookNode]) -> Iterator[object]:
    """Join what was printed, which reaches the notebook in pieces of any size."""
    for stream, pieces in groupby(outputs, lambda one: one.get("name", "")):
        if stream:
            yield "".join(one["text"] for one in pieces)
        else:
            yield from (one.get("data", {}).get("text/plain") or one for one in pieces)


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_a_notebook_runs_and_gives_the_outputs_that_it_shows(path: Path) -> None:
    committed, fresh = read_notebook(path), read_notebook(path)
    make_notebooks.execute(fresh)
    assert shown(fresh) == shown(committed), f"make labs, or jupyter execute --inplace {path.relative_to(ROOT)}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_from_top_to_bottom_and_stays_small(path: Path) -> None:
    cells = [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert path.stat().st_size < LARGEST


@pytest.mark.parametrize("path", LEARNERS, ids=lambda path: path.stem)
def test_a_learners_notebook_has_not_been_run(path: Path) -> None:
    cells = [cell for cell in read_notebook(path).cells if cell.cell_type == "code"]
    assert cells
    assert not [cell for cell in cells if cell.outputs or cell.execution_count]


@pytest.mark.parametrize("path", [*NOTEBOOKS, *LEARNERS], ids=lambda path: path.stem)
def test_a_notebook_imports_public_names_of_memlab_only(path: Path) -> None:
    sources = [cell.source for cell in read_notebook(path).cells if cell.cell_type == "code"]
    imported = [one for source in sources for one in re.findall(r"^\s*(?:from|import) memlab.*$", source, re.MULTILINE)]
    assert imported
    for one in imported:
        assert one == "import memlab" or set(one.removeprefix("from memlab import ").split(", ")) <= set(memlab.__all__)


def test_every_notebook_is_found() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first_comparison", *(f"{path.stem}_solved" for path in LEARNERS)]
