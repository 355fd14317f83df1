"""Sentences for students, shared by the feedback page and Gradescope. All text in them is inert."""

from __future__ import annotations

from collections.abc import Iterable

from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.harness.plural import plural
from memlab.labs.lab import Lab
from memlab.report.text import escape_invisible

MAX_NAME, MAX_SENTENCE, MAX_CALL = 80, 700, 240
"""Characters of a name, a sentence and a call."""
MAX_CALLS = 12
"""Calls shown before a wrong answer: the last ones."""
STATUS: dict[Status, str] = {
    "ok": "All tasks were graded.",
    "timeout": "It took too long and was stopped.",
    "crashed": "It ended before all checks were done.",
    "syntax error": "Python cannot read the file, so it could not be checked.",
    "missing": "There is no file that could be graded.",
    "internal": "The grader failed. This is not your fault. Your instructor is informed; these points are not final.",
}
_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})
MADE_UP_WORDS = (
    "Words such as 'uzapovito' are made up for each grade, so that answers cannot be hard-coded. The word that one"
    " stands for is given beside it."
)
NOT_ATTEMPTED = (
    "Your file leaves this step as the lab gives it, so nothing was misunderstood: its points are still open."
)
HIDDEN = "The checks of this task are hidden: you see its points only."


def printable(text: str, longest: int = MAX_SENTENCE) -> str:
    """Return text as one line with invisible characters escaped; long text is cut, with a note."""
    rest = f" (… {len(text):,} characters in total)" if len(text) > longest else ""
    return escape_invisible(text[:longest]).translate(_BREAKS) + rest


def status_message(grade: Grade) -> str:
    """Return a sentence about the status. Details of a grader failure are not shown to students."""
    sentence = STATUS[grade.status]
    if not grade.message or grade.status == "internal":
        return sentence
    return f"{sentence.removesuffix('.')}: {printable(grade.message)}"


def late_sentence(grade: Grade) -> str:
    """Return a sentence about a late submission; "" if it was not late."""
    if not grade.days_late:
        return ""
    days = f"{plural(grade.days_late, 'day')} late"
    deducted = f"{format_points(grade.penalty)} of {format_points(grade.points_before)} points are deducted."
    return f"Submitted {days}: {deducted if grade.penalty else 'no points are deducted.'}"


def adjustment_note(grade: Grade) -> str:
    """Return why the points are not the sum of those of the tasks; "" if they are."""
    late = f"late: {format_points(grade.penalty)} deducted" if grade.penalty else ""
    by_hand = f"by hand: {format_points(grade.added)}" if grade.added else ""
    return ", ".join(filter(None, (late, by_hand)))


def instructor_lines(grade: Grade) -> list[str]:
    """Return what the instructor wrote or gave by hand, one line for the whole submission and one for each task."""
    added = (
        f"{format_points(abs(grade.added))} points {'added' if grade.added > 0 else 'deducted'}." if grade.added else ""
    )
    whole = " ".join(filter(None, (added, printable(grade.comment))))
    return [*([whole] if whole else []), *(line for mark in grade.marks if (line := _instructor_line(mark)))]


def _instructor_line(mark: Mark) -> str:
    given = ""
    if mark.graded is not None:
        points, of, before = map(format_points, (mark.points, mark.max_points, mark.graded))
        given = f"{points} of {of} points instead of {before}."
    words = " ".join(filter(None, (given, printable(mark.comment))))
    return f"{printable(mark.title, MAX_NAME)}: {words}" if words else ""


def last_line(fault: str) -> str:
    """Return the last line of a traceback, cut to a sentence's length."""
    return fault.strip().rpartition("\n")[2].strip()[:MAX_SENTENCE]


def is_ungraded(grade: Grade) -> bool:
    """Return True if nothing could be checked: the status then says what every task would repeat."""
    repeated = all(grade.message in reason.message for mark in grade.marks for reason in mark.reasons)
    by_hand = any(mark.graded is not None for mark in grade.marks)
    return grade.status != "ok" and repeated and not by_hand and not any(mark.total for mark in grade.marks)


def rule_sentence(reason: Reason) -> str:
    """Return a reason about the task as a whole as a sentence; "" for any other."""
    return "" if reason.name else f"This task {printable(reason.message)}."


def call_lines(before: tuple[str, ...]) -> list[str]:
    """Return the calls before an answer, one line each: the last ones, and the number of earlier ones."""
    earlier = len(before) - MAX_CALLS
    head = [f"({earlier} earlier)"] if earlier > 0 else []
    return [*head, *(printable(one, MAX_CALL) for one in before[-MAX_CALLS:])]


def has_lost_points(mark: Mark) -> bool:
    """Return True if the task lost points."""
    return mark.points < mark.max_points


def shows_answers(marks: Iterable[Mark]) -> bool:
    """Return True if students see answers, with words that were made up for the grade."""
    return any(reason.name for mark in marks if mark.visible and mark.attempted for reason in mark.reasons)


def format_points(number: float) -> str:
    """Return points with at most two decimals: 12, 7.5, 6.67."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def format_percent(share: float) -> str:
    """Return a share in whole percent; only 0 and 1 become 0 % and 100 %."""
    return f"{round(100 * share) if share in {0.0, 1.0} else min(99, max(1, round(100 * share)))} %"


def first_lost_step(grade: Grade, lab: Lab) -> str:
    """Return the first visible step that lost points other than by hand; "" if none did."""
    open_tasks = {
        mark.task
        for mark in grade.marks
        if mark.visible and has_lost_points(mark) and (mark.reasons or mark.graded is None)
    }
    return next((step.name for step in lab.steps if step.name in open_tasks), "")
