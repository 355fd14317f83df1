"""Act through long tasks on nothing but what each system assembles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import Progress

from memlab.cli.app import app, err, out, user_errors
from memlab.cli.options import Limit, Systems, chosen_systems
from memlab.systems.submission.parent import LIMIT


@app.command()
def turns(
    systems: Systems = "",
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="How many samples of each long task.")] = 1,
    limit: Limit = LIMIT,
    out_folder: Annotated[Path, typer.Option("--out", help="Where turns.csv and its chart go.")] = Path(
        "memlab-results"
    ),
) -> None:
    """Let a scripted agent act on what each system assembles, through long tasks of 30 to 100 turns."""
    from memlab.harness.turns import play_long
    from memlab.harness.turns_file import load_long
    from memlab.report.turns import frame_of, turns_table, write

    with user_errors():
        chosen, tasks = chosen_systems(systems, limit), [one.task(seed) for one in load_long() for seed in range(seeds)]
        out_folder.mkdir(parents=True, exist_ok=True)
        with Progress(console=err, disable=not err.is_terminal) as progress:
            played = ((one, system) for one in progress.track(tasks, description="long tasks") for system in chosen)
            happened = [turn for one, system in played for cell in play_long(one, [system]) for turn in cell]
        found = frame_of(happened)
        write(found, out_folder)
        out.print(turns_table(found), "", soft_wrap=True)
        out.print(f"Everything is in {escape(str(out_folder))}: turns.csv, charts/turns.png and .svg.", soft_wrap=True)
