"""Explain one cell of a run, or run one cell and explain it."""

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


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(help="A scenario id, such as stale/deploy-script-moved.")],
    system: Annotated[str, typer.Argument(help="A system, or path/to/file.py:Class.")],
    seed: Annotated[int, typer.Option(min=0, help="The sample.")] = 0,
    attack: Annotated[str, typer.Option(help="An attack, such as update.web. Default: none.")] = "",
    folder: Folder = None,
) -> None:
    """Run one scenario on one system, and explain it: events, answers, what was expected, what the system printed.

    The scenario is played without noise and with all labels. Exit code 1: a probe failed.
    """
    import memlab
    from memlab.report.explain.sentence import failed

    with user_errors():
        results = memlab.play(scenario, system, seed, attack=attack, folder=folder)
        wrong = failed(list(results))
        name = wrong[0].key.scenario if wrong else ""
        out.print(results.explain(name, attack=attack), soft_wrap=True)
    raise typer.Exit(int(bool(wrong)))
