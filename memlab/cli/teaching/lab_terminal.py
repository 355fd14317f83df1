"""Terminal output of a lab: lines, errors, and the commands to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, err, out, user_errors
from memlab.labs.lab import UnknownLab, numbers
from memlab.labs.learner import messages
from memlab.labs.learner.editor_workspace import EditorWorkspace, NoWorkFound
from memlab.labs.learner.progress import Progress
from memlab.labs.learner.reference import NoSolution
from memlab.labs.learner.submission import NotHandedIn
from memlab.labs.rubric import BadRubric, Step
from memlab.report.text import escape_invisible

HERE = Path()
STYLES = {messages.HOLDS: "green", messages.OPEN: "red"}


@contextmanager
def lab_errors() -> Iterator[None]:
    """Print errors of a lab, a folder or a file without a traceback, and exit with 2."""
    try:
        with user_errors():
            yield
    except (UnknownLab, BadRubric, NoWorkFound, NoSolution, NotHandedIn) as error:
        exit_undecided(str(error))


def confirm(question: str) -> None:
    """Ask for confirmation; without it, exit with 2."""
    try:
        if typer.confirm(question):
            return
    except typer.Abort:
        pass
    exit_undecided("Nothing was changed. Use --yes to skip the question.")


def next_lines(workspace: EditorWorkspace, progress: Progress) -> list[str]:
    """Return the lines with the command for the first open step, or for finishing the lab."""
    step, finish = workspace.first_open(progress), format_command(workspace, "finish")
    if step is None:
        return [f"Next: {finish}"]
    return [
        *messages.core_done(workspace.lab, progress, finish),
        f"Next: {format_command(workspace, 'check')}, for {step.name}",
    ]


def open_lines(workspace: EditorWorkspace, progress: Progress, step: Step) -> list[str]:
    """Return the lines below a step that failed: how many steps are done, and the command for a hint."""
    done = messages.core_done(workspace.lab, progress, format_command(workspace, "finish"))
    hint = format_command(workspace, "hint", step.name)
    return [*messages.progress_bars(workspace.lab, progress), *done, f"Next: {hint}"]


def next_steps(workspace: EditorWorkspace) -> list[str]:
    """Return the lines with the commands after a lab."""
    later = [one for one in numbers() if one > workspace.lab.number]
    there = "cd ..; " if workspace.folder == HERE else ""  # beside this folder, not within
    lines = [f"Next: {there}memlab lab start {later[0]}"] if later else []
    if workspace.path.suffix == ".py":
        judged = f"{workspace.path}:{workspace.lab.rubric.system}"
        lines.append(f"Much harder, as it needs more than the labs teach: memlab compare --systems hybrid,{judged}")
    return lines


def format_command(workspace: EditorWorkspace, verb: str, step: str = "") -> str:
    """Return a command as it is typed in the current folder."""
    words = ["memlab", "lab", verb, *([step] if step else [])]
    words += [] if workspace.folder == HERE else ["--dir", str(workspace.folder)]
    return shlex.join([*words, *([] if workspace.is_only_lab else ["--lab", workspace.lab.number])])


def print_lines(lines: list[str]) -> None:
    """Print lines, each in the colour of its mark, with control characters escaped."""
    for line in map(escape_invisible, lines):
        out.print(Text(line, STYLES.get(line[:1], "")), soft_wrap=True)


def print_warning(word: str) -> None:
    """Print a warning."""
    err.print(Text(word, "yellow"), soft_wrap=True)


def exit_undecided(words: str) -> NoReturn:
    """Print why a command could not decide, and exit with 2."""
    err.print(Text(escape_invisible(words), "red"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)
