"""How a lab speaks in a terminal: its lines, its errors, and the commands that it names."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, err, out, user_errors
from memlab.labs.lab import BadRubric, Step, UnknownLab, numbers
from memlab.labs.learner import messages
from memlab.labs.learner.editor_workspace import NoWork, Workbench
from memlab.labs.learner.submission import NotHandedIn
from memlab.report.text import escape_invisible

HERE = Path()
STYLES = {messages.HOLDS: "green", messages.OPEN: "red"}


@contextmanager
def lab_errors() -> Iterator[None]:
    """Say in words what is wrong with a lab, a folder or a file, and exit with 2."""
    try:
        with user_errors():
            yield
    except (UnknownLab, BadRubric, NoWork, NotHandedIn) as error:
        undecided(str(error))
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        undecided(f"{error}.")


def confirm(question: str) -> None:
    """Ask a learner; what is not agreed to ends the command with 2."""
    try:
        if typer.confirm(question):
            return
    except typer.Abort:
        pass
    undecided("Nothing was changed. With --yes it is done without a question.")


def next_command(bench: Workbench, step: Step | None) -> str:
    """Name the command that goes on with a step, or that finishes the lab."""
    return f"Next: {command(bench, 'check')}, for {step.name}" if step else f"Next: {command(bench, 'finish')}"


def after(bench: Workbench) -> list[str]:
    """Name what comes after a lab."""
    later = [one for one in numbers() if one > bench.lab.number]
    there = "cd ..; " if bench.folder == HERE else ""  # beside this folder, not within
    lines = [f"Next: {there}memlab lab start {later[0]}"] if later else []
    if bench.path.suffix == ".py":
        judged = f"{bench.path}:{bench.lab.system}"
        lines.append(f"Much harder, for it asks for more than the labs teach: memlab compare --systems hybrid,{judged}")
    return lines


def command(bench: Workbench, verb: str, step: str = "") -> str:
    """Write a command as it is to be typed where this one was."""
    words = ["memlab", "lab", verb, *([step] if step else [])]
    words += [] if bench.folder == HERE else ["--dir", str(bench.folder)]
    return shlex.join([*words, *([] if bench.alone else ["--lab", bench.lab.number])])


def say(lines: list[str]) -> None:
    """Print lines, each with the colour of its mark; nothing in them commands the terminal."""
    for line in map(escape_invisible, lines):
        out.print(Text(line, STYLES.get(line[:1], "")), soft_wrap=True)


def warn(word: str) -> None:
    """Print a word of warning."""
    err.print(Text(word, "yellow"), soft_wrap=True)


def undecided(words: str) -> NoReturn:
    """Say why a command could not decide, and exit with 2."""
    err.print(Text(escape_invisible(words), "red"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)
