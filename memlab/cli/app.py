"""The application, its consoles, and what all commands share: progress bar, output folder, error messages."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from memlab.cli.commands import LazyCommands

if TYPE_CHECKING:  # the list of commands needs no progress bar
    from rich.progress import Progress

UNDECIDED = 2
_NEXT = {
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR), "A folder is required: choose another path."),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "Change its permissions or choose another folder."),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "Free some space or choose another folder."),
}
"""What the user can do about an error of the operating system."""
app = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def _about() -> None:
    """Compare, teach and grade memories of AI agents."""


for _stream in (sys.stdout, sys.stderr):
    if isinstance(_stream, io.TextIOWrapper):  # print characters that the encoding lacks as escapes
        _stream.reconfigure(errors="backslashreplace")
out = Console(highlight=False)
err = Console(stderr=True)


def progress_bar() -> Progress:
    """Return a progress bar; it is hidden if the output is not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, disable=not err.is_terminal)


def print_folder(folder: Path, files: str) -> None:
    """Print the folder and the files that a command has written."""
    out.print(f"Written to {escape(str(folder))}: {files}.", soft_wrap=True)


@contextmanager
def user_errors() -> Iterator[None]:
    """Print a user's mistake, or an error of the operating system, and exit with 2."""
    try:
        yield
    except _mistakes() as error:
        words = str(error)
    except OSError as error:
        advice = _NEXT.get(error.errno or 0, "Choose another path.")
        words = f"{error.filename or 'this machine'}: {error.strerror or error}. {advice}"
    else:
        return
    err.print(Text(words, "red"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)


def _mistakes() -> tuple[type[Exception], ...]:
    """Return the errors of a user's mistake; imported after an error, since the list of commands needs none."""
    from memlab.extras import NotInstalled
    from memlab.harness.datasets.errors import BadDataset
    from memlab.harness.running.batch_process import EngineFailed
    from memlab.harness.running.results import BadResults
    from memlab.harness.scenarios.errors import BadScenario
    from memlab.harness.scoring.thresholds import BadThresholds
    from memlab.models.model import ModelError
    from memlab.sandbox.isolation import LevelUnavailable
    from memlab.systems.entry import UnknownSystem

    mistakes = BadScenario, UnknownSystem, BadResults, BadThresholds, BadDataset, LevelUnavailable, EngineFailed
    return *mistakes, ModelError, NotInstalled
