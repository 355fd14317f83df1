"""The command line: parses and prints, nothing else."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from memlab.harness.attacks import chosen as chosen_attacks
from memlab.harness.attacks import described
from memlab.harness.comparison import Comparison
from memlab.harness.complaint import BadScenario
from memlab.harness.results import BadResults, read
from memlab.harness.scenario import Template, library, load_all, select
from memlab.harness.thresholds import BadThresholds
from memlab.systems.entry import Entry, UnknownSystem
from memlab.systems.registry import entries, entry
from memlab.systems.submission.parent import LIMIT
from memlab.terms import Result

if TYPE_CHECKING:
    from memlab.report.build import Demands

UNDECIDED = 2
WIDTH = 120
"""Letters of a line, where no terminal says how many it has."""
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
Attacks = Annotated[
    str, typer.Option(help="Attacks on clean scenarios, with commas: all, update, repeat.tool, update.web+flood.web.")
]
Seeds = Annotated[int, typer.Option(min=1, max=1000, help="How many samples of each scenario.")]
Baseline = Annotated[Path | None, typer.Option(help="An earlier results.jsonl: exit with 1 if scenarios got worse.")]


@contextmanager
def _user_errors() -> Iterator[None]:
    """Say a user's mistake in words, or what the machine refused, and exit with 2."""
    try:
        yield
    except (BadScenario, UnknownSystem, BadResults, BadThresholds) as error:
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


def _chosen(systems: str, limit: float) -> list[Entry]:
    named = dict.fromkeys(name.strip() for name in systems.split(",") if name.strip())
    return [entry(name, limit) for name in named] or list(entries())


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
    baseline: Baseline = None,
    attacks: Attacks = "",
    *,
    power: Annotated[bool, typer.Option("--power", help="Play nothing: say what difference could be seen.")] = False,
) -> None:
    """Play every scenario to every system, print the headline, and write the report.

    Thresholds in [tool.memlab] of pyproject.toml are held against it. Exit code 0: fine; 1: a threshold was missed or
    scenarios got worse than the baseline; 2: it could not be decided.
    """
    with _user_errors():
        if power:
            from memlab.report.sight import sight

            out.print(sight(_templates(scenarios, folder)), soft_wrap=True)
            return
        demands = _demands(baseline)
        laid = chosen_attacks(attacks)
        comparison = Comparison(_templates(scenarios, folder), _chosen(systems, limit), seeds, jobs, limit, laid)
        out_folder.mkdir(parents=True, exist_ok=True)
        with _kept(out_folder):
            results = list(_played(comparison, out_folder / "results.jsonl"))
            _report(results, out_folder, demands, folder)


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


def _demands(baseline: Path | None) -> Demands:
    """Read what is demanded, before anything is played."""
    from memlab.report.build import demands

    return demands(Path.cwd(), _read(baseline) if baseline else None)


def _read(results: Path) -> list[Result]:
    path = results / "results.jsonl" if results.is_dir() else results
    return read(path, warn=lambda text: err.print(f"[yellow]{escape(text)}[/yellow]"))


def _report(results: list[Result], folder: Path, demands: Demands, scenarios: list[Path] | None) -> None:
    # pandas and matplotlib load only where a report is made
    from memlab.harness.decision import exit_code
    from memlab.report.build import told
    from memlab.report.folder import write
    from memlab.report.resistance import attack_tables
    from memlab.report.terminal import errors, headline, paired

    if not results:
        raise BadResults(f"{folder}: there is no result to report on. Play some with `memlab compare`.")
    written = write(results, folder, demands, scenarios or ())
    for part in (headline(written.frame), paired(written.frame), *attack_tables(written.frame), errors(results)):
        if part:
            out.print(part, "", soft_wrap=True)
    files = "results.jsonl, table.csv, paired.csv, charts, report.html, junit.xml"
    out.print(f"Everything is in {escape(str(folder))}: {files}.", soft_wrap=True)
    if written.decisions:
        out.print("", told(written.decisions), sep="\n", soft_wrap=True)
        raise typer.Exit(exit_code(written.decisions))


@app.command()
def score(
    results: Annotated[Path, typer.Argument(help="A results.jsonl, or its folder.")],
    baseline: Baseline = None,
    folder: Folder = None,
) -> None:
    """Score a results.jsonl again, and write its report anew beside it."""
    with _user_errors():
        _report(_read(results), results if results.is_dir() else results.parent, _demands(baseline), folder)


@app.command()
def explain(
    results: Annotated[Path, typer.Argument(help="A results.jsonl, or its folder.")],
    scenario: Annotated[
        str, typer.Option(help="An id, such as stale/deploy-script-moved. Default: one that failed.")
    ] = "",
    system: Annotated[str, typer.Option(help="Who it was played to. Default: one that failed.")] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="Which sample. Default: one that failed.")] = None,
    folder: Folder = None,
) -> None:
    """Explain one cell of a run: what was lived, asked, answered and expected, and what could have told."""
    from memlab.report.explain import cell, page
    from memlab.report.tale import scenario_paths

    with _user_errors():
        chosen = cell(_read(results), scenario, system, seed)
        for row in page(chosen, scenario_paths(folder or [library()])):
            out.print(Text(row.wrapped(min(out.width, WIDTH) if out.is_terminal else WIDTH), row.style), soft_wrap=True)


@app.command()
def turns(
    systems: Systems = "",
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="How many samples of each long task.")] = 1,
    limit: Limit = LIMIT,
    out_folder: Annotated[Path, typer.Option("--out", help="Where turns.csv and its chart go.")] = Path(
        "memlab-results"
    ),
) -> None:
    """Let a scripted agent act on what each system assembles, through long tasks of 30 to 100 turns."""
    from memlab.harness.turns import play_long
    from memlab.harness.turns_file import load_long
    from memlab.report.turns import frame_of, turns_table, write

    with _user_errors():
        chosen, tasks = _chosen(systems, limit), [one.task(seed) for one in load_long() for seed in range(seeds)]
        out_folder.mkdir(parents=True, exist_ok=True)
        with Progress(console=err, disable=not err.is_terminal) as progress:
            played = ((one, system) for one in progress.track(tasks, description="long tasks") for system in chosen)
            happened = [turn for one, system in played for cell in play_long(one, [system]) for turn in cell]
        found = frame_of(happened)
        write(found, out_folder)
        out.print(turns_table(found), "", soft_wrap=True)
        out.print(f"Everything is in {escape(str(out_folder))}: turns.csv, charts/turns.png and .svg.", soft_wrap=True)


@app.command()
def check(scenarios: Wanted = "", folder: Folder = None, attacks: Attacks = "") -> None:
    """Prove the benchmark, or attacks on it, before any system is judged."""
    from memlab.harness.attacks.proving import prove as prove_attacks
    from memlab.harness.check import check as prove

    with _user_errors():
        templates = _templates(scenarios, folder)
        laid = chosen_attacks(attacks)
        proof = prove_attacks(templates, laid)
        complaints = proof.complaints if laid else prove(templates)
        if complaints:
            raise BadScenario(complaints)
        for name, count in proof.scenarios.items():
            out.print(f"{name} holds on {count} scenarios: {described(name)}.", soft_wrap=True)
        if not laid:
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
