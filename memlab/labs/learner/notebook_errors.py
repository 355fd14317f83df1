"""Errors in a notebook: each is printed as a sentence, without a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import ParamSpec

from memlab.extras import NotInstalled
from memlab.harness.scenarios.errors import BadScenario
from memlab.labs.handout.text import BadText
from memlab.labs.lab import UnknownLab
from memlab.labs.learner import messages
from memlab.labs.learner.reference import NoSolution
from memlab.labs.learner.submission import NotHandedIn
from memlab.labs.learner.workspace import OutsideFolder, is_folder_gone
from memlab.labs.rubric import BadRubric
from memlab.systems.entry import UnknownSystem

P = ParamSpec("P")
GONE = "The folder of this notebook was deleted. Restart the kernel, and run the cells from the top."


class NotebookError(Exception):
    """An error that a learner can correct. IPython shows the message without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [messages.sentence(str(self))]


INVALID = (UnknownLab, NoSolution, BadRubric, BadText, NotHandedIn, NotInstalled, UnknownSystem, BadScenario)
ANSWERED = (NotebookError, OutsideFolder, *INVALID, OSError)  # errors printed for the learner; any other is a bug


def print_lines(lines: Callable[P, Iterable[str]]) -> Callable[P, None]:
    """Decorate a method that yields lines to print them; an error is the last line, without a traceback."""

    @wraps(lines)
    def method(*args: P.args, **named: P.kwargs) -> None:
        try:
            signature(lines).bind(*args, **named)
        except TypeError as wrong:
            print(f"lab.{lines.__name__}: {wrong}. {(lines.__doc__ or '').splitlines()[0]}")  # noqa: T201 - a notebook prints
            return
        try:
            for line in lines(*args, **named):
                print(line, flush=True)  # noqa: T201 - a notebook prints
        except ANSWERED as wrong:
            print(messages.sentence(GONE if is_folder_gone() else str(wrong)))  # noqa: T201 - a notebook prints
        except KeyboardInterrupt:  # still an error, so that "run all cells" stops here
            raise NotebookError(f"lab.{lines.__name__} was interrupted. Run the cell again when you like.") from None

    return method
