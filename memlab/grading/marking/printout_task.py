"""Grades a printout task: runs the task's lines after the submission and compares what they print."""

from __future__ import annotations

from itertools import zip_longest

from memlab.grading.grade import Reason
from memlab.grading.marking.attempt import GradingAttempt
from memlab.grading.marking.points import Outcome
from memlab.labs.lab import Printout
from memlab.sandbox.client import CheckFailed

FUNCTION = "printed_here"
"""The function that runs the lines, so that what the submission prints while it is loaded does not count."""
MAX_SHOWN = 200
"""Characters of a line in a reason."""


def grade_printout(task: Printout, attempt: GradingAttempt) -> Outcome:
    """Run the lines of a task after the submission. It passes if they print the expected lines."""
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


def first_difference(printed: str, expected: str) -> str:
    """Return a sentence about the first line that differs; "" if none does. Trailing white space is ignored."""
    for number, (line, expected_line) in enumerate(zip_longest(strip_lines(printed), strip_lines(expected)), 1):
        if line != expected_line:
            return f"line {number} is {_quote(line)}, expected {_quote(expected_line)}"
    return ""


def strip_lines(text: str) -> list[str]:
    """Return the lines without trailing white space, and without empty lines at the start and the end."""
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def _quote(line: str | None) -> str:
    if line is None:
        return "missing"
    return repr(line) if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]!r}..."
