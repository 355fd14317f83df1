"""List the data sets, and compare systems on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.markup import escape

from memlab.cli import options
from memlab.cli.app import app, err, out, print_folder, progress_bar
from memlab.harness.datasets.catalogue import DATASETS, dataset_of, load
from memlab.harness.datasets.errors import BadDataset
from memlab.harness.datasets.rounds import ConversationRound
from memlab.harness.running.saved_run import play_to_file
from memlab.systems.entry import Entry, Group
from memlab.terms import Result

PLAYED: frozenset[Group] = frozenset({"reference", "bucket", "lab"})
BOUNDS = frozenset({"dump", "null"})


@app.command("datasets")
def list_datasets() -> None:
    """List the data sets that `memlab compare --dataset` reads. memlab contains none of them."""
    for one in DATASETS.values():
        out.print(f"[bold]{one.name}[/bold]: {escape(one.measures)}")
        for name, value in (("size", one.size), ("from", one.origin), ("licence", one.licence), ("sha256", one.sha256)):
            out.print(f"  {name + ':':9}{escape(value)}", soft_wrap=True)
    out.print("`memlab compare --dataset NAME --path FILE` uses your own copy; docs/datasets.md explains each.")


def play_dataset(name: str, path: Path | None, left_out: Path | None, entries: Sequence[Entry], jobs: int) -> DatasetRun:
    """Read a data file. Raises BadDataset, OSError."""
    if path is None:
        raise BadDataset(f"--dataset {name} needs --path, the path of your copy. `memlab datasets` says where to get it.")
    return DatasetRun(name, load(name, path, left_out), entries, jobs)
