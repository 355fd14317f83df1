"""Run, score and report."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

import memlab
from memlab.api.catalogue import templates
from memlab.cli import datasets, options
from memlab.cli.app import UNDECIDED, app, err, out, print_folder, progress_bar, user_errors
from memlab.cli.datasets import DatasetOptions
from memlab.cli.engine import EngineOptions
from memlab.cli.isolation import SandboxOptions
from memlab.cli.option_groups import with_option_groups
from memlab.cli.options import (
    Folder,
    ModelOptions,
    Overwrite,
    SampleOptions,
    ServerOptions,
    Systems,
    Wanted,
    confirm_overwrite,
    read_results,
)
from memlab.harness.datasets.rounds import ConversationRound
from memlab.harness.running.results import BadResults
from memlab.harness.scenarios.schema import LIMITS
from memlab.systems.child.system import LIMIT

if TYPE_CHECKING:
    from memlab.models.run import ModelRun
    from memlab.report.html.thresholds import Requirements

Out = Annotated[Path, typer.Option("--out", help="Folder for the results.")]
Power = Annotated[bool, typer.Option("--power", help="Run nothing; print the smallest detectable difference.")]
MANY = 10_000
"""A run of more cells prints their number first, because it takes long."""
FEWER = "Reduce them with `--systems`, `--scenarios` and `--seeds`."


@app.command()
@with_option_groups
def compare(  # noqa: PLR0913 - one parameter for each option
    context: typer.Context,
    *,
    systems: Systems = "",
    scenarios: Wanted = "",
    folder: Folder = None,
    samples: SampleOptions,
    limit: options.Limit = LIMIT,
    out_folder: Out = Path("memlab-results"),
    baseline: options.Baseline = None,
    playing: EngineOptions,
    sandbox: SandboxOptions,
    data: DatasetOptions,
    model: ModelOptions,
    server: ServerOptions,
    overwrite: Overwrite = False,
    power: Power = False,
) -> None:
    """Run every scenario, or a data set, on every system, print the results, and write the report.

    Thresholds are in pyproject.toml, tool.memlab. Exit code 1: missed, or worse than the baseline; 2: undecided.
    """
    play = partial(memlab.compare, scenarios=scenarios, folder=folder, **asdict(samples))
    with user_errors():
        if power:
            _print_power(scenarios, folder)
        elif data:
            datasets.refuse_options_of_scenarios(context)
            _compare_on_dataset(data, systems, limit, out_folder, sandbox, playing, overwrite=overwrite)
        else:
            chosen_model = model.run(out_folder, playing.engine)
            rows = [*options.chosen_with_model(chosen_model, systems, limit), *server.entries(limit)]
            found = sandbox.confinement(rows, [*(folder or ()), out_folder])
            play = partial(play, [one.name for one in rows], out=out_folder, limit=limit)
            play = partial(play, isolation=found.level, network=found.network, preload=found.preload)
            requirements = _requirements(baseline)
            with resumable(out_folder), _recording(chosen_model, resume=playing.resume) as start_recording:
                results = _run(play, playing, out_folder, start_recording, overwrite=overwrite)
                _report(results, out_folder, requirements, folder)


def _run(
    play: Callable[..., memlab.Results],
    playing: EngineOptions,
    folder: Path,
    start_recording: Callable[[], None],
    *,
    overwrite: bool,
) -> memlab.Results:
    """Run systems on scenarios behind a progress bar, after asking whether to replace the run in the folder."""
    bar = progress_bar()
    with playing.open() as engine, ExitStack() as stack:

        def show(finished: int, total: int) -> None:
            if not finished:
                if total > MANY:
                    err.print(f"{total:,} cells to run. {FEWER}", soft_wrap=True)
                confirm_overwrite(folder, overwrite=overwrite or playing.resume)
                folder.mkdir(parents=True, exist_ok=True)
                start_recording()
                stack.enter_context(bar).add_task("cells", total=total)
            bar.update(bar.task_ids[0], completed=finished)

        return play(jobs=engine, resume=playing.resume, progress=show)


@contextmanager
def _recording(model: ModelRun | None, *, resume: bool) -> Iterator[Callable[[], None]]:
    """Return a function that begins the model's list of rejected answers; print at the end how long it is."""
    with ExitStack() as stack:

        def start() -> None:
            if model:
                if not resume:
                    model.start()
                stack.callback(lambda: out.print(Text(f"\n{model.summary()}"), soft_wrap=True))

        yield start


def _compare_on_dataset(  # noqa: PLR0913, PLR0917 - the options of `compare` that a data set has
    data: DatasetOptions,
    systems: str,
    limit: float,
    folder: Path,
    sandbox: SandboxOptions,
    playing: EngineOptions,
    *,
    overwrite: bool,
) -> None:
    """Run systems on a data set, and report."""
    conversations = data.read()
    chosen = options.chosen_systems(systems, limit) if systems else datasets.default_systems()
    confinement = sandbox.confinement(chosen, [*([data.path] if data.path else ()), folder])
    confirm_overwrite(folder, overwrite=overwrite or playing.resume)
    names = tuple(one.name for one in chosen)
    rounds = [ConversationRound(data.dataset, one, names, limit, confinement) for one in conversations]
    folder.mkdir(parents=True, exist_ok=True)
    with resumable(folder):
        results = list(datasets.play_dataset(rounds, playing, folder / "results.jsonl"))
        datasets.report_dataset(data.dataset, results, folder)


def _print_power(scenarios: str, folder: list[Path] | None) -> None:
    from memlab.report.tables.power import power_table

    out.print(power_table(templates(scenarios, folder)), soft_wrap=True)


def _requirements(baseline: Path | None) -> Requirements:
    """Read thresholds and baseline before the run starts."""
    from memlab.report.html.thresholds import read_requirements

    try:
        before = list(read_results(baseline)) if baseline else None
    except BadResults as error:
        raise BadResults(f"--baseline {error}") from None
    return read_requirements(Path.cwd(), before)


def _report(results: memlab.Results, folder: Path, requirements: Requirements, scenarios: list[Path] | None) -> None:
    # pandas and matplotlib load only where a report is made
    from memlab.harness.scoring.decisions import exit_code
    from memlab.report.folder import write
    from memlab.report.html.attacks import attack_tables
    from memlab.report.html.thresholds import summary
    from memlab.report.tables.fixes import fix_first
    from memlab.report.tables.terminal import errors, headline, paired, versions
    from memlab.report.tables.two_by_two import two_by_two_table

    if not results:
        raise BadResults(f"{folder}: there are no results to report. Run `memlab compare` first.")
    report = write(results, folder, requirements, scenarios or ())
    scores = report.frame
    for part in (
        headline(scores),
        paired(scores),
        two_by_two_table(scores),
        *attack_tables(scores),
        errors(results),
        versions(results),
    ):
        if part:
            out.print(part, "", soft_wrap=True)
    if set(report.frame["family"]) == {LIMITS}:
        out.print(f"Only family {LIMITS} was run, which is not counted in any mean; see report.html.", "")
    printed = ", printed.txt (what your own system printed)" * any(path.name == "printed.txt" for path in report.files)
    print_folder(folder, f"results.jsonl, table.csv, paired.csv, charts, report.html, junit.xml{printed}")
    if own := fix_first(list(results), folder):
        out.print("", own, sep="\n", soft_wrap=True)
    if report.decisions:
        out.print("", summary(report.decisions), sep="\n", soft_wrap=True)
        raise typer.Exit(exit_code(report.decisions))


@app.command()
def score(results: options.Results, baseline: options.Baseline = None, folder: Folder = None) -> None:
    """Score a results.jsonl again, and write its report beside it."""
    with user_errors():
        found, place = read_results(results, folder), results if results.is_dir() else results.parent
        if name := datasets.dataset_in(list(found)):
            datasets.report_dataset(name, list(found), place)
        else:
            _report(found, place, _requirements(baseline), folder)


@contextmanager
def resumable(folder: Path) -> Iterator[None]:
    """If a run is interrupted, print where its finished results are."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # treat SIGTERM like Ctrl-C
    path = folder.absolute() / "results.jsonl"  # an interrupted run may have another working directory
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        words = "Stopped before the first cell was finished."
        if path.exists() and path.stat().st_size:
            again = f"`memlab score {shlex.quote(str(folder))}` reports on it"
            rest = "the same command with --resume plays the rest"
            words = f"Stopped. Finished cells are in {folder / path.name}: {again}, {rest}."
        err.print(Text(words, "yellow"), soft_wrap=True)
        if isinstance(error, OSError) and not _was_stopped(error):  # a full disk reports no file name
            raise OSError(error.errno, error.strerror, error.filename or str(folder)) from None
        raise typer.Exit(UNDECIDED) from None


def _was_stopped(error: BaseException | None) -> bool:
    """Return whether this is a Ctrl-C, or an error of the clean-up after one."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _was_stopped(error.__context__))
