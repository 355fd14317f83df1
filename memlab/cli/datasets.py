"""List the data sets, compare systems on one of them, and report on such a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from memlab import Result
from memlab.cli.app import app, out, print_folder, progress_bar
from memlab.cli.engine import EngineOptions
from memlab.harness.datasets.catalogue import DATASETS, dataset, dataset_of, load
from memlab.harness.datasets.errors import BadDataset
from memlab.harness.datasets.rounds import ConversationRound, dataset_options
from memlab.harness.datasets.shape import Conversation
from memlab.harness.running.results import BadResults
from memlab.harness.running.saved_run import play_to_file
from memlab.systems.entry import Entry, Group
from memlab.systems.registry import entries

PLAYED: frozenset[Group] = frozenset({"reference", "bucket", "lab"})
BOUNDS = frozenset({"dump", "null"})
"""With the systems of the groups above, these are compared by default."""

OF_SCENARIOS = ("scenarios", "folder", "seeds", "baseline", "attacks", "labels", "tell", "model")

Name = Annotated[str, typer.Option("--dataset", help="Compare on a data set of conversations: see `memlab datasets`.")]
DataPath = Annotated[Path | None, typer.Option("--path", help="Your copy of the data set's file.")]
LeaveOut = Annotated[
    Path | None, typer.Option("--leave-out", help="File of question ids with wrong labels, one in each line.")
]


@dataclass(frozen=True)
class DatasetOptions:
    """The values of the options above."""

    dataset: Name = ""
    path: DataPath = None
    leave_out: LeaveOut = None

    def __bool__(self) -> bool:
        return bool(self.dataset or self.path or self.leave_out)

    def read(self) -> list[Conversation]:
        """Read the conversations of the data set. Raises BadDataset, OSError."""
        dataset(self.dataset)
        if self.path is None:
            needs = f"--dataset {self.dataset} needs --path, your copy of its file."
            raise BadDataset(f"{needs} `memlab datasets` says where to get it.")
        return load(self.dataset, self.path, self.leave_out)


@app.command("datasets")
def list_datasets() -> None:
    """List the data sets that `memlab compare --dataset` can read. memlab contains none of them."""
    for one in DATASETS.values():
        out.print(f"[bold]{one.name}[/bold]: {escape(one.measures)}", soft_wrap=True)
        for name, value in (("size", one.size), ("from", one.origin), ("licence", one.licence), ("sha256", one.sha256)):
            out.print(f"  {name + ':':9}{escape(value)}", soft_wrap=True)
    out.print("Use your own copy: `memlab compare --dataset NAME --path FILE`. docs/datasets.md explains each.")


def refuse_options_of_scenarios(context: typer.Context) -> None:
    """Raise BadDataset if the command line names an option that only applies to scenarios."""
    names = [f"--{name}" for name in OF_SCENARIOS if _is_given(context, name)]
    if names:
        raise BadDataset(
            f"{', '.join(names)} cannot be used with --dataset. Omit {'it' if len(names) == 1 else 'them'}."
        )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name not in {"DEFAULT", "DEFAULT_MAP"}


def default_systems() -> list[Entry]:
    """Return the systems that are compared on a data set if none are named."""
    return [one for one in entries() if one.group in PLAYED or one.name in BOUNDS]


def play_dataset(rounds: Sequence[ConversationRound], playing: EngineOptions, path: Path) -> Iterator[Result]:
    """Play every conversation to every system, behind a progress bar."""
    total = sum(len(one.systems) for one in rounds)
    with playing.open() as engine, progress_bar() as bar:
        played = play_to_file(rounds, engine, path, dataset_options(rounds), resume=playing.resume)
        with closing(played) as cells:
            for cell in bar.track(cells, total, description="cells"):
                yield from cell


def dataset_in(results: Sequence[Result]) -> str:
    """Return the name of the data set that results come from; empty for scenarios. Raises BadResults if mixed."""
    names = {dataset_of(one.key.family) for one in results}
    if len(names) > 1:
        words = ", ".join(sorted(name or "scenarios" for name in names))
        raise BadResults(f"the results come from several runs: {words}. Score each run by itself.")
    return next(iter(names), "")


def report_dataset(name: str, results: Sequence[Result], folder: Path) -> None:
    """Print the table and write it to a folder."""
    from memlab.report.tables.datasets import dataset_table, judged_frame, tidy_dataset, write_dataset_csv
    from memlab.report.tables.terminal import errors

    frame = judged_frame(results)
    table = tidy_dataset(frame)
    out.print(dataset_table(name, frame, table), "", soft_wrap=True)
    if messages := errors(results):
        out.print(messages, "", soft_wrap=True)
    write_dataset_csv(table, folder / "table.csv")
    print_folder(folder, "results.jsonl, table.csv (also by kind of question)")
