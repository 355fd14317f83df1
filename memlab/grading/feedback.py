"""feedback/<name>.html: what one student is told. The points on top, then each lost point with its reason."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from memlab.grading import told
from memlab.grading.files import safe_name, write_whole
from memlab.grading.grade import Grade, Mark, Reason, Status
from memlab.grading.gradebook import DIGEST, worth
from memlab.grading.page import page
from memlab.labs.lab import Lab
from memlab.report.markup import Markup, element, grid, head, section, together

FEEDBACK = "feedback"
CAPTION = (
    "Held is how many of the things that a task asks your file does. A task with a link says what it lost, and why."
)
FIRST: dict[Status, str] = {
    "missing": "Hand in {file}, or the lab's notebook, under the name that your course asks for.",
    "syntax error": "Python names the line that it cannot read:",
    "internal": "There is nothing that you need to do: your instructor grades it again.",
}
"""What comes first, where no step can be named."""
COMMANDS: dict[Status, tuple[str, ...]] = {"missing": (), "syntax error": ("python {file}",), "internal": ()}
ALL = "Every point was earned. There is nothing left to do."
NOT_A_STEP = "Every step that you can check in the lab kept its points. The reasons below say what else was asked."


def feedback(grade: Grade, lab: Lab) -> str:
    """Compose the page of one student. It names no other, and tells nothing of a task that is kept back."""
    lost = [mark for mark in grade.marks if told.lost(mark)]
    main = element(
        "main",
        section("next", "What to do next", *_next(grade, lab)),
        *([section("tasks", "Task by task", _tasks(grade.marks))] if grade.marks else []),
        *([section("lost", "Where points were lost", *map(_lost, lost))] if lost else []),
    )
    return page(f"Lab {lab.number}: {_points(grade, lab)}", _header(grade, lab), main, _footer(grade))


def write_feedback(grade: Grade, lab: Lab, folder: Path) -> Path:
    """Write the page of one student, and name the file."""
    path = folder / FEEDBACK / f"{safe_name(grade)}.html"
    write_whole(path, feedback(grade, lab))
    return path


def _points(grade: Grade, lab: Lab) -> str:
    return f"{told.points(grade.points)} of {told.points(worth(grade, lab))} points"


def _header(grade: Grade, lab: Lab) -> Markup:
    who = told.shown(grade.student, told.LONGEST_NAME)
    if grade.submission not in {"", grade.student}:
        who += f", {told.shown(grade.submission, told.LONGEST_NAME)}"
    points = element("strong", told.points(grade.points)), f" of {told.points(worth(grade, lab))} points"
    fared = [element("p", told.status(grade), class_="status")] if grade.status != "ok" else []
    title = element("h1", f"Lab {lab.number}: {lab.title}")
    return element("header", title, element("p", who, class_="who"), element("p", *points, class_="points"), *fared)


def _footer(grade: Grade) -> Markup:
    of = "of the file that was graded: it tells which version of yours this page is about."
    number = [element("code", grade.digest[:DIGEST]), f" are the first letters of the SHA-256 {of}"]
    return element("footer", element("p", *(number if grade.digest else ["Nothing was there to be graded."])))


def _next(grade: Grade, lab: Lab) -> list[Markup]:
    if grade.status in FIRST:
        commands = [one.format(file=lab.file) for one in COMMANDS[grade.status]]
        return [element("p", FIRST[grade.status].format(file=lab.file)), *_commands(commands)]
    if not any(told.lost(mark) for mark in grade.marks):
        return [element("p", ALL)]
    name = told.next_step(grade, lab)
    if not name:
        return [element("p", NOT_A_STEP)]
    title = lab.step(name).title
    first = element("p", "Begin with ", element("b", title), ", the first step of the lab that lost points:")
    said = "The first command asks your file what was asked here, the second opens a hint."
    return [first, *_commands([f"memlab lab check {name}", f"memlab lab hint {name}"]), element("p", said)]


def _commands(lines: list[str]) -> list[Markup]:
    return [element("pre", element("code", "\n".join(lines)))] if lines else []


def _tasks(marks: tuple[Mark, ...]) -> Markup:
    return grid("tasks", CAPTION, map(head, ("task", "held", "points")), map(_task, marks))


def _task(mark: Mark) -> Markup:
    name: str = told.shown(mark.title, told.LONGEST_NAME)
    name = element("a", name, href=f"#{_place(mark)}") if told.lost(mark) else name
    sign = element("span", "✗" if told.lost(mark) else "✓", class_="lost" if told.lost(mark) else "kept")
    held = f"{mark.kept} of {mark.asked}" if mark.visible else "kept back"
    of = f"{told.points(mark.points)} of {told.points(mark.worth)}"
    return element("tr", element("th", sign, " ", name, scope="row"), element("td", held), element("td", of))


def _place(mark: Mark) -> str:
    return f"task-{mark.task}"


def _lost(mark: Mark) -> Markup:
    minus = f"{told.points(mark.worth - mark.points)} of {told.points(mark.worth)} points lost"
    title = element("h3", told.shown(mark.title, told.LONGEST_NAME), " ", element("small", minus))
    return element("article", title, *_why(mark), id=_place(mark))


def _why(mark: Mark) -> list[Markup]:
    if not mark.visible:
        return [element("p", told.KEPT_BACK)]
    if not mark.reasons:
        return [element("p", "Nothing was asked of it any more: what is said on top came first.")]
    same = groupby(mark.reasons, key=lambda one: (one.asked == mark.task, one.says, one.before))
    return [_rule(list(alike)) if of_the_task else _reason(list(alike)) for (of_the_task, _, _), alike in same]


def _rule(reasons: list[Reason]) -> Markup:
    """Tell what the task as a whole lost its points by."""
    return element("p", f"This task {told.shown(reasons[0].says)}.", class_="rule")


def _reason(reasons: list[Reason]) -> Markup:
    """Tell what was asked, what came instead and after which calls; several where the answer was the same."""
    asks = [element("h4", told.shown(one.asks), " ", element("small", told.shown(one.asked))) for one in reasons]
    calls = told.calls(reasons[0].before)
    code = element("pre", element("code", "\n".join(calls)))
    after = [element("dt", "after these calls"), element("dd", code)] if calls else []
    instead = together(element("dt", "instead"), element("dd", told.shown(reasons[0].says)))
    return element("div", *asks, element("dl", instead, *after), class_="reason")
