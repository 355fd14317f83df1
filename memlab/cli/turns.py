"""Act through long tasks on nothing but what each system assembles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, err, out, progress_bar, say_where, user_errors
from memlab.cli.options import Limit, Systems, chosen_systems
from memlab.harness.scenarios.loading import library
from memlab.harness.turns.agent import SCRIPTED, AgentFailed, Command
from memlab.harness.turns.long_task import LongTask, load_long, select_long
from memlab.harness.turns.play import Turn, play_long
from memlab.systems.child_system import LIMIT
from memlab.systems.entry import Entry


@app.command()
def turns(  # noqa: PLR0913, PLR0917 - one parameter for each option
    systems: Systems = "",
    tasks: Annotated[str, typer.Option(help="Names or patterns of long tasks, with commas: *pharmacy,pilot-*")] = "",
    folder: Annotated[
        list[Path] | None, typer.Option(help="A folder that holds turns/<name>.yaml, instead of memlab's own.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="How many samples of each long task.")] = 1,
    agent: Annotated[
        str, typer.Option(help="A command in the scripted agent's place, such as one that asks a language model.")
    ] = "",
    limit: Limit = LIMIT,
    out_folder: Annotated[Path, typer.Option("--out", help="Where turns.csv and its chart go.")] = Path(
        "memlab-results"
    ),
) -> None:
    """Let a scripted agent act on what each system assembles, through long tasks of 30 to 100 turns.

    With --agent a command acts in its place. Where that fails, the long tasks that every system has finished are
    reported; then, and where no turn had a clear answer, the exit code is 2.
    """
    from memlab.report.turns import frame_of, turns_table, write

    with user_errors():
        chosen = chosen_systems(systems, limit)
        templates = select_long(load_long(folder or [library()]), tasks)
        samples = [template.task(seed) for template in templates for seed in range(seeds)]
        out_folder.mkdir(parents=True, exist_ok=True)
        happened, failed = _played(samples, chosen, agent)
        if happened:
            found = frame_of(happened)
            write(found, out_folder)
            out.print(turns_table(found), "", soft_wrap=True)
            files = "turns.csv, charts/turns.png and .svg"
            say_where(out_folder, files)
    if failed:
        err.print(Text(failed, "red"), soft_wrap=True)
        raise typer.Exit(UNDECIDED)


def _played(tasks: list[LongTask], systems: list[Entry], command: str) -> tuple[list[Turn], str]:
    """Give the turns of the long tasks that were played to every system, and what the agent failed at, if it did."""
    happened = list[Turn]()
    try:
        agents = [Command(command)] if command else SCRIPTED
        with progress_bar() as bar:
            for task in bar.track(tasks, description="long tasks"):
                happened += [turn for cell in play_long(task, systems, agents) for turn in cell.turns]
    except AgentFailed as error:
        return happened, str(error)
    events = {turn.event for turn in happened}
    if command and "unclear" in events and events <= {"unclear", "error"}:
        return (
            happened,
            f"--agent {command!r}: no turn had an answer in the form that it was asked for. Try it by hand.",
        )
    return happened, ""
