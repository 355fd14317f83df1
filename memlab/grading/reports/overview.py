"""index.html: the overview of a class, for the instructor only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memlab.grading.grade import Grade, Status
from memlab.grading.intake.similarity import Pair
from memlab.grading.reports import messages
from memlab.grading.reports.charts import draw_points, draw_tasks
from memlab.grading.reports.class_statistics import (
    CheckStatistics,
    ClassStatistics,
    Line,
    TaskStatistics,
    compute_statistics,
)
from memlab.grading.reports.feedback import FEEDBACK
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.page import number_cell, number_heads, render_page
from memlab.grading.reports.parts import PART_TITLES
from memlab.harness.plural import plural
from memlab.labs.handout.rules import rule_of
from memlab.labs.handout.wrong import Mistake, mistakes
from memlab.labs.lab import Lab
from memlab.report.html.elements import Markup, column_heading, element, fragment, html_table, section

OVERVIEW = "index.html"
MAX_CHECKS, MAX_MISTAKES, MAX_PAIRS, MAX_LINES = 12, 2, 40, 2000
"""Limits that keep the page small for a class of any size."""
MAX_NAME, MAX_FAULT = 48, 4000
TITLES = {
    "faults": "The grader failed",
    "points": "Points",
    "tasks": "Tasks",
    "laws": "Checks that failed most often",
    "pairs": "Similar submissions",
    "lines": "Students",
    "run": "Settings of this run",
}
STATUSES: dict[Status, str] = {
    "ok": "graded",
    "timeout": "timed out",
    "crashed": "crashed",
    "syntax error": "with a syntax error",
    "missing": "missing",
    "internal": "not graded: the grader failed",
}
FAULTS = "These submissions have no points yet. Run the same command again. If one fails again, please report it."
TASKS = (
    "Hardest first, by the mean of those who attempted it. A step is not attempted if the file leaves it as the lab"
    " gives it. A task is not checked if a task that it needs earned nothing. There are no confidence intervals:"
    " this is the whole class, not a sample."
)
CHECKS = (
    "The checks that failed most often among those who attempted the step, each with the sentence of the lab that"
    " states the rule, and the most frequent answer. The likely reasons come from the lab's collection of"
    " typical mistakes."
)
PARTS = "Missing submissions count 0; failures of the grader are left out."
PAIRS = (
    "Similarity is no verdict: review these pairs yourself. Short files are naturally similar, and so are the files of"
    " students who learn together."
)
LOOK = "look at this one: it passes nothing and raises everywhere"
LINES = "Each name links to the student's feedback page."
SEED = "in run.json. Anyone who knows it can draw the same examples: do not share this folder with students"


def render_overview(grades: Iterable[Grade], lab: Lab, run: Mapping[str, object], pairs: Sequence[Pair] = ()) -> str:
    """Return the page: failures of the grader first, then the class, then each student.

    `run` is the content of run.json. The grades are read once.
    """
    statistics = compute_statistics(grades, lab)
    parts = {
        "faults": _faults([line for line in statistics.lines if line.status == "internal"]),
        "points": _points(statistics),
        "tasks": _tasks(statistics.hardest(), statistics.unattempted()),
        "laws": _checks(statistics, lab),
        "pairs": _pairs(pairs, {line.submission: line for line in statistics.lines}),
        "lines": _lines(statistics.lines),
        "run": [_run(run)],
    }
    sections = [section(name, TITLES[name], *inside) for name, inside in parts.items() if inside]
    links = [element("a", TITLES[name], href=f"#{name}") for name, inside in parts.items() if inside]
    return render_page(f"Lab {lab.number}: class overview", _header(lab, statistics, links), element("main", *sections))


def write_overview(
    grades: Iterable[Grade], lab: Lab, run: Mapping[str, object], pairs: Sequence[Pair], folder: Path
) -> Path:
    """Write the page. Returns its path."""
    write_atomically(folder / OVERVIEW, render_overview(grades, lab, run, pairs))
    return folder / OVERVIEW


def _header(lab: Lab, statistics: ClassStatistics, links: Sequence[Markup]) -> Markup:
    counts = statistics.statuses
    by_status = ", ".join(f"{counts[status]} {words}" for status, words in STATUSES.items() if counts[status])
    size = f"{plural(len(statistics.lines), 'submission')}: {by_status}."
    title = element("h1", f"Lab {lab.number}: {lab.rubric.title}")
    return element("header", title, element("p", size, class_="who"), element("nav", *links, aria_label="Sections"))


def _points(statistics: ClassStatistics) -> list[Markup]:
    """Show the distribution of the points and, of several parts, the mean points of each."""
    parts = statistics.mean_parts()
    rows = [
        element(
            "tr",
            element("th", part.title, scope="row"),
            number_cell(f"{messages.format_points(part.points)} of {messages.format_points(part.max_points)}"),
            number_cell(messages.format_percent(part.points / part.max_points) if part.max_points else ""),
        )
        for part in parts
    ]
    heads = column_heading("part"), *number_heads("mean points", "share")
    table = [html_table("parts", PARTS, heads, rows)] if len(rows) > 1 else []
    return [draw_points(statistics.shares, statistics.median), *table] if statistics.shares else []


def _faults(lines: Sequence[Line]) -> list[Markup]:
    rows = [element("tr", _who(line), element("td", *_fault(line))) for line in lines[:MAX_LINES]]
    return [html_table("faults", FAULTS, map(column_heading, ("student", "failure")), rows)] if rows else []


def _fault(line: Line) -> list[str]:
    """Show what failed in a sentence, and the end of the traceback."""
    where = element("pre", element("code", line.fault[-MAX_FAULT:]), tabindex="0")
    last = element("p", element("code", messages.printable(messages.last_line(line.fault))))
    trace = [last, element("details", element("summary", "traceback"), where)] if line.fault else []
    return [messages.printable(line.message), *trace]


def _tasks(hardest: Sequence[TaskStatistics], unattempted: Sequence[TaskStatistics]) -> list[Markup]:
    heads = column_heading("task"), *number_heads("mean", "all", "some", "none", "not attempted", "not checked")
    table = html_table("tasks", TASKS, heads, map(_task, (*hardest, *unattempted)))
    return [*([draw_tasks(hardest)] if hardest else []), table] if hardest or unattempted else []


def _task(task: TaskStatistics) -> Markup:
    note = [] if task.visible else [" ", element("small", "hidden from students")]
    mean = messages.format_percent(task.mean) if task.shares else ""
    cells = [mean, *map(str, task.parts()), str(task.unattempted), str(task.skipped)]
    return element("tr", element("th", task.title, *note, scope="row"), *map(number_cell, cells))


def _checks(statistics: ClassStatistics, lab: Lab) -> list[Markup]:
    failed = statistics.most_failed()
    if not failed:
        return []
    caption = element("p", CHECKS, _truncation_note(failed, MAX_CHECKS, "grades.jsonl"))
    catalogue = mistakes(lab)
    shown = ((one, statistics.tasks[one.task].evaluated) for one in failed[:MAX_CHECKS])
    return [caption, *(_check(one, n, rule_of(lab, one.name), catalogue) for one, n in shown)]


def _check(check: CheckStatistics, n: int, rule: str, catalogue: Sequence[Mistake]) -> Markup:
    title = element("h3", messages.printable(check.requirement), " ", element("small", messages.printable(check.name)))
    share = f" of {n} checked submissions, {messages.format_percent(check.failures / n)}"
    rows: dict[str, Sequence[str]] = {
        "failed by": [element("b", str(check.failures)), share],
        "rule in the lab": [_inline(rule)] if rule else [],
        "most frequent answer": [messages.printable(check.example)],
        "likely reason": _typical_mistakes(check.name, catalogue),
    }
    return element("article", title, element("dl", *_definitions(rows)))


def _inline(markdown: str) -> Markup:
    """Return a sentence of a lab's text: code as code, without emphasis."""
    parts = enumerate(markdown.replace("*", "").split("`"))
    return fragment(*(element("code", part) if number % 2 else part for number, part in parts))


def _typical_mistakes(check: str, catalogue: Sequence[Mistake]) -> list[Markup]:
    """Show the typical mistakes that fail this check, those that fail few other checks first."""
    fit = sorted((one for one in catalogue if check in one.loses), key=lambda one: (len(one.loses), one.path.name))
    return [element("p", one.thinks, " ", element("small", f"wrong/{one.path.name}")) for one in fit[:MAX_MISTAKES]]


def _pairs(pairs: Sequence[Pair], lines: Mapping[str, Line]) -> list[Markup]:
    rows = [
        element(
            "tr",
            *(element("td", _link(lines.get(name), name)) for name in (pair.first, pair.second)),
            number_cell(pair.note or messages.format_percent(pair.similarity)),
        )
        for pair in pairs[:MAX_PAIRS]
    ]
    heads = column_heading("submission"), column_heading("submission"), *number_heads("similarity")
    return [html_table("pairs", PAIRS + _truncation_note(pairs, MAX_PAIRS, "alike.csv"), heads, rows)] if rows else []


def _lines(lines: Sequence[Line]) -> list[Markup]:
    there = {part.title for line in lines for part in line.parts}
    parts = [title for title in PART_TITLES.values() if title in there] if len(there) > 1 else []
    heads = column_heading("student"), column_heading("status"), *number_heads(*parts, "points")
    caption = LINES + _truncation_note(lines, MAX_LINES, "gradebook.csv")
    return [html_table("lines", caption, heads, (_line(line, parts) for line in lines[:MAX_LINES]))]


def _line(line: Line, parts: Sequence[str]) -> Markup:
    notes = [*([line.note] if line.note else []), *([LOOK] if line.raises_everywhere else [])]
    kept = line.status == "ok" and not line.raises_everywhere
    shown_notes = [part for note in notes for part in (" ", element("small", note))]
    status = element("td", line.status, *shown_notes, class_="kept" if kept else "lost")
    points = {part.title: part.points for part in line.parts} | {"": line.points}
    shown = {title: messages.format_points(number) for title, number in points.items() if line.status != "internal"}
    return element("tr", _who(line), status, *(number_cell(shown.get(title, "")) for title in (*parts, "")))


def _who(line: Line) -> Markup:
    file = [element("small", messages.printable(line.submission, MAX_NAME))] if line.submission != line.student else []
    return element("th", _link(line, line.student), *file, scope="row")


def _link(line: Line | None, name: str) -> str:
    name = messages.printable(name, MAX_NAME)
    return element("a", name, href=f"{FEEDBACK}/{line.page}.html") if line else name


def _run(run: Mapping[str, object]) -> Markup:
    facts = {name: messages.printable(_to_text(value)) or "none" for name, value in run.items()} | {"seed": SEED}
    return element("dl", *_definitions({name.replace("_", " "): [value] for name, value in facts.items()}))


def _definitions(facts: Mapping[str, Sequence[str]]) -> list[Markup]:
    return [fragment(element("dt", name), element("dd", *inside)) for name, inside in facts.items() if inside]


def _to_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _truncation_note(rows: Sequence[object], most: int, file: str) -> str:
    """Return a note on the rows that are not shown, and the file that has them."""
    return f" Shows the first {most:,} of {len(rows):,}; {file} has all." if len(rows) > most else ""
