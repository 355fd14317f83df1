"""Print what a cell costs on this machine, and what a larger run needs."""

from __future__ import annotations

from typing import Annotated

import typer

from memlab.api.catalogue import templates
from memlab.cli import options
from memlab.cli.app import app, out, user_errors
from memlab.harness.comparison import Comparison
from memlab.systems.child.system import LIMIT

Cells = Annotated[int, typer.Option("--cells", min=1, help="Size of the run to calculate.")]


@app.command()
def costs(
    systems: options.Systems = "bm25,bucket-search,hybrid",
    scenarios: options.Wanted = "",
    folder: options.Folder = None,
    seeds: options.Seeds = 1,
    cells: Cells = 10_000_000,
) -> None:
    """Measure what a cell costs on this machine, and print what a run of many cells needs: docs/scale.md."""
    from rich.table import Table

    from memlab.harness.running.costs import measure_costs
    from memlab.report.tables.scores import score_all

    with user_errors():
        entries = options.chosen_systems(systems, LIMIT)
        rounds = Comparison(templates(scenarios, folder), entries, seeds).rounds
        found = measure_costs(rounds, score_all)
    table = Table(title=f"measured on {found.cells:,} cells", title_justify="left", box=None)
    for heading in ("", "1 cell", f"{cells:,} cells"):
        table.add_column(heading, justify="right" if heading else "left")
    for what, value in found._asdict().items():
        if what != "cells":
            one = value / found.cells
            show = _bytes if isinstance(value, int) else _seconds
            table.add_row(ROWS[what], show(one), show(one * cells))
    out.print(table)


ROWS = {
    "wall": "time to play, one process",
    "play": "processor time to play",
    "receive": "processor time to receive and write",
    "check": "processor time of --resume",
    "read": "processor time to read results.jsonl",
    "score": "processor time to score",
    "sent": "sent to workers",
    "returned": "returned by workers",
    "stored": "results.jsonl",
    "memory": "memory of the results",
}


def _seconds(value: float) -> str:
    for size, unit in ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "s")):
        if value >= 2 * size:
            return f"{value / size:,.1f} {unit}"
    return f"{value * 1000:,.3g} ms"


def _bytes(value: float) -> str:
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value:,.0f} B"
