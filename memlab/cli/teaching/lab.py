"""Work through a lab in an editor: start it, check your file, open a hint, finish."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from memlab.cli.app import app, out
from memlab.cli.teaching.lab_terminal import (
    HERE,
    confirm,
    format_command,
    lab_errors,
    next_lines,
    next_steps,
    open_lines,
    print_lines,
    print_warning,
)
from memlab.labs.lab import in_words, load, numbers
from memlab.labs.learner import messages
from memlab.labs.learner.editor_workspace import EditorWorkspace, begin, find
from memlab.labs.learner.reference import solution_cells
from memlab.labs.learner.submission import NotHandedIn
from memlab.labs.rubric import Step

if TYPE_CHECKING:  # it imports Hypothesis, which other commands do not need
    from memlab.labs.learner.check_order import StepResult

OPEN = 1
"""The exit code if a step fails."""
POLL = 0.3
"""Seconds between two checks for a saved file."""

labs = typer.Typer(help="Work through a lab in your editor.", no_args_is_help=True)
app.add_typer(labs, name="lab")

StepName = Annotated[str, typer.Argument(metavar="[STEP]", help="A step, such as recall.")]
DoneStep = Annotated[str, typer.Argument(help="A step that you have done, such as trust.")]
Dir = Annotated[Path, typer.Option("--dir", help="The folder of your work.")]
Which = Annotated[str, typer.Option("--lab", help="06 or 07; needed only if the folder contains both labs.")]


@labs.command("list")
def list_labs() -> None:
    """List the labs."""
    with lab_errors():
        table = Table("lab", "title", "core", "extra", "your file", box=None, pad_edge=False)
        for one in map(load, numbers()):
            times = [in_words(minutes) for minutes in (one.rubric.core_minutes, one.rubric.extra_minutes)]
            table.add_row(one.number, Text(one.rubric.title), *times, one.file)
        out.print(table)
        print_lines(["Next: memlab lab start 06"])


@labs.command()
def start(
    number: Annotated[str, typer.Argument(metavar="LAB", help="06 or 07.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The new folder. Default: ./lab06 or ./lab07.")
    ] = None,
    *,
    notebook: Annotated[bool, typer.Option("--notebook", help="A notebook instead of a Python file.")] = False,
) -> None:
    """Copy the starting file into a folder. Existing files are never overwritten."""
    with lab_errors():
        one = load(number)
        place = folder or Path(one.name)
        path = begin(one, place, notebook=notebook)
        beside = "README.md" if notebook else "README.md and lab.md"
        print_lines([f"Lab {one.number}: {one.rubric.title}", f"Your file is {path}. Read {beside} beside it."])
        there = "" if place == HERE else f"cd {place}; "
        print_lines([f"Next: jupyter lab {path}" if notebook else f"Next: {there}memlab lab check"])


@labs.command()
def check(
    step: StepName = "",
    folder: Dir = HERE,
    number: Which = "",
    *,
    watch: Annotated[bool, typer.Option("--watch", help="Check again whenever you save. Ctrl-C ends it.")] = False,
) -> None:
    """Check all steps up to the first that fails, or one step with the steps that it needs.

    The exit code is 0 if every checked step passes, 1 if one fails, 2 if it could not be decided.
    """
    with lab_errors():
        workspace = find(folder, number)
        if watch:
            _check_on_save(workspace, step)
        elif not _check(workspace, step):
            raise typer.Exit(OPEN)
        else:
            _print_next(workspace)


@labs.command()
def hint(step: StepName = "", folder: Dir = HERE, number: Which = "") -> None:
    """Open one more hint of a step."""
    with lab_errors():
        workspace = find(folder, number)
        progress = workspace.progress(print_warning)
        wanted = workspace.lab.step(step) if step else workspace.first_open(progress)
        if wanted is None:
            _print_next(workspace)
            return
        opened = progress.open_hint(wanted.name, len(workspace.lab.hints.get(wanted.name, ())))
        print_lines(messages.hint(workspace.lab, wanted, opened))
        workspace.save(progress)


@labs.command()
def solution(step: DoneStep, folder: Dir = HERE, number: Which = "") -> None:
    """Show another solution of a step that passes, to compare it with yours."""
    with lab_errors():
        workspace = find(folder, number)
        wanted, progress = workspace.lab.step(step), workspace.progress(print_warning)
        check = format_command(workspace, "check", step)
        print_lines(messages.solution(wanted, solution_cells(workspace.lab, wanted), progress, check))


@labs.command()
def reset(
    step: Annotated[str, typer.Argument(metavar="[STEP]", help="A step. Default: the whole lab.")] = "",
    folder: Dir = HERE,
    number: Which = "",
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Reset the progress and the hints of one step, or restart the whole lab. Your work is kept."""
    with lab_errors():
        workspace = find(folder, number)
        if step:
            progress = workspace.progress(print_warning)
            progress.forget(workspace.lab.step(step).name)
            workspace.save(progress)
            print_lines([f"{step} is open again, and its hints are closed. {workspace.path} was not changed."])
        else:
            if not yes:
                confirm(f"Rename {workspace.path} and start lab {workspace.lab.number} again?")
            aside = workspace.restart()
            print_lines([f"Your work is now {aside}, and {workspace.path} is the starting file."])
        print_lines([f"Next: {format_command(workspace, 'check')}"])


@labs.command()
def status(folder: Dir = HERE, number: Which = "") -> None:
    """Show which steps pass, how many are left, and the points of Build and Fix."""
    with lab_errors():
        workspace = find(folder, number)
        progress = workspace.progress(print_warning)
        print_lines([*messages.status(workspace.lab, progress), "", *next_lines(workspace, progress)])


@labs.command()
def play(
    scenario: Annotated[str, typer.Argument(metavar="[SCENARIO]", help="Default: list them.")] = "",
    folder: Dir = HERE,
    number: Which = "",
) -> None:
    """Run one of the lab's scenarios with your memory. Print its story, the answers, and what was wrong."""
    with lab_errors():
        from memlab.labs.pictures.closing import load_templates, play_story

        workspace = find(folder, number)
        if not scenario:
            print_lines([f"Lab {workspace.lab.number} has these scenarios:"])
            print_lines([f"  {one.file.id}" for one in load_templates(workspace.lab.number)])
            print_lines([f"Next: {format_command(workspace, 'play', 'SCENARIO')}"])
            return
        with workspace.file() as path:
            print_lines(play_story(workspace.lab, path, scenario).splitlines())


@labs.command()
def chart(step: DoneStep, folder: Dir = HERE, number: Which = "") -> None:
    """Run the lab's scenarios with your memory and draw the change since the last chart."""
    with lab_errors():
        from memlab.labs.pictures.closing import progress_chart

        workspace = find(folder, number)
        wanted, progress = workspace.lab.step(step), workspace.progress(print_warning)
        with workspace.file() as path, out.status("Running the lab's scenarios with your memory ..."):
            drawn = progress_chart(workspace.lab, path, wanted.name, progress.charts)
        png = workspace.home / f"{workspace.lab.name}-{wanted.name}.png"
        png.write_bytes(drawn.picture.png())
        progress.charts[wanted.name] = drawn.shares
        workspace.save(progress)
        print_lines([*drawn.words.splitlines(), f"The chart is {png}."])


@labs.command()
def finish(folder: Dir = HERE, number: Which = "") -> None:
    """Run the lab's scenarios with your memory and draw the closing chart. The steps of the core must pass first."""
    with lab_errors():
        from memlab.labs.pictures.closing import finish as close

        workspace = find(folder, number)
        if not _check(workspace, "", workspace.lab.core):
            print_lines(["The closing chart is drawn once every step of the core passes."])
            raise typer.Exit(OPEN)
        progress = workspace.progress(print_warning)
        print_lines(messages.progress_bars(workspace.lab, progress))
        left = tuple(one.name for one in workspace.lab.steps if one.name not in progress.held)
        with workspace.file() as path, out.status("Running the lab's scenarios with your memory ..."):
            finished = close(workspace.lab, path, workspace.home, left)
        print_lines([*finished.words.splitlines(), f"The chart is {finished.png}.", *next_steps(workspace)])


def _check(workspace: EditorWorkspace, step: str, every: Sequence[Step] = ()) -> bool:
    """Check one step, those that it needs and those that passed before; or only `every`, up to the first failure."""
    from memlab.labs.learner import check_order

    lab, progress = workspace.lab, workspace.progress(print_warning)
    wanted = lab.step(step) if step else None
    steps = check_order.with_needs(lab, wanted) if wanted else list(every or lab.steps)
    with workspace.file() as path, out.status(f"Checking {workspace.path.name} ..."):
        if problem := check_order.loading_error(lab, path):
            print_lines(
                [*messages.does_not_load(problem), f"Next: correct it, then {format_command(workspace, 'check', step)}"]
            )
            return False
        for result in check_order.check_until_failure(lab, steps, path, progress):
            workspace.save(progress)
            if wanted and not result.passed and result.step != wanted:
                print_lines(messages.needs_first(wanted, result.step))
            if not (result.passed and result.held_before) or result.step == wanted:
                print_lines(result.lines)
            if not result.passed:
                return _after_failure(workspace, result)
            if not result.held_before or result.step == wanted:
                print_lines(
                    [f"  Compare with another solution: {format_command(workspace, 'solution', result.step.name)}"]
                )
            if not result.held_before and result.step.part == "build":
                print_lines(messages.built(lab, progress, workspace.text))
        others = [] if every else [one for one in lab.steps if one not in steps]
        if regressed := check_order.find_regression(lab, others, path, progress):
            workspace.save(progress)
            print_lines(regressed.lines)
            return _after_failure(workspace, regressed)
    return True


def _after_failure(workspace: EditorWorkspace, result: StepResult) -> bool:
    """Print what to do about a failed step; return False."""
    if result.held_before:
        print_lines(messages.look_back(result.step))
    print_lines(open_lines(workspace, workspace.progress(print_warning), result.step))
    return False


def _print_next(workspace: EditorWorkspace) -> None:
    """Print how many steps pass, and the next command."""
    progress = workspace.progress(print_warning)
    print_lines([*messages.progress_bars(workspace.lab, progress), *next_lines(workspace, progress)])


def _check_on_save(workspace: EditorWorkspace, step: str) -> None:
    """Check at every save until every step passes, or until Ctrl-C."""
    try:
        while True:
            seen = _saved_at(workspace.path)
            if out.is_terminal:
                out.clear()
            if _check_saved(workspace, step):
                _print_next(workspace)
                return
            print_lines([f"Watching {workspace.path}: save it to check again, Ctrl-C ends."])
            while _saved_at(workspace.path) in {0, seen}:
                sleep(POLL)
    except KeyboardInterrupt:
        print_lines(["", f"Your progress is saved: `{format_command(workspace, 'check')}` continues from there."])


def _check_saved(workspace: EditorWorkspace, step: str) -> bool:
    try:
        return _check(workspace, step)
    except NotHandedIn as error:  # the next save may repair the notebook
        print_warning(str(error))
        return False


def _saved_at(path: Path) -> int:
    """Return the modification time of a file; 0 while an editor replaces it."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
