"""Draw task survival and evidence recall by budget and length of history."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from memlab.cli.app import app, out, print_folder, progress_bar, user_errors
from memlab.cli.isolation import SandboxOptions
from memlab.cli.option_groups import with_option_groups
from memlab.cli.options import OUT, Jobs, Systems, chosen_systems
from memlab.harness.curves import BUDGETS, HISTORIES, LIMIT, LONGEST, Curves


def _numbers(text: str) -> list[int]:
    """Parse whole numbers separated by commas. Raises BadParameter."""
    numbers = [part.strip().replace("_", "") for part in text.split(",") if part.strip()]
    wrong = [one for one in numbers if not (one.isascii() and one.isdecimal() and 1 <= int(one) <= LONGEST)]
    if wrong or not numbers:
        named = f"{wrong[0]!r} is not a whole number" if wrong else "no number given"
        raise typer.BadParameter(f"{named}. Give whole numbers from 1 to {LONGEST:,} with commas, such as 100,1000.")
    return sorted({int(one) for one in numbers})


@app.command()
@with_option_groups
def curves(  # noqa: PLR0913, PLR0917 - one parameter for each option
    systems: Systems = "",
    history: Annotated[str, typer.Option(help="Numbers of episodes, separated by commas.")] = ",".join(
        map(str, HISTORIES)
    ),
    budgets: Annotated[str, typer.Option(help="Budgets in tokens, separated by commas.")] = ",".join(map(str, BUDGETS)),
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Samples of each history.")] = 1,
    jobs: Jobs = 1,
    limit: Annotated[
        float, typer.Option(min=0.1, max=36_000, help="Seconds that one system has for one history.")
    ] = LIMIT,
    out_folder: Annotated[Path, typer.Option("--out", help="Folder for curves.csv and the charts.")] = OUT,
    *,
    sandbox: SandboxOptions,
) -> None:
    """Measure task survival and evidence recall at every budget, after histories of 10 to 100,000 episodes.

    Histories of 100,000 episodes take most of the time, half an hour on two cores with `--jobs 2`; with
    `--history 10,100,1000,10000` it is a few minutes.
    """
    from memlab.report.curves import curves_table, frame_of, write

    lengths, sizes = _numbers(history), _numbers(budgets)
    with user_errors():
        chosen = chosen_systems(systems, limit)
        confinement = sandbox.confinement(chosen, [out_folder])
        runs = Curves(chosen, lengths, sizes, seeds, jobs, limit, confinement)
        out_folder.mkdir(parents=True, exist_ok=True)
        with progress_bar() as bar, closing(runs.play(out_folder / "curves.csv")) as cells:
            steps = bar.track(cells, runs.cells(), description="histories")
            found = frame_of(point for cell in steps for point in cell)
        write(found, out_folder)
        out.print(curves_table(found), "", soft_wrap=True)
        print_folder(out_folder, "curves.csv, charts/curves.png and .svg, charts/grids.png and .svg")
