"""Explain one cell of a run."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import app, out, user_errors
from memlab.cli.options import Folder, Results, read_results
from memlab.harness.scenarios.loading import library


@app.command()
def explain(  # noqa: PLR0913, PLR0917 - one parameter for each option
    results: Results,
    scenario: Annotated[
        str, typer.Option(help="A scenario id, such as stale/deploy-script-moved. Default: the first that failed.")
    ] = "",
    system: Annotated[
        str, typer.Option(help="A system, or the name of your class. Default: your own, else the first that failed.")
    ] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="A sample. Default: the first that failed.")] = None,
    attack: Annotated[str, typer.Option(help="An attack, such as update.web. Default: none.")] = "",
    folder: Folder = None,
) -> None:
    """Explain one cell of a run: events, questions, answers, what was expected, and which lines decide it."""
    from memlab.report.explain.cell import explanation, select_cell
    from memlab.report.explain.timeline import scenario_paths
    from memlab.report.lines import to_plain
    from memlab.report.tables.folding import WIDTH

    width = min(out.width, WIDTH) if out.is_terminal else WIDTH
    with user_errors():
        cell = select_cell(read_results(results), scenario, system, seed, attack)
        for line in explanation(cell, scenario_paths(folder or [library()])):
            out.print(Text(to_plain(line, width), line.style), soft_wrap=True)
