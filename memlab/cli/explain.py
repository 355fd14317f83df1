"""Explain one cell of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import app, out, user_errors
from memlab.cli.options import Folder, read_results
from memlab.harness.scenario import library

WIDTH = 120
"""Letters of a line, where no terminal says how many it has."""


@app.command()
def explain(  # noqa: PLR0913, PLR0917 - one parameter for each option
    results: Annotated[Path, typer.Argument(help="A results.jsonl, or its folder.")],
    scenario: Annotated[
        str, typer.Option(help="An id, such as stale/deploy-script-moved. Default: one that failed.")
    ] = "",
    system: Annotated[str, typer.Option(help="Who it was played to. Default: one that failed.")] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="Which sample. Default: one that failed.")] = None,
    attack: Annotated[str, typer.Option(help="An attack that it was under, such as update.web. Default: none.")] = "",
    folder: Folder = None,
) -> None:
    """Explain one cell of a run: what was lived, asked, answered and expected, and what could have told."""
    from memlab.report.explain import cell, page
    from memlab.report.tale import scenario_paths

    with user_errors():
        chosen = cell(read_results(results), scenario, system, seed, attack)
        for row in page(chosen, scenario_paths(folder or [library()])):
            out.print(Text(row.wrapped(min(out.width, WIDTH) if out.is_terminal else WIDTH), row.style), soft_wrap=True)
