"""What a submission prints: lines that follow it are run, and what they print is compared line by line."""

from __future__ import annotations

from itertools import zip_longest

from memlab.grading.grade import Reason
from memlab.grading.marking.attempt import GradingAttempt
from memlab.grading.marking.points import Outcome
from memlab.labs.lab import Printout
from memlab.sandbox.client import CheckFailed

RUN = "printed_here"
"""The function that runs the lines: what the submission itself prints when it is loaded is not theirs."""
SHOWN = 200
"""Characters of a line, as a reason shows it."""


def printed(task: Printout, sitting: GradingAttempt) -> Outcome:
    """Run the lines of a task behind a submission, as if they stood there; it holds where they print what they must."""
    path = sitting.path.parent / "printout" / sitting.path.name
    path.parent.mkdir(exist_ok=True)
    source = sitting.path.read_bytes()
    path.write_bytes(source + f"\n\ndef {RUN}():\n    __import__('builtins').exec({task.runs!r}, globals())\n".encode())
    try:
        work = sitting.work(path, "")
        work.reset()
        work.call(RUN)
    except CheckFailed as wrong:
        says = str(wrong)
    else:
        says = differs(work.printed, task.prints)
    if not says:
        return Outcome(1, 1)
    return Outcome(0, 1, (Reason(task.name, task.title, says, tuple(lines(task.runs))),))


def differs(found: str, wanted: str) -> str:
    """Tell the first line that is another than it must be; "" where all are alike, trailing white space aside."""
    for number, (one, must) in enumerate(zip_longest(lines(found), lines(wanted)), 1):
        if one != must:
            return f"line {number} is {_told(one)}, expected {_told(must)}"
    return ""


def lines(text: str) -> list[str]:
    """Give the lines of a text without trailing white space; empty ones around it do not count."""
    return [line.rstrip() for line in text.strip("\n").rstrip().splitlines()]


def _told(line: str | None) -> str:
    if line is None:
        return "not there"
    return repr(line) if len(line) <= SHOWN else f"{line[:SHOWN]!r}..."
