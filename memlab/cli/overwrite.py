"""Asks before a run replaces another one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, err
from memlab.harness.running.saved_run import PREVIOUS

Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace the run in --out without asking. memlab asks only at a terminal; its results.jsonl is kept as "
        "previous.jsonl, until the next run.",
    ),
]


def confirm_overwrite(folder: Path, *, overwrite: bool) -> None:
    """Ask whether to replace the run in a folder, and exit with 2 on no; without a terminal, print where it is kept."""
    run = folder / "results.jsonl"
    if overwrite or not run.is_file() or not run.stat().st_size:
        return
    kept = f"Its answers are kept as {folder / PREVIOUS}"
    if sys.stdin.isatty() and err.is_terminal:
        lost = " instead of those of an earlier run" if (folder / PREVIOUS).exists() else ""
        err.print(Text(f"{folder} has a run. {kept}{lost}.", "yellow"), soft_wrap=True)
        if typer.confirm("Replace it?", err=True):
            return
        err.print("Nothing was run. Choose another folder with --out.", soft_wrap=True)
        raise typer.Exit(UNDECIDED)
    err.print(Text(f"{folder} has a run. {kept} when the new one begins.", "yellow"), soft_wrap=True)
