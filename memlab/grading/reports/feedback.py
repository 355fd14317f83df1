"""feedback/<name>.html: the page of one student. The points first, then each lost point with its reason."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.grading.marking.word_substitution import WORD
from memlab.grading.reports import messages
from memlab.grading.reports.files import safe_name, write_atomically
from memlab.grading.reports.gradebook import DIGEST_LETTERS
from memlab.grading.reports.page import number_cell, number_heads, render_page
from memlab.grading.reports.parts import Subtotal, part_of, subtotals
from memlab.labs.lab import Lab
from memlab.report.html.elements import Markup, column_heading, element, fragment, html_table, section

FEEDBACK = "feedback"
CAPTION = "Checks: how many of the task's checks your file passed. Follow a link to see why points were lost."
UNGRADED_ADVICE: dict[Status, str] = {
    "timeout": "Loading your file did not end. Look for an endless loop outside of the functions.",
    "crashed": "Your file must load without an error before it can be checked. Run memlab lab check to see the error.",
    "syntax error": "Correct the line named above. memlab lab check shows the same error.",
    "missing": "Submit {file} or the lab's notebook, under the file name that your course requires.",
    "internal": "Nothing. Your instructor will grade the file again.",
}
"""What to do if nothing could be checked."""
OPEN_STEPS = (
    "Your file leaves these steps as the lab gives them, so nothing was misunderstood: their points are still open."
    " If you did work on one of them, check that you submitted the right file and, in a notebook, that the cells kept"
    " their tags."
)
ALL_POINTS = "Every task earned all of its points. There is nothing left to do."
NOT_CHECKED = "This task was not checked, for the reason given at the top."
BY_HAND = "No check failed. Your instructor gave these points by hand; their words are at the top."
NO_LOST_STEP = "No step that you can check in the lab failed. The reasons for the lost points are below."


def render_feedback(grade: Grade, lab: Lab, level: str = "") -> str:
    """Return the page of one student. It names no other student, and no check of a hidden task.

    `level` names the isolation level that the file ran in.
    """
    marks = () if _is_ungraded(grade) else grade.marks
    lost = [mark for mark in marks if mark.attempted and messages.has_lost_points(mark)]
    open_steps = [mark for mark in marks if not mark.attempted]
    note = [element("p", messages.MADE_UP_WORDS)] if messages.shows_answers(lost) else []
    words = [element("p", line) for line in messages.instructor_lines(grade)]
    main = element(
        "main",
        *([section("instructor", "From your instructor", *words)] if words else []),
        section("next", "What to do next", *_next_steps(grade, lab)),
        *([section("tasks", "Results by task", _task_table(marks, lab))] if marks else []),
        *([section("lost", "Lost points", *note, *map(_lost_task, lost))] if lost else []),
        *([section("open", "Not attempted", *_open_steps(open_steps))] if open_steps else []),
    )
    return render_page(f"Lab {lab.number}: {_points_line(grade)}", _header(grade, lab), main, _footer(grade, level))


def write_feedback(grade: Grade, lab: Lab, folder: Path, level: str = "") -> Path:
    """Write the page of one student. Returns its path."""
    path = folder / FEEDBACK / f"{safe_name(grade)}.html"
    write_atomically(path, render_feedback(grade, lab, level))
    return path


def _is_ungraded(grade: Grade) -> bool:
    """Return True if the tasks have no result: nothing could be checked, or the grader failed."""
    return grade.status == "internal" or messages.is_ungraded(grade)


def _points_line(grade: Grade) -> str:
    of = f" of {messages.format_points(grade.max_points)} points"
    return "not graded yet" if grade.status == "internal" else messages.format_points(grade.points) + of


def _header(grade: Grade, lab: Lab) -> Markup:
    who = messages.printable(grade.student, messages.MAX_NAME)
    if grade.submission not in {"", grade.student}:
        who += f", {messages.printable(grade.submission, messages.MAX_NAME)}"
    first, *others = _points_line(grade).partition(" ")
    points = element("p", element("strong", first), *others, class_="points")
    parts = [] if _is_ungraded(grade) else _parts_line(subtotals(grade.marks, lab))
    status = [element("p", messages.status_message(grade), class_="status")] if grade.status != "ok" else []
    title = element("h1", f"Lab {lab.number}: {lab.rubric.title}")
    late = [element("p", messages.late_sentence(grade), class_="who")] if grade.days_late else []
    return element("header", title, element("p", who, class_="who"), points, *parts, *late, *status)


def _parts_line(parts: list[Subtotal]) -> list[Markup]:
    """Show the points of each part, if there are several."""
    texts = [f"{one.title} {_points_of(one.points, one.max_points)}" for one in parts]
    return [element("p", " · ".join(texts), class_="who")] if len(texts) > 1 else []


def _footer(grade: Grade, level: str) -> Markup:
    of = "of the graded file, so that you know which version this page is about."
    number = [element("code", grade.digest[:DIGEST_LETTERS]), f" is the beginning of the SHA-256 {of}"]
    if not grade.digest or grade.status == "missing":
        return element("footer", element("p", "There was no file to grade."))
    ran = [element("p", f"It ran in a sandbox ({level}).")] if level else []
    return element("footer", element("p", *number), *ran)


def _next_steps(grade: Grade, lab: Lab) -> list[Markup]:
    if _is_ungraded(grade):
        return [element("p", UNGRADED_ADVICE[grade.status].format(file=lab.file))]
    if not any(messages.has_lost_points(mark) for mark in grade.marks):
        return [element("p", ALL_POINTS)]
    name = messages.first_lost_step(grade, lab)
    if not name:
        return [element("p", NO_LOST_STEP)]
    title = lab.step(name).title
    first = element("p", "Start with ", element("b", title), ", the first step of the lab that lost points:")
    explanation = "The first command runs the same checks with other examples, the second shows a hint."
    commands = element("pre", element("code", f"memlab lab check {name}\nmemlab lab hint {name}"))
    return [first, commands, element("p", explanation)]


def _task_table(marks: tuple[Mark, ...], lab: Lab) -> Markup:
    """Show the tasks of each part below a row with its points."""
    parts = subtotals(marks, lab)
    rows: list[Markup] = []
    for part in parts:
        of = number_cell(_points_of(part.points, part.max_points))
        heading = element("tr", element("th", part.title, scope="row"), number_cell(""), of, class_="part")
        rows += [heading] if len(parts) > 1 else []
        rows += [_task_row(mark) for mark in marks if part_of(mark.task, lab) == part.part]
    return html_table("tasks", CAPTION, (column_heading("task"), *number_heads("checks passed", "points")), rows)


def _task_row(mark: Mark) -> Markup:
    name: str = messages.printable(mark.title, messages.MAX_NAME)
    sign = element("span", "✓", class_="kept")
    if not mark.attempted:
        name, sign = element("a", name, href="#open"), element("span", "○")
    elif messages.has_lost_points(mark):
        name, sign = element("a", name, href=f"#{_anchor(mark)}"), element("span", "✗", class_="lost")
    passed = f"{mark.passed} of {mark.total}" if mark.total else "not checked"
    checks = "not attempted" if not mark.attempted else passed if mark.visible else "hidden"
    of = _points_of(mark.points, mark.max_points)
    return element("tr", element("th", sign, " ", name, scope="row"), number_cell(checks), number_cell(of))


def _points_of(points: float, max_points: float) -> str:
    return f"{messages.format_points(points)} of {messages.format_points(max_points)}"


def _anchor(mark: Mark) -> str:
    return f"task-{mark.task}"


def _lost_task(mark: Mark) -> Markup:
    name = f"{mark.task}: " if mark.visible else ""
    lost, of = map(messages.format_points, (mark.max_points - mark.points, mark.max_points))
    minus = f"{name}{lost} of {of} points lost"
    title = element("h3", messages.printable(mark.title, messages.MAX_NAME), " ", element("small", minus))
    return element("article", title, *_explanations(mark), id=_anchor(mark))


def _open_steps(marks: list[Mark]) -> list[Markup]:
    items = [
        element(
            "li", f"{messages.printable(mark.title, messages.MAX_NAME)}, {_points_of(mark.points, mark.max_points)}"
        )
        for mark in marks
    ]
    return [element("p", OPEN_STEPS), element("ul", *items)]


def _explanations(mark: Mark) -> list[Markup]:
    if not mark.visible:
        return [element("p", messages.HIDDEN)]
    if not mark.reasons:
        return [element("p", BY_HAND if mark.graded is not None else NOT_CHECKED)]
    same = groupby(mark.reasons, key=lambda one: (messages.rule_sentence(one), one.message, one.calls))
    return [element("p", rule, class_="rule") if rule else _explanation(list(group)) for (rule, _, _), group in same]


def _explanation(reasons: list[Reason]) -> Markup:
    """Show the requirements, the answer and the calls before it; several requirements if the answer was the same."""
    asks = [
        element("h4", messages.printable(one.requirement), " ", element("small", messages.printable(one.name)))
        for one in reasons
    ]
    first = reasons[0]
    calls = messages.call_lines(first.calls)
    code = element("pre", element("code", _with_originals("\n".join(calls), first)))
    after = [element("dt", "Calls before"), element("dd", code)] if calls else []
    result = _with_originals(messages.printable(first.message), first)
    instead = fragment(element("dt", "Result"), element("dd", result))
    return element("div", *asks, element("dl", instead, *after), class_="reason")


def _with_originals(text: str, reason: Reason) -> Markup:
    """Return a text in which the original follows the first occurrence of each made-up word."""
    originals = dict(reason.words)
    parts: list[str] = []
    end = 0
    for match in WORD.finditer(text):
        if original := originals.pop(match[0].lower(), ""):
            parts += [text[end : match.end()], element("small", f" ({original})", class_="word")]
            end = match.end()
    return fragment(*parts, text[end:])
