"""feedback/<name>.html: what one student is told. The points on top, then each lost point with its reason."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.grading.reports import messages
from memlab.grading.reports.files import safe_name, write_whole
from memlab.grading.reports.gradebook import DIGEST
from memlab.grading.reports.page import number, numbers, page
from memlab.labs.lab import Lab
from memlab.report.html.elements import Markup, column_heading, element, fragment, html_table, section

FEEDBACK = "feedback"
CAPTION = (
    "Held is how many of the things that a task asks your file does. A task with a link says what it lost, and why."
)
FIRST: dict[Status, str] = {
    "timeout": "Your file did not come to its end when it was loaded: look for a loop that stands in no function.",
    "crashed": "Your file has to load without an error before anything can be asked of it: memlab lab check tells why.",
    "syntax error": "Correct the line that is named on top. In the lab, memlab lab check names it too.",
    "missing": "Hand in {file}, or the lab's notebook, under the name that your course asks for.",
    "internal": "There is nothing that you need to do: your instructor grades it again.",
}
"""What to do where nothing could be asked."""
ALL = "Every point was earned. There is nothing left to do."
NOT_A_STEP = "Every step that you can check in the lab kept its points. The reasons below say what else was asked."


def feedback(grade: Grade, lab: Lab, level: str = "") -> str:
    """Compose the page of one student. It names no other, and tells nothing of a task that is kept back.

    `level` names the isolation that the file ran in.
    """
    marks = () if _undecided(grade) else grade.marks
    lost = [mark for mark in marks if messages.lost(mark)]
    invented = [element("p", messages.INVENTED)] if messages.explains(lost) else []
    main = element(
        "main",
        section("next", "What to do next", *_next(grade, lab)),
        *([section("tasks", "Task by task", _tasks(marks))] if marks else []),
        *([section("lost", "Where points were lost", *invented, *map(_lost, lost))] if lost else []),
    )
    return page(f"Lab {lab.number}: {_points(grade)}", _header(grade, lab), main, _footer(grade, level))


def write_feedback(grade: Grade, lab: Lab, folder: Path, level: str = "") -> Path:
    """Write the page of one student, and name the file."""
    path = folder / FEEDBACK / f"{safe_name(grade)}.html"
    write_whole(path, feedback(grade, lab, level))
    return path


def _undecided(grade: Grade) -> bool:
    """Tell if no task has anything to say: nothing could be asked, or the grader failed."""
    return grade.status == "internal" or messages.unasked(grade)


def _points(grade: Grade) -> str:
    of = f" of {messages.points(grade.max_points)} points"
    return "not graded yet" if grade.status == "internal" else messages.points(grade.points) + of


def _header(grade: Grade, lab: Lab) -> Markup:
    who = messages.shown(grade.student, messages.LONGEST_NAME)
    if grade.submission not in {"", grade.student}:
        who += f", {messages.shown(grade.submission, messages.LONGEST_NAME)}"
    first, *others = _points(grade).partition(" ")
    points = element("p", element("strong", first), *others, class_="points")
    fared = [element("p", messages.status(grade), class_="status")] if grade.status != "ok" else []
    title = element("h1", f"Lab {lab.number}: {lab.title}")
    return element("header", title, element("p", who, class_="who"), points, *fared)


def _footer(grade: Grade, level: str) -> Markup:
    of = "of the file that was graded: it tells which version of yours this page is about."
    number = [element("code", grade.digest[:DIGEST]), f" are the first letters of the SHA-256 {of}"]
    if not grade.digest or grade.status == "missing":
        return element("footer", element("p", "Nothing was there to be graded."))
    ran = [element("p", f"It ran apart from everything else, isolated by {level}.")] if level else []
    return element("footer", element("p", *number), *ran)


def _next(grade: Grade, lab: Lab) -> list[Markup]:
    if _undecided(grade):
        return [element("p", FIRST[grade.status].format(file=lab.file))]
    if not any(messages.lost(mark) for mark in grade.marks):
        return [element("p", ALL)]
    name = messages.next_step(grade, lab)
    if not name:
        return [element("p", NOT_A_STEP)]
    title = lab.step(name).title
    first = element("p", "Begin with ", element("b", title), ", the first step of the lab that lost points:")
    said = "The first command asks your file the same laws with other examples, the second opens a hint."
    commands = element("pre", element("code", f"memlab lab check {name}\nmemlab lab hint {name}"))
    return [first, commands, element("p", said)]


def _tasks(marks: tuple[Mark, ...]) -> Markup:
    return html_table("tasks", CAPTION, (column_heading("task"), *numbers("held", "points")), map(_task, marks))


def _task(mark: Mark) -> Markup:
    name: str = messages.shown(mark.title, messages.LONGEST_NAME)
    name = element("a", name, href=f"#{_place(mark)}") if messages.lost(mark) else name
    sign = element("span", "✗" if messages.lost(mark) else "✓", class_="lost" if messages.lost(mark) else "kept")
    asked = f"{mark.kept} of {mark.asked}" if mark.asked else "not asked"
    held = asked if mark.visible else "kept back"
    of = f"{messages.points(mark.points)} of {messages.points(mark.max_points)}"
    return element("tr", element("th", sign, " ", name, scope="row"), number(held), number(of))


def _place(mark: Mark) -> str:
    return f"task-{mark.task}"


def _lost(mark: Mark) -> Markup:
    name = f"{mark.task}: " if mark.visible else ""
    minus = f"{name}{messages.points(mark.max_points - mark.points)} of {messages.points(mark.max_points)} points lost"
    title = element("h3", messages.shown(mark.title, messages.LONGEST_NAME), " ", element("small", minus))
    return element("article", title, *_why(mark), id=_place(mark))


def _why(mark: Mark) -> list[Markup]:
    if not mark.visible:
        return [element("p", messages.KEPT_BACK)]
    if not mark.reasons:
        return [element("p", "Nothing was asked of it any more: what is said on top came first.")]
    same = groupby(mark.reasons, key=lambda one: (messages.rule(one), one.says, one.before))
    return [element("p", rule, class_="rule") if rule else _reason(list(alike)) for (rule, _, _), alike in same]


def _reason(reasons: list[Reason]) -> Markup:
    """Tell what was asked, what came instead and after which calls; several where the answer was the same."""
    asks = [
        element("h4", messages.shown(one.asks), " ", element("small", messages.shown(one.asked))) for one in reasons
    ]
    calls = messages.calls(reasons[0].before)
    code = element("pre", element("code", "\n".join(calls)))
    after = [element("dt", "after these calls"), element("dd", code)] if calls else []
    instead = fragment(element("dt", "instead"), element("dd", messages.shown(reasons[0].says)))
    return element("div", *asks, element("dl", instead, *after), class_="reason")
