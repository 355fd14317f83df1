"""Generates the files of a lab from its text: skeleton, learner's notebook, and solved notebook, which is executed.

`python -m memlab.labs.handout.make_notebooks` makes all labs, or those named, such as 06. The same text gives the same
bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

from memlab.labs.handout import text
from memlab.labs.handout.pages import Pages
from memlab.labs.handout.text import BadText, Cell
from memlab.labs.rubric import BadRubric

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 120  # seconds that one cell may run
COLOURS = 128  # colours of a picture in a notebook
METADATA: dict[str, object] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def main(wanted: Iterable[str] = ()) -> None:
    """Write the files of some labs ("06"), or of all with a text, and print their names."""
    for folder in folders(wanted):
        pages = Pages(folder)
        finished = solved(pages)
        execute(finished)
        for path, content in [
            (folder / "skeleton.py", pages.skeleton()),
            (ROOT / "notebooks" / f"{pages.name}.ipynb", to_json(learner(pages))),
            (ROOT / "notebooks" / f"{pages.name}_solved.ipynb", to_json(finished)),
        ]:
            path.write_text(content, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")  # noqa: T201 - this is a command


def folders(wanted: Iterable[str] = ()) -> list[Path]:
    """Return the folders of some labs, or of all. Raises FileNotFoundError if one has no text."""
    there = {path.parent.name.removeprefix("lab"): path.parent for path in sorted((ROOT / "labs").glob("lab*/lab.md"))}
    numbers = list(wanted) or list(there)
    for number in numbers:
        if number not in there:
            raise FileNotFoundError(f"labs/lab{number}/lab.md is not there. Labs with a text: {', '.join(there)}.")
    return [there[number] for number in numbers]


def learner(pages: Pages) -> nbformat.NotebookNode:
    """Return the learner's notebook."""
    return _notebook(pages.name, pages.learner())


def solved(pages: Pages) -> nbformat.NotebookNode:
    """Return the solved notebook, not yet executed."""
    return _notebook(pages.name, pages.solved())


def execute(notebook: nbformat.NotebookNode) -> None:
    """Execute a notebook in an empty folder, with fixed hashes, without user settings, times or Python version."""
    with tempfile.TemporaryDirectory(prefix="memlab-notebook-") as folder:
        working = Path(folder, "notebooks")
        working.mkdir()
        client = NotebookClient(
            notebook,
            timeout=LIMIT,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": str(working)}},
        )
        client.execute(env=os.environ | {"PYTHONHASHSEED": "0", "IPYTHONDIR": str(Path(folder, "ipython"))})
    notebook.metadata = _node(METADATA)
    for shown in [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]:
        if "image/png" in shown:
            shown["image/png"] = _fewer_colours(shown["image/png"])


def _fewer_colours(picture: str) -> str:
    """Return a base64 PNG with fewer colours, in a third of the bytes."""
    small = BytesIO()
    Image.open(BytesIO(base64.b64decode(picture))).convert("RGB").quantize(COLOURS).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


def to_json(notebook: nbformat.NotebookNode) -> str:
    """Return the text of a notebook's file."""
    content: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call] # nbformat has no hints
    return content.rstrip("\n") + "\n"


def _notebook(name: str, cells: Iterable[Cell]) -> nbformat.NotebookNode:
    """Make a notebook without outputs; the id of a cell is a digest of its content, independent of other cells."""
    twins: Counter[str] = Counter()
    notebook_cells: list[dict[str, object]] = []
    for cell in cells:
        words = f"{cell.kind}\n{cell.label or cell.source}"
        digest = hashlib.sha256(f"{words}\n{twins[words]}".encode()).hexdigest()[:12]
        twins[words] += 1
        if cell.kind == text.TEXT:
            notebook_cells.append({"cell_type": "markdown", "id": digest, "metadata": {}, "source": cell.source})
        else:
            code = {"cell_type": "code", "id": digest, "metadata": {"tags": [name, cell.kind]}, "source": cell.source}
            notebook_cells.append(code | {"execution_count": None, "outputs": []})
    return _node({"cells": notebook_cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def _node(content: dict[str, object]) -> nbformat.NotebookNode:
    node: nbformat.NotebookNode = nbformat.from_dict(content)  # type: ignore[no-untyped-call] # likewise
    return node


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (BadText, BadRubric, FileNotFoundError) as error:
        sys.exit(str(error))
