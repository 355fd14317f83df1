"""What a submission prints: lines that follow it are run, and what they print is compared line by line."""

from __future__ import annotations

from itertools import zip_longest

from memlab.grading.grade import Reason
from memlab.grading.marking.attempt import GradingAttempt
from memlab.grading.marking.points import Outcome
from memlab.labs.lab import Printout
from memlab.sandbox.client import CheckFailed

FUNCTION = "printed_here"
"""The function that runs the lines: what the submission itself prints when it is loaded is not theirs."""
MAX_SHOWN = 200
"""Characters of a line, as a reason shows it."""


def grade_printout(task: Printout, attempt: GradingAttempt) -> Outcome:
    """Run the lines of a task behind a submission, as if they stood there; it holds where they print what they must."""
    path = attempt.path.parent / "printout" / attempt.path.name
    path.parent.mkdir(exist_ok=True)
    source = attempt.path.read_bytes()
    path.write_bytes(
        source + f"\n\ndef {FUNCTION}():\n    __import__('builtins').exec({task.runs!r}, globals())\n".encode()
    )
    try:
        work = attempt.open_sandbox(path, "")
        work.reset()
        work.call(FUNCTION)
    except CheckFailed as wrong:
        message = str(wrong)
    else:
        message = first_difference(work.printed, task.prints)
    if not message:
        return Outcome(1, 1)
    return Outcome(0, 1, (Reason(task.name, task.title, message, tuple(strip_lines(task.runs))),))


def first_difference(found: str, wanted: str) -> str:
    """Tell the first line that is another than it must be; "" where all are alike, trailing white space aside."""
    for number, (one, must) in enumerate(zip_longest(strip_lines(found), strip_lines(wanted)), 1):
        if one != must:
            return f"line {number} is {_quote(one)}, expected {_quote(must)}"
    return ""


def strip_lines(text: str) -> list[str]:
    """Give the lines of a text without trailing white space; empty ones around it do not count."""
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def _quote(line: str | None) -> str:
    if line is None:
        return "not there"
    return repr(line) if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]!r}..."
