"""The application, its two consoles, and what its commands say alike: progress, files, a user's mistake."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from memlab.harness.running.results import BadResults
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scoring.thresholds import BadThresholds
from memlab.systems.entry import UnknownSystem

UNDECIDED = 2
_FOLDER, _RIGHTS = "A folder is needed: choose another place.", "Correct its rights or choose another place."
_ROOM = "Make room or choose another place."
_NEXT = {
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR), _FOLDER),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _RIGHTS),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _ROOM),
}
"""What to do about what the machine refused."""
app = typer.Typer(
    help="Show, teach and grade what each part of an agent's memory buys.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _stream in (sys.stdout, sys.stderr):
    if isinstance(_stream, io.TextIOWrapper):  # a mark that a terminal's encoding lacks is no reason to stop
        _stream.reconfigure(errors="backslashreplace")
out = Console(highlight=False)
err = Console(stderr=True)


def progress_bar() -> Progress:
    """Show how far a run is, where a terminal looks on."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, disable=not err.is_terminal)


def say_where(folder: Path, files: str) -> None:
    """Name the folder in which a command has left its files, and the files."""
    out.print(f"Everything is in {escape(str(folder))}: {files}.", soft_wrap=True)


@contextmanager
def user_errors() -> Iterator[None]:
    """Say a user's mistake in words, or what the machine refused, and exit with 2."""
    try:
        yield
    except (BadScenario, UnknownSystem, BadResults, BadThresholds) as error:
        words = str(error)
    except OSError as error:
        mend = _NEXT.get(error.errno or 0, "Choose another place.")
        words = f"{error.filename or 'this machine'}: {error.strerror or error}. {mend}"
    else:
        return
    err.print(Text(words, "red"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)
