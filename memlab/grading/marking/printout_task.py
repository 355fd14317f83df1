"""Grades a printout task: runs the task's lines after the submission and compares what they print."""

from __future__ import annotations

from memlab.grading.grade import Reason
from memlab.grading.marking.attempt import GradingAttempt
from memlab.grading.marking.points import Outcome
from memlab.labs.rubric import Printout
from memlab.sandbox.client import CheckFailed

FUNCTION = "printed_here"
"""The function that runs the lines, so that what the submission prints while it is loaded does not count."""
MAX_SHOWN = 200
"""Characters of a text in a reason."""


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
    """Return a sentence about the first expected line that is missing; "" if all are there, in this order.

    Lines are compared without white space around them. Other lines may come between them.
    """
    found, last = iter(strip_lines(printed)), ""
    for line in strip_lines(expected):
        if line not in found:  # which reads on up to that line
            where = f"after {_quote(last)}" if last else "in front"
            return f"printed {_quote(printed.strip())}, expected the line {_quote(line)} {where}"
        last = line
    return ""


def strip_lines(text: str) -> list[str]:
    """Return the lines that are not empty, without white space around them."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def _quote(text: str) -> str:
    return (repr(text) if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]!r}...") if text else "nothing"
