"""The command line: parses and prints, nothing else."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from memlab.harness.comparison import Comparison
from memlab.harness.complaint import BadScenario
from memlab.harness.results import BadResults, read
from memlab.harness.scenario import Template, library, load_all, select
from memlab.systems.entry import UnknownSystem
from memlab.systems.registry import entries, entry
from memlab.systems.submission.parent import LIMIT
from memlab.terms import Result

UNDECIDED = 2
app = typer.Typer(
    help="Show, teach and grade what each part of an agent's memory buys.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
out = Console(highlight=False)
err = Console(stderr=True)

Wanted = Annotated[
    str, typer.Option("--scenarios", help="Ids, families or patterns, with commas: stale,poison/forged-*")
]
Folder = Annotated[list[Path] | None, typer.Option("--folder", help="A folder of scenarios, instead of memlab's own.")]
Systems = Annotated[str, typer.Option("--systems", help="Names, or path/to/file.py:Class, with commas. Default: all.")]
Limit = Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds that one call of your own system may take.")]
Seeds = Annotated[int, typer.Option(min=1, max=1000, help="How many samples of each scenario.")]


@contextmanager
def _user_errors() -> Iterator[None]:
    """Say a user's mistake in words, or what the machine refused, and exit with 2."""
    try:
        yield
    except (BadScenario, UnknownSystem, BadResults) as error:
        words = str(error)
    except OSError as error:
        words = f"{error.filename or 'this machine'}: {error.strerror or error}. Make room or choose another place."
    else:
        return
    err.print(Text(words, "red"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Where a run does not come to its end, say what is left of it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what ends a job by force is a Ctrl-C too
    path = folder.absolute() / "results.jsonl"  # a run that is stopped may stand in the world of its last cell
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        words = "Stopped before anything was finished."
        if path.exists() and path.stat().st_size:
            again = f"`memlab score {shlex.quote(str(folder))}` reports on it"
            words = f"Stopped. What was finished is in {folder / path.name}: {again}."
        err.print(Text(words, "yellow"), soft_wrap=True)
        if isinstance(error, OSError):  # what a full disk refuses to a stream names no file
            raise OSError(error.errno, error.strerror, error.filename or str(folder)) from None
        raise typer.Exit(UNDECIDED) from None


def _templates(wanted: str, folders: list[Path] | None) -> list[Template]:
    return select(load_all(folders or [library()]), wanted)


@app.command()
def compare(  # noqa: PLR0913, PLR0917 - one parameter for each option
    systems: Systems = "",
    scenarios: Wanted = "",
    folder: Folder = None,
    seeds: Seeds = 5,
    jobs: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    limit: Limit = LIMIT,
    out_folder: Annotated[Path, typer.Option("--out", help="Where the results go.")] = Path("memlab-results"),
) -> None:
    """Play every scenario to every system, print the headline, and write the report."""
    with _user_errors():
        named = dict.fromkeys(name.strip() for name in systems.split(",") if name.strip())
        chosen = [entry(name, limit) for name in named] or list(entries())
        comparison = Comparison(_templates(scenarios, folder), chosen, seeds, jobs, limit)
        out_folder.mkdir(parents=True, exist_ok=True)
        with _kept(out_folder):
            _report(list(_played(comparison, out_folder / "results.jsonl")), out_folder)


def _played(comparison: Comparison, path: Path) -> Iterator[Result]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        Progress(*columns, console=err, disable=not err.is_terminal) as progress,
        closing(comparison.play(path)) as cells,
    ):
        task = progress.add_task("cells", total=comparison.cells())
        for cell in cells:
            progress.advance(task)
            yield from cell


def _report(results: list[Result], folder: Path) -> None:
    # pandas and matplotlib load only where a report is made
    from memlab.report.folder import write
    from memlab.report.terminal import errors, headline, paired

    if not results:
        raise BadResults(f"{folder}: there is no result to report on. Play some with `memlab compare`.")
    written = write(results, folder)
    for part in (headline(written.frame), paired(written.frame), errors(results)):
        if part:
            out.print(part, "", soft_wrap=True)
    out.print(
        f"Everything is in {escape(str(folder))}: results.jsonl, table.csv, charts, report.html, junit.xml.",
        soft_wrap=True,
    )


@app.command()
def score(results: Annotated[Path, typer.Argument(help="A results.jsonl, or its folder.")]) -> None:
    """Score a results.jsonl again, and write its report anew beside it."""
    with _user_errors():
        path = results / "results.jsonl" if results.is_dir() else results
        _report(read(path, warn=lambda text: err.print(f"[yellow]{escape(text)}[/yellow]")), path.parent)


@app.command()
def check(scenarios: Wanted = "", folder: Folder = None) -> None:
    """Prove the benchmark before any system is judged."""
    from memlab.harness.check import check as prove

    with _user_errors():
        templates = _templates(scenarios, folder)
        complaints = prove(templates)
        if complaints:
            raise BadScenario(complaints)
        out.print(f"{len(templates)} scenarios hold.")


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

    with _user_errors():
        table = Table("scenario", "title", box=None, pad_edge=False)
        for one in _templates(scenarios, folder):
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

    with _user_errors():
        for one in _templates(scenario, folder):
            out.print(story(one.sample(seed)), soft_wrap=not out.is_terminal)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a scenario file, for editors."""
    import json

    from memlab.harness.scenario_file import ScenarioFile

    sys.stdout.write(json.dumps(ScenarioFile.model_json_schema(), indent=2) + "\n")
