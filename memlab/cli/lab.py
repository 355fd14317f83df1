"""Work through a lab in an editor: begin, check what you have written, open a hint, finish."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Annotated, NoReturn

import typer
from rich.table import Table
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, err, out, user_errors
from memlab.labs.lab import BadRubric, Step, UnknownLab, load, numbers
from memlab.labs.learner import answer
from memlab.labs.learner.handed_in import NotHandedIn
from memlab.labs.learner.workbench import NoWork, Workbench, begin, find

OPEN = 1
"""The exit code where a step that was asked for does not hold."""
POLL = 0.3
"""Seconds between two looks at a file that is watched."""
STYLES = {answer.HOLDS: "green", answer.OPEN: "red"}

labs = typer.Typer(help="Work through a lab in your editor.", no_args_is_help=True)
app.add_typer(labs, name="lab")

StepName = Annotated[str, typer.Argument(metavar="[STEP]", help="A step, such as recall. Default: the first open one.")]
Dir = Annotated[Path, typer.Option("--dir", help="The folder of your work.")]
Which = Annotated[str, typer.Option("--lab", help="Which lab, where a folder holds both: 06 or 07.")]
HERE = Path()


@contextmanager
def lab_errors() -> Iterator[None]:
    """Say in words what is wrong with a lab, a folder or a file, and exit with 2."""
    try:
        with user_errors():
            yield
    except (UnknownLab, BadRubric, NoWork, NotHandedIn) as error:
        _undecided(str(error))
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        _undecided(f"{error}.")


@labs.command("list")
def list_labs() -> None:
    """List the labs."""
    with lab_errors():
        table = Table("lab", "title", "steps", "time", "your file", box=None, pad_edge=False)
        for one in map(load, numbers()):
            hours, minutes = divmod(sum(step.minutes for step in one.steps), 60)
            table.add_row(one.number, Text(one.title), str(len(one.steps)), f"{hours} h {minutes:02}", one.file)
        out.print(table)
        _say(["Next: memlab lab start 06"])


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
        _say([f"Lab {one.number}: {one.title}", f"Your file is {path}. Read {beside} beside it."])
        there = "" if place == HERE else f"cd {place}; "
        _say([f"Next: jupyter lab {path}" if notebook else f"Next: {there}memlab lab check"])


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
        progress = bench.progress(_warn)
        wanted = bench.lab.step(step) if step else bench.first_open(progress)
        if wanted is None:
            _go_on(bench)
            return
        opened = progress.hints.get(wanted.name, 0) + 1
        _say(answer.hint(bench.lab, wanted, opened))
        progress.hints[wanted.name] = min(opened, len(bench.lab.hints.get(wanted.name, ())))
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
            progress = bench.progress(_warn)
            progress.forget(bench.lab.step(step).name)
            bench.keep(progress)
            _say([f"{step} is open again, and its hints are closed. {bench.path} is as it was."])
        else:
            if not yes:
                _confirm(f"Put {bench.path} aside and begin lab {bench.lab.number} again?")
            aside = bench.begin_again()
            _say([f"Your work is now {aside}, and {bench.path} is as at the beginning."])
        _say([f"Next: {_command(bench, 'check')}"])


@labs.command()
def status(folder: Dir = HERE, number: Which = "") -> None:
    """Show which steps hold, and the points of Build and Mend."""
    with lab_errors():
        bench = find(folder, number)
        progress = bench.progress(_warn)
        _say([*answer.status(bench.lab, progress), "", _next(bench, bench.first_open(progress))])


@labs.command()
def play(
    scenario: Annotated[str, typer.Argument(help="One of the lab's own, such as stale/script-that-moved.")],
    folder: Dir = HERE,
    number: Which = "",
) -> None:
    """Play one of the lab's scenarios to your memory: its story, what was answered, and what was wrong."""
    with lab_errors():
        from memlab.labs.pictures.closing import tell

        bench = find(folder, number)
        with bench.file() as path:
            _say(tell(bench.lab, path, scenario).splitlines())


@labs.command()
def finish(folder: Dir = HERE, number: Which = "") -> None:
    """Play the lab's scenarios to your memory and draw the closing chart, once every step holds."""
    with lab_errors():
        from memlab.labs.pictures.closing import finish as close

        bench = find(folder, number)
        if not _check(bench, ""):
            raise typer.Exit(OPEN)
        _say(answer.so_far(bench.lab, bench.progress(_warn)))
        with bench.file() as path, out.status("Playing the lab's scenarios to your memory ..."):
            finished = close(bench.lab, path, bench.home)
        _say([*finished.words.splitlines(), f"The chart is {finished.png}.", *_after(bench)])


def _check(bench: Workbench, step: str) -> bool:
    """Check one step and what it builds on, or all up to the first that is open; say what was found."""
    from memlab.labs.learner import resume

    lab, progress = bench.lab, bench.progress(_warn)
    wanted = lab.step(step) if step else None
    with bench.file() as path, out.status(f"Checking {bench.path.name} ..."):
        if broken := resume.does_not_load(lab, path):
            _say([*answer.does_not_load(broken), f"Next: correct it, then {_command(bench, 'check', step)}"])
            return False
        for checked in resume.upto_open(lab, resume.with_needs(lab, wanted) if wanted else lab.steps, path, progress):
            bench.keep(progress)
            if wanted and not checked.holds and checked.step != wanted:
                _say(answer.needs_first(wanted, checked.step))
            if not (checked.holds and checked.held_before) or checked.step == wanted:
                _say(checked.lines)
            if not checked.holds:
                _say([f"Next: {_command(bench, 'hint', checked.step.name)}"])
                return False
    return True


def _go_on(bench: Workbench) -> None:
    """Say how many steps hold, and what comes next."""
    progress = bench.progress(_warn)
    _say([*answer.so_far(bench.lab, progress), _next(bench, bench.first_open(progress))])


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
            _say([f"Watching {bench.path}: save it to check again, Ctrl-C ends."])
            while _saved(bench.path) in {0, seen}:
                sleep(POLL)
    except KeyboardInterrupt:
        _say(["", f"Until next time. What holds is kept, and `{_command(bench, 'check')}` goes on from there."])


def _check_saved(bench: Workbench, step: str) -> bool:
    try:
        return _check(bench, step)
    except NotHandedIn as error:  # the next save may mend the notebook
        _warn(str(error))
        return False


def _saved(path: Path) -> int:
    """Give when a file was saved; 0 while an editor is about to replace it."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _confirm(question: str) -> None:
    try:
        if typer.confirm(question):
            return
    except typer.Abort:
        pass
    _undecided("Nothing was changed. With --yes it is done without a question.")


def _next(bench: Workbench, step: Step | None) -> str:
    """Name the command that goes on with a step, or that finishes the lab."""
    return f"Next: {_command(bench, 'check')}, for {step.name}" if step else f"Next: {_command(bench, 'finish')}"


def _after(bench: Workbench) -> list[str]:
    """Name what comes after a lab."""
    later = [one for one in numbers() if one > bench.lab.number]
    lines = [f"Next: memlab lab start {later[0]}"] if later else []
    if bench.path.suffix == ".py":
        judged = f"{bench.path}:{bench.lab.system}"
        lines.append(f"Much harder, for it asks for more than the labs teach: memlab compare --systems hybrid,{judged}")
    return lines


def _command(bench: Workbench, verb: str, step: str = "") -> str:
    """Write a command as it is to be typed where this one was."""
    words = ["memlab lab", verb, *([step] if step else [])]
    return " ".join([*words, *([] if bench.folder == HERE else ["--dir", str(bench.folder)])])


def _say(lines: list[str]) -> None:
    for line in lines:
        out.print(Text(line, STYLES.get(line[:1], "")), soft_wrap=True)


def _warn(word: str) -> None:
    err.print(Text(word, "yellow"), soft_wrap=True)


def _undecided(words: str) -> NoReturn:
    err.print(Text(words, "red"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)
