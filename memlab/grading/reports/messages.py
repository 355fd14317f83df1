"""What a student is told of a grade, as inert text: the page and Gradescope say the same."""

from __future__ import annotations

from collections.abc import Iterable

from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.labs.lab import Lab
from memlab.report.text import escape_invisible

MAX_NAME, MAX_SENTENCE, MAX_CALL = 80, 700, 240
"""Characters of a name, a sentence and a call, as they are shown."""
MAX_CALLS = 12
"""Calls before a wrong answer that are shown: the last ones."""
STATUS: dict[Status, str] = {
    "ok": "It was graded from beginning to end.",
    "timeout": "It took too long, and was stopped.",
    "crashed": "It ended before it could be asked everything.",
    "syntax error": "Python cannot read the file, so nothing could be asked of it.",
    "missing": "There is nothing that could be graded.",
    "internal": "The grader failed, which is no fault of yours. Your instructor sees it; these points are not final.",
}
_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})
MADE_UP_WORDS = "Words such as 'uzapovito' are made up for each grade, so that only the rule counts."
HIDDEN = "What this task asks is kept back: you are told its points only."


def printable(text: str, longest: int = MAX_SENTENCE) -> str:
    """Show a stranger's text in one line: nothing in it is invisible, and a long one is cut, which is said."""
    rest = f" (… {len(text):,} characters in all)" if len(text) > longest else ""
    return escape_invisible(text[:longest]).translate(_BREAKS) + rest


def status_message(grade: Grade) -> str:
    """Tell how a submission fared as a whole, in a sentence; how the grader failed is not told to students."""
    fared = STATUS[grade.status]
    return (
        f"{fared.removesuffix('.')}: {printable(grade.message)}"
        if grade.message and grade.status != "internal"
        else fared
    )


def last_line(fault: str) -> str:
    """Give what tells most of where the grader failed: the last line, within bounds."""
    return fault.strip().rpartition("\n")[2].strip()[:MAX_SENTENCE]


def is_ungraded(grade: Grade) -> bool:
    """Tell if nothing could be asked: then the status tells what every task would tell again."""
    again = all(grade.message in reason.message for mark in grade.marks for reason in mark.reasons)
    return grade.status != "ok" and again and not any(mark.total for mark in grade.marks)


def rule_sentence(reason: Reason) -> str:
    """Write a reason that is about a task as a whole, and not about an answer, as a sentence; "" for any other."""
    return "" if reason.name else f"This task {printable(reason.message)}."


def call_lines(before: tuple[str, ...]) -> list[str]:
    """Write the calls that led to an answer, a line each: the last ones, and how many came earlier."""
    earlier = len(before) - MAX_CALLS
    head = [f"({earlier} earlier)"] if earlier > 0 else []
    return [*head, *(printable(one, MAX_CALL) for one in before[-MAX_CALLS:])]


def has_lost_points(mark: Mark) -> bool:
    """Tell if points were lost."""
    return mark.points < mark.max_points


def shows_answers(marks: Iterable[Mark]) -> bool:
    """Tell if any answer is told to the student, with the words that were made up for it."""
    return any(reason.name for mark in marks if mark.visible for reason in mark.reasons)


def format_points(number: float) -> str:
    """Write points with at most two decimals: 12, 7.5, 6.67."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def format_percent(share: float) -> str:
    """Write a share in whole percent; what is neither 0 nor 1 never reads 0 % or 100 %."""
    return f"{round(100 * share) if share in {0.0, 1.0} else min(99, max(1, round(100 * share)))} %"


def first_lost_step(grade: Grade, lab: Lab) -> str:
    """Name the first step of the lab, in its order, that lost points and may be told; "" where none did."""
    open_tasks = {mark.task for mark in grade.marks if mark.visible and has_lost_points(mark)}
    return next((step.name for step in lab.steps if step.name in open_tasks), "")
