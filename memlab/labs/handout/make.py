"""Makes what is generated of a lab's text: skeleton, learner's notebook, and the solved one, which is run.

`python -m memlab.labs.handout.make` makes all labs, with 06 behind it that one. The same text gives the same bytes.
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
from memlab.labs.lab import BadRubric

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 120
"""Seconds that one cell may run."""
COLOURS = 128
"""Of a picture in a notebook."""
METADATA: dict[str, object] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def main(wanted: Iterable[str] = ()) -> None:
    """Make the files of the labs wanted ("06"), or of all that have a text, and say which were written."""
    for folder in folders(wanted):
        pages = Pages(folder)
        finished = solved(pages)
        execute(finished)
        for path, content in [
            (folder / "skeleton.py", pages.skeleton()),
            (ROOT / "notebooks" / f"{pages.name}.ipynb", written(learner(pages))),
            (ROOT / "notebooks" / f"{pages.name}_solved.ipynb", written(finished)),
        ]:
            path.write_text(content, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")  # noqa: T201 - this is a command


def folders(wanted: Iterable[str] = ()) -> list[Path]:
    """Find the folders of the labs wanted. Raises FileNotFoundError where one has no text."""
    there = {path.parent.name.removeprefix("lab"): path.parent for path in sorted((ROOT / "labs").glob("lab*/lab.md"))}
    numbers = list(wanted) or list(there)
    for number in numbers:
        if number not in there:
            raise FileNotFoundError(f"labs/lab{number}/lab.md is not there. Labs with a text: {', '.join(there)}.")
    return [there[number] for number in numbers]


def learner(pages: Pages) -> nbformat.NotebookNode:
    """Give the learner's notebook."""
    return _notebook(pages.name, pages.learner())


def solved(pages: Pages) -> nbformat.NotebookNode:
    """Give the solved notebook, not yet run."""
    return _notebook(pages.name, pages.solved())


def execute(notebook: nbformat.NotebookNode) -> None:
    """Run a notebook in an empty folder, with what would differ from one run to the next held still.

    That is Python's hash salt, the user's own IPython set-up and history, the times of execution, the pieces in which
    a text is printed, and the version of Python. Raises nbclient's CellExecutionError, which shows the cell.
    """
    with tempfile.TemporaryDirectory(prefix="memlab-notebook-") as folder:
        desk = Path(folder, "notebooks")
        desk.mkdir()
        client = NotebookClient(
            notebook,
            timeout=LIMIT,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": str(desk)}},
        )
        client.execute(env=os.environ | {"PYTHONHASHSEED": "0", "IPYTHONDIR": str(Path(folder, "ipython"))})
    notebook.metadata = _node(METADATA)
    for shown in [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]:
        if "image/png" in shown:
            shown["image/png"] = _fewer_colours(shown["image/png"])


def _fewer_colours(picture: str) -> str:
    """Give a PNG, as a notebook holds it, in a third of the bytes: charts have few colours."""
    small = BytesIO()
    Image.open(BytesIO(base64.b64decode(picture))).convert("RGB").quantize(COLOURS).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


def written(notebook: nbformat.NotebookNode) -> str:
    """Give the text of a notebook's file."""
    content: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call] # nbformat has no hints
    return content.rstrip("\n") + "\n"


def _notebook(name: str, cells: Iterable[Cell]) -> nbformat.NotebookNode:
    """Make a notebook without outputs; a cell's id is a digest of what it says, so that it outlives its neighbours."""
    twins: Counter[str] = Counter()
    made: list[dict[str, object]] = []
    for cell in cells:
        words = f"{cell.kind}\n{cell.label or cell.source}"
        digest = hashlib.sha256(f"{words}\n{twins[words]}".encode()).hexdigest()[:12]
        twins[words] += 1
        if cell.kind == text.TEXT:
            made.append({"cell_type": "markdown", "id": digest, "metadata": {}, "source": cell.source})
        else:
            code = {"cell_type": "code", "id": digest, "metadata": {"tags": [name, cell.kind]}, "source": cell.source}
            made.append(code | {"execution_count": None, "outputs": []})
    return _node({"cells": made, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def _node(content: dict[str, object]) -> nbformat.NotebookNode:
    node: nbformat.NotebookNode = nbformat.from_dict(content)  # type: ignore[no-untyped-call] # likewise
    return node


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (BadText, BadRubric, FileNotFoundError) as error:
        sys.exit(str(error))
