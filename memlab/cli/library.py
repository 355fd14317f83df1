"""Prove, list and show what there is to play."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from memlab.cli.app import app, out, user_errors
from memlab.cli.options import Attacks, Folder, Wanted, templates
from memlab.harness.attacks import chosen as chosen_attacks
from memlab.harness.attacks import described
from memlab.harness.complaint import BadScenario
from memlab.systems.registry import entries


@app.command()
def check(scenarios: Wanted = "", folder: Folder = None, attacks: Attacks = "") -> None:
    """Prove the benchmark, or attacks on it, before any system is judged."""
    from memlab.harness.attacks.proving import prove as prove_attacks
    from memlab.harness.check import check as prove

    with user_errors():
        chosen = templates(scenarios, folder)
        laid = chosen_attacks(attacks)
        proof = prove_attacks(chosen, laid)
        complaints = proof.complaints if laid else prove(chosen)
        if complaints:
            raise BadScenario(complaints)
        for name, count in proof.scenarios.items():
            out.print(f"{name} holds on {count} scenarios: {described(name)}.", soft_wrap=True)
        if not laid:
            out.print(f"{len(chosen)} scenarios hold.")


@app.command("systems")
def list_systems() -> None:
    """List everything that can be compared."""
    table = Table("system", "group", "what it is", box=None, pad_edge=False)
    for one in entries():
        table.add_row(one.name, one.group, escape(one.about))
    out.print(table)
    out.print("Your own: path/to/file.py:Class.", style="dim")


@app.command("scenarios")
def list_scenarios(scenarios: Wanted = "", folder: Folder = None) -> None:
    """List the scenarios."""
    from memlab.report.markup import visible

    with user_errors():
        table = Table("scenario", "title", box=None, pad_edge=False)
        for one in templates(scenarios, folder):
            table.add_row(one.file.id, escape(visible(one.sample(0).title)))
        out.print(table)


@app.command()
def show(
    scenario: Annotated[str, typer.Argument(help="An id, such as stale/deploy-script-moved.")],
    seed: Annotated[int, typer.Option(min=0, help="Which sample.")] = 0,
    folder: Folder = None,
) -> None:
    """Tell one scenario as a story."""
    from memlab.report.story import story

    with user_errors():
        for one in templates(scenario, folder):
            out.print(story(one.sample(seed)), soft_wrap=not out.is_terminal)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a scenario file, for editors."""
    import json

    from memlab.harness.scenario_file import ScenarioFile

    sys.stdout.write(json.dumps(ScenarioFile.model_json_schema(), indent=2) + "\n")
