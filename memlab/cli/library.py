"""Validate, list and show scenarios and systems; write a new system."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

import memlab
from memlab.api.catalogue import templates
from memlab.cli.app import UNDECIDED, app, err, out, user_errors
from memlab.cli.options import Attacks, Folder, Wanted
from memlab.harness.attacks.attack_kinds import attack_description, select_attacks
from memlab.harness.plural import plural
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import LONG_TASKS, Template, library
from memlab.harness.turns.long_task import LongTemplate, load_long, select_long
from memlab.systems.registry import all_entries


@app.command()
def check(
    scenarios: Wanted = "",
    folder: Folder = None,
    attacks: Attacks = "",
    seeds: Annotated[
        int,
        typer.Option(min=1, max=1000, help="Samples of each scenario; the first 3 are also played. Attacks have one."),
    ] = 3,
) -> None:
    """Validate the scenarios, the long tasks (`--scenarios turns`), or attacks on scenarios."""
    from memlab.harness.attacks.proof import prove_attacks
    from memlab.harness.check.check import SEEDS
    from memlab.harness.check.check import check as prove
    from memlab.harness.turns.check import SEEDS as LONG_SEEDS
    from memlab.harness.turns.check import check_long

    with user_errors():
        if selected := select_attacks(attacks):
            proof = prove_attacks(templates(scenarios, folder), selected)
            _raise_if_any(proof.errors)
            for name, count in proof.scenarios.items():
                out.print(
                    f"{name} is valid on {plural(count, 'scenario')}: {attack_description(name)}.", soft_wrap=True
                )
            return
        chosen, tasks = _wanted(scenarios, folder)
        _raise_if_any([*prove(chosen, seeds), *check_long(tasks)])
        counts = ((chosen, "scenario", seeds, min(seeds, SEEDS)), (tasks, "long task", LONG_SEEDS, LONG_SEEDS))
        for valid, what, samples, played in counts:
            if valid:
                is_valid = f"{plural(len(valid), what)} {'is' if len(valid) == 1 else 'are'} valid"
                out.print(f"{is_valid} (samples of each: {samples:,}, played: {played}).")


def _wanted(wanted: str, folders: list[Path] | None) -> tuple[list[Template], list[LongTemplate]]:
    """Return the selected scenarios and long tasks; "" selects all. Raises BadScenario."""
    patterns = [one.strip() for one in wanted.split(",") if one.strip()]
    long = [one for one in patterns if one.split("/")[0] == LONG_TASKS]
    others = [one for one in patterns if one not in long]
    tasks = load_long(folders or [library()]) if long or not patterns else []
    chosen = templates(",".join(others), folders) if others or not patterns else []
    return chosen, select_long(tasks, ",".join(long)) if long else tasks


def _raise_if_any(errors: Sequence[ScenarioError]) -> None:
    if errors:
        raise BadScenario(errors)


@app.command("systems")
def list_systems() -> None:
    """List everything that can be compared."""
    table = Table("system", "group", "document", "description", box=None, pad_edge=False)
    for one in all_entries():
        table.add_row(one.name, one.group, one.document, escape(one.about))
    _print_uncut(table)
    out.print("Your own system: path/to/file.py:Class.", style="dim")


@app.command("new-system")
def new_system(
    name: Annotated[str, typer.Argument(help="The name of the module, such as my_memory.")],
    folder: Annotated[Path, typer.Option(help="The folder of both files.")] = Path(),
) -> None:
    """Write a commented adapter that works, and a test beside it. Nothing is overwritten.

    Exit code 2: the name is wrong, or a file of that name exists.
    """
    from memlab.systems.adapter_template import BadAdapterName, class_name, write_adapter

    with user_errors():
        try:
            adapter, test = write_adapter(name, folder)
        except (BadAdapterName, FileExistsError) as error:
            if isinstance(error, FileExistsError) and error.errno:
                raise
            err.print(Text(str(error), "red"), soft_wrap=True)
            raise typer.Exit(UNDECIDED) from None
    out.print(f"Written: {adapter} and {test}. Next:", markup=False, soft_wrap=True)
    out.print(f"  memlab run recall/first-week {adapter}:{class_name(name)}", markup=False, soft_wrap=True)
    out.print(f"  pip install pytest && python -m pytest {test}", markup=False, soft_wrap=True)


@app.command("scenarios")
def list_scenarios(scenarios: Wanted = "", folder: Folder = None) -> None:
    """List the scenarios."""
    from memlab.report.text import escape_invisible

    with user_errors():
        table = Table(box=None, pad_edge=False)
        table.add_column("scenario", no_wrap=True, overflow="fold")
        table.add_column("title")
        for name, title in memlab.scenarios(scenarios, folder=folder).items():
            table.add_row(name, escape(escape_invisible(title)))
        _print_uncut(table)


def _print_uncut(table: Table) -> None:
    """Print a table; without a terminal each row is one line, whatever its width."""
    if not out.is_terminal:
        from memlab.report.tables.folding import fit_to_content

        fit_to_content(table)
    out.print(table, soft_wrap=not out.is_terminal)


@app.command()
def show(
    scenario: Annotated[str, typer.Argument(help="A scenario id, such as stale/deploy-script-moved.")],
    seed: Annotated[int, typer.Option(min=0, help="The sample.")] = 0,
    folder: Folder = None,
    attack: Annotated[str, typer.Option(help="An attack, such as update.web. Default: none.")] = "",
) -> None:
    """Print one scenario as a story."""
    with user_errors():
        out.print(memlab.show(scenario, seed, attack=attack, folder=folder), soft_wrap=True)


@app.command()
def schema(*, turns: Annotated[bool, typer.Option("--turns", help="The schema of a long task.")] = False) -> None:
    """Print the JSON Schema of a scenario file, or of a long task, for editors."""
    import json

    from memlab.harness.scenarios.schema import ScenarioFile
    from memlab.harness.turns.long_task import LongTaskFile

    model = LongTaskFile if turns else ScenarioFile
    sys.stdout.write(json.dumps(model.model_json_schema(), indent=2) + "\n")
