"""Work through a lab in an editor: begin, check what you have written, open a hint, finish."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from memlab.cli.app import app, out
from memlab.cli.lab_terminal import HERE, after, command, confirm, lab_errors, next_command, say, warn
from memlab.labs.lab import load, numbers
from memlab.labs.learner import messages
from memlab.labs.learner.editor_workspace import Workbench, begin, find
from memlab.labs.learner.submission import NotHandedIn

if TYPE_CHECKING:  # what asks needs Hypothesis, and the other commands do not
    from memlab.labs.learner.check_order import Checked

OPEN = 1
"""The exit code where a step that was asked for does not hold."""
POLL = 0.3
"""Seconds between two looks at a file that is watched."""

labs = typer.Typer(help="Work through a lab in your editor.", no_args_is_help=True)
app.add_typer(labs, name="lab")

StepName = Annotated[str, typer.Argument(metavar="[STEP]", help="A step, such as recall. Default: the first open one.")]
Dir = Annotated[Path, typer.Option("--dir", help="The folder of your work.")]
Which = Annotated[str, typer.Option("--lab", help="Which lab, where a folder holds both: 06 or 07.")]


@labs.command("list")
def list_labs() -> None:
    """List the labs."""
    with lab_errors():
        table = Table("lab", "title", "steps", "time", "your file", box=None, pad_edge=False)
        for one in map(load, numbers()):
            hours, minutes = divmod(sum(step.minutes for step in one.steps), 60)
            table.add_row(one.number, Text(one.title), str(len(one.steps)), f"{hours} h {minutes:02}", one.file)
        out.print(table)
        say(["Next: memlab lab start 06"])


@labs.command()
def start(
    number: Annotated[str, typer.Argument(metavar="LAB", help="06 or 07.")],
    folder: Annotated[Path | None, typer.Argument(metavar="[DIR]", help="Where to. Default: ./lab06.")] = None,
    *,
    notebook: Annotated[bool, typer.Option("--notebook", help="A notebook instead of a Python file.")] = False,
) -> None:
    """Write what you start from into a folder; a file of yours is never overwritten."""
    with lab_errors():
        one = load(number)
        place = folder or Path(one.name)
        path = begin(one, place, notebook=notebook)
        beside = "README.md" if notebook else "README.md and lab.md"
        say([f"Lab {one.number}: {one.title}", f"Your file is {path}. Read {beside} beside it."])
        there = "" if place == HERE else f"cd {place}; "
        say([f"Next: jupyter lab {path}" if notebook else f"Next: {there}memlab lab check"])


@labs.command()
def check(
    step: StepName = "",
    folder: Dir = HERE,
    number: Which = "",
    *,
    watch: Annotated[bool, typer.Option("--watch", help="Check again whenever you save. Ctrl-C ends it.")] = False,
) -> None:
    """Check your work from the first open step on, or one step.

    The exit code is 0 where all that was asked for holds, 1 where a step is open, 2 where it could not be decided.
    """
    with lab_errors():
        bench = find(folder, number)
        if watch:
            _watch(bench, step)
        elif not _check(bench, step):
            raise typer.Exit(OPEN)
        else:
            _go_on(bench)


@labs.command()
def hint(step: StepName = "", folder: Dir = HERE, number: Which = "") -> None:
    """Open one more hint of a step."""
    with lab_errors():
        bench = find(folder, number)
        progress = bench.progress(warn)
        wanted = bench.lab.step(step) if step else bench.first_open(progress)
        if wanted is None:
            _go_on(bench)
            return
        opened = progress.open_hint(wanted.name, len(bench.lab.hints.get(wanted.name, ())))
        say(messages.hint(bench.lab, wanted, opened))
        bench.keep(progress)


@labs.command()
def reset(
    step: Annotated[str, typer.Argument(metavar="[STEP]", help="A step. Default: the whole lab.")] = "",
    folder: Dir = HERE,
    number: Which = "",
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Open a step again and close its hints, or begin the whole lab again; what you wrote is kept."""
    with lab_errors():
        bench = find(folder, number)
        if step:
            progress = bench.progress(warn)
            progress.forget(bench.lab.step(step).name)
            bench.keep(progress)
            say([f"{step} is open again, and its hints are closed. {bench.path} is as it was."])
        else:
            if not yes:
                confirm(f"Put {bench.path} aside and begin lab {bench.lab.number} again?")
            aside = bench.begin_again()
            say([f"Your work is now {aside}, and {bench.path} is as at the beginning."])
        say([f"Next: {command(bench, 'check')}"])


@labs.command()
def status(folder: Dir = HERE, number: Which = "") -> None:
    """Show which steps hold, and the points of Build and Fix."""
    with lab_errors():
        bench = find(folder, number)
        progress = bench.progress(warn)
        say([*messages.status(bench.lab, progress), "", next_command(bench, bench.first_open(progress))])


@labs.command()
def play(
    scenario: Annotated[str, typer.Argument(metavar="[SCENARIO]", help="Default: say which there are.")] = "",
    folder: Dir = HERE,
    number: Which = "",
) -> None:
    """Play one of the lab's scenarios to your memory: its story, what was answered, and what was wrong."""
    with lab_errors():
        from memlab.labs.pictures.closing import tell, templates

        bench = find(folder, number)
        if not scenario:
            say([f"Lab {bench.lab.number} has these scenarios:"])
            say([f"  {one.file.id}" for one in templates(bench.lab.number)])
            say([f"Next: {command(bench, 'play', 'SCENARIO')}"])
            return
        with bench.file() as path:
            say(tell(bench.lab, path, scenario).splitlines())


@labs.command()
def chart(
    step: Annotated[str, typer.Argument(help="The step that you have just done, such as trust.")],
    folder: Dir = HERE,
    number: Which = "",
) -> None:
    """Play the lab's scenarios to your memory and draw what a step bought, since the last chart."""
    with lab_errors():
        from memlab.labs.pictures.closing import bought

        bench = find(folder, number)
        wanted, progress = bench.lab.step(step), bench.progress(warn)
        with bench.file() as path, out.status("Playing the lab's scenarios to your memory ..."):
            shown = bought(bench.lab, path, wanted.name, progress.charts)
        png = bench.home / f"{bench.lab.name}-{wanted.name}.png"
        png.write_bytes(shown.picture.png())
        progress.charts[wanted.name] = shown.shares
        bench.keep(progress)
        say([*shown.words.splitlines(), f"The chart is {png}."])


@labs.command()
def finish(folder: Dir = HERE, number: Which = "") -> None:
    """Play the lab's scenarios to your memory and draw the closing chart, once every step holds."""
    with lab_errors():
        from memlab.labs.pictures.closing import finish as close

        bench = find(folder, number)
        if not _check(bench, ""):
            say(["The chart comes when all steps hold."])
            raise typer.Exit(OPEN)
        say(messages.so_far(bench.lab, bench.progress(warn)))
        with bench.file() as path, out.status("Playing the lab's scenarios to your memory ..."):
            finished = close(bench.lab, path, bench.home)
        say([*finished.words.splitlines(), f"The chart is {finished.png}.", *after(bench)])


def _check(bench: Workbench, step: str) -> bool:
    """Check one step, what it builds on, and what held before; or all up to the first that is open."""
    from memlab.labs.learner import check_order

    lab, progress = bench.lab, bench.progress(warn)
    wanted = lab.step(step) if step else None
    asked = check_order.with_needs(lab, wanted) if wanted else list(lab.steps)
    with bench.file() as path, out.status(f"Checking {bench.path.name} ..."):
        if broken := check_order.does_not_load(lab, path):
            say([*messages.does_not_load(broken), f"Next: correct it, then {command(bench, 'check', step)}"])
            return False
        for checked in check_order.upto_open(lab, asked, path, progress):
            bench.keep(progress)
            if wanted and not checked.holds and checked.step != wanted:
                say(messages.needs_first(wanted, checked.step))
            if not (checked.holds and checked.held_before) or checked.step == wanted:
                say(checked.lines)
            if not checked.holds:
                return _look(bench, checked)
            if not checked.held_before and checked.step.part == "build":
                say(messages.built(lab, progress, bench.text))
        others = [one for one in lab.steps if one not in asked]
        if regressed := check_order.broken(lab, others, path, progress):
            bench.keep(progress)
            say(regressed.lines)
            return _look(bench, regressed)
    return True


def _look(bench: Workbench, checked: Checked) -> bool:
    """Say what to do about a step that does not hold; give that it does not."""
    if checked.held_before:
        say(messages.look_back(checked.step))
    say([f"Next: {command(bench, 'hint', checked.step.name)}"])
    return False


def _go_on(bench: Workbench) -> None:
    """Say how many steps hold, and what comes next."""
    progress = bench.progress(warn)
    say([*messages.so_far(bench.lab, progress), next_command(bench, bench.first_open(progress))])


def _watch(bench: Workbench, step: str) -> None:
    """Check at every save until all that is asked for holds, or until Ctrl-C."""
    try:
        while True:
            seen = _saved(bench.path)
            if out.is_terminal:
                out.clear()
            if _check_saved(bench, step):
                _go_on(bench)
                return
            say([f"Watching {bench.path}: save it to check again, Ctrl-C ends."])
            while _saved(bench.path) in {0, seen}:
                sleep(POLL)
    except KeyboardInterrupt:
        say(["", f"Until next time. What holds is kept, and `{command(bench, 'check')}` goes on from there."])


def _check_saved(bench: Workbench, step: str) -> bool:
    try:
        return _check(bench, step)
    except NotHandedIn as error:  # the next save may mend the notebook
        warn(str(error))
        return False


def _saved(path: Path) -> int:
    """Give when a file was saved; 0 while an editor is about to replace it."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
