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
        str, typer.Option(help="An id, such as stale/deploy-script-moved. Default: one that failed.")
    ] = "",
    system: Annotated[str, typer.Option(help="Who it was played to. Default: one that failed.")] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="Which sample. Default: one that failed.")] = None,
    attack: Annotated[str, typer.Option(help="An attack that it was under, such as update.web. Default: none.")] = "",
    folder: Folder = None,
) -> None:
    """Explain one cell of a run: what was lived, asked, answered, expected, and which line could have prevented it."""
    from memlab.report.explain.cell import cell, page
    from memlab.report.explain.timeline import scenario_paths
    from memlab.report.tables.folding import WIDTH

    with user_errors():
        chosen = cell(read_results(results), scenario, system, seed, attack)
        for row in page(chosen, scenario_paths(folder or [library()])):
            out.print(Text(row.wrapped(min(out.width, WIDTH) if out.is_terminal else WIDTH), row.style), soft_wrap=True)
