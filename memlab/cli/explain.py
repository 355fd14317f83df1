"""Explain one cell of a run, or run one cell and explain it."""

from __future__ import annotations

from typing import Annotated

import typer

import memlab
from memlab.cli.app import app, out, user_errors
from memlab.cli.options import Folder, Results, read_results


@app.command()
def explain(  # noqa: PLR0913, PLR0917 - one parameter for each option
    results: Results,
    scenario: Annotated[
        str,
        typer.Option(help="A scenario, such as stale/signed-copy. Default: the example of what to fix first."),
    ] = "",
    system: Annotated[
        str, typer.Option(help="A system, or the name of your class. Default: your own, else the first that failed.")
    ] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="A sample. Default: the first that failed.")] = None,
    attack: Annotated[str, typer.Option(help="An attack, such as update.web. Default: none.")] = "",
    folder: Folder = None,
) -> None:
    """Explain one cell of a run: events, questions, answers, what was expected, and which lines decide it."""
    with user_errors():
        out.print(read_results(results, folder).explain(scenario, system, seed, attack), soft_wrap=True)


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
    with user_errors():
        first, *more = memlab.scenarios(scenario, folder=folder)
        if more:
            many = f"{1 + len(more)} scenarios match {scenario}. Name one, such as {first},"
            raise typer.BadParameter(f"{many} or run `memlab compare --scenarios {scenario}`.")
        results = memlab.play(scenario, system, seed, attack=attack, folder=folder)
        wrong = results.failures()["scenario"].tolist()
        out.print(results.explain(wrong[0] if wrong else "", attack=attack), soft_wrap=True)
    raise typer.Exit(int(bool(wrong)))
