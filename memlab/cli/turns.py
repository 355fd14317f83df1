"""Run an agent through long tasks on the contexts of each system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, err, out, print_folder, progress_bar, user_errors
from memlab.cli.isolation import SandboxOptions
from memlab.cli.option_groups import with_option_groups
from memlab.cli.options import OUT, Limit, Systems, chosen_systems
from memlab.harness.scenarios.loading import library
from memlab.harness.turns.agent import SCRIPTED, AgentFailed, Command
from memlab.harness.turns.long_task import LongTask, load_long, select_long
from memlab.harness.turns.play import Turn, play_long
from memlab.systems.child.system import LIMIT
from memlab.systems.entry import Entry
from memlab.systems.registry import entry


@app.command()
@with_option_groups
def turns(  # noqa: PLR0913, PLR0917 - one parameter for each option
    systems: Systems = "",
    tasks: Annotated[
        str, typer.Option(help="Names or patterns of long tasks, separated by commas: *pharmacy,pilot-*")
    ] = "",
    folder: Annotated[
        list[Path] | None, typer.Option(help="Folder with turns/<name>.yaml, instead of memlab's own.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Samples of each long task.")] = 1,
    agent: Annotated[
        str, typer.Option(help="A command that replaces the scripted agent, such as one that calls a language model.")
    ] = "",
    limit: Limit = LIMIT,
    out_folder: Annotated[Path, typer.Option("--out", help="Folder for turns.csv and its chart.")] = OUT,
    *,
    sandbox: SandboxOptions,
) -> None:
    """Run a scripted agent through long tasks of 30 to 100 turns, on the contexts that each system assembles.

    --agent replaces it by a command. If the command fails, the tasks that every system has finished are reported, and
    the exit code is 2; it is also 2 if no turn has a clear answer.
    """
    with user_errors():
        named = chosen_systems(systems, limit)
        confinement = sandbox.confinement(named, [*(folder or ()), out_folder])
        chosen = [entry(one.name, limit, confinement) for one in named]
        templates = select_long(load_long(folder or [library()]), tasks)
        samples = [template.task(seed) for template in templates for seed in range(seeds)]
        out_folder.mkdir(parents=True, exist_ok=True)
        finished, failed = _run(samples, chosen, agent)
        if finished:
            _report(finished, out_folder)
    if failed:
        err.print(Text(failed, "red"), soft_wrap=True)
        raise typer.Exit(UNDECIDED)


def _report(turns: list[Turn], folder: Path) -> None:
    from memlab.report.turns import frame_of, turns_table, write

    found = frame_of(turns)
    write(found, folder)
    out.print(turns_table(found), "", soft_wrap=True)
    print_folder(folder, "turns.csv, charts/turns.png and .svg")


def _run(tasks: list[LongTask], systems: list[Entry], command: str) -> tuple[list[Turn], str]:
    """Return the turns of the tasks that every system has finished, and the error of the agent, if any."""
    finished = list[Turn]()
    try:
        agents = [Command(command)] if command else SCRIPTED
        with progress_bar() as bar:
            for task in bar.track(tasks, description="long tasks"):
                finished += [turn for cell in play_long(task, systems, agents) for turn in cell.turns]
    except AgentFailed as error:
        return finished, str(error)
    events = {turn.event for turn in finished}
    if command and "unclear" in events and events <= {"unclear", "error"}:
        advice = "Run the command by hand to see its output."
        return finished, f"--agent {command!r}: no answer had the required form. {advice}"
    return finished, ""
