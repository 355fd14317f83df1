"""index.html: a class at a glance, for the instructor alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memlab.grading.grade import Grade, Status
from memlab.grading.intake.similarity import Pair
from memlab.grading.reports import messages
from memlab.grading.reports.charts import points_chart, tasks_chart
from memlab.grading.reports.class_statistics import LawTally, Line, Tally, TaskTally, tally
from memlab.grading.reports.feedback import FEEDBACK
from memlab.grading.reports.files import write_whole
from memlab.grading.reports.page import number, numbers, page
from memlab.labs.handout.wrong import Mistake, mistakes
from memlab.labs.lab import Lab
from memlab.report.html.elements import Markup, column_heading, element, fragment, html_table, section

OVERVIEW = "index.html"
MOST_LAWS, MOST_THOUGHTS, MOST_PAIRS, MOST_LINES = 12, 2, 40, 2000
"""What is shown at most of each, so that the page stays small for a class of any size."""
LONGEST_NAME, LONGEST_FAULT = 48, 4000
TITLES = {
    "faults": "The grader failed",
    "points": "Points",
    "tasks": "Tasks",
    "laws": "What was misunderstood",
    "pairs": "Nearly the same",
    "lines": "Student by student",
    "run": "The run",
}
STATUSES: dict[Status, str] = {
    "ok": "graded to the end",
    "timeout": "stopped for taking too long",
    "crashed": "ended early",
    "syntax error": "not readable by Python",
    "missing": "missing",
    "internal": "that the grader failed at",
}
FAULTS = "They have no points yet. Run the same command again to grade them anew; if one fails again, report it."
TASKS = (
    "Hardest first, among those of whom a task was asked: it is not, where one that it builds on earned nothing. There"
    " are no intervals: this is the whole class, and no sample of it."
)
CHECKS = (
    "The laws that were lost most often, and the answer that was given most often. What somebody may think who loses"
    " one is taken from the lab's collection of mistakes."
)
PAIRS = "For a person to look at, and no verdict: short files are alike by nature, and so is what was learned together."
LINES = "Each name leads to the page that the student is to get."
SEED = "in run.json. Who knows it can ask the same examples again: keep this folder from students"


def overview(grades: Iterable[Grade], lab: Lab, run: Mapping[str, object], pairs: Sequence[Pair] = ()) -> str:
    """Compose the page: what the grader failed at first, then the class, then each student.

    `run` is what run.json holds. The grades are read once, one at a time.
    """
    found = tally(grades, lab)
    parts = {
        "faults": _faults([line for line in found.lines if line.status == "internal"]),
        "points": [points_chart(found.shares, found.median)] if found.shares else [],
        "tasks": _tasks(found.hardest()),
        "laws": _laws(found, mistakes(lab)),
        "pairs": _pairs(pairs, {line.submission: line for line in found.lines}),
        "lines": _lines(found.lines),
        "run": [_run(run)],
    }
    sections = [section(name, TITLES[name], *inside) for name, inside in parts.items() if inside]
    links = [element("a", TITLES[name], href=f"#{name}") for name, inside in parts.items() if inside]
    return page(f"Lab {lab.number}: the class", _header(lab, found, links), element("main", *sections))


def write_overview(
    grades: Iterable[Grade], lab: Lab, run: Mapping[str, object], pairs: Sequence[Pair], folder: Path
) -> Path:
    """Write the page, and name the file."""
    write_whole(folder / OVERVIEW, overview(grades, lab, run, pairs))
    return folder / OVERVIEW


def _header(lab: Lab, found: Tally, links: Sequence[Markup]) -> Markup:
    counts = found.statuses
    fared = ", ".join(f"{counts[status]} {words}" for status, words in STATUSES.items() if counts[status])
    size = f"{len(found.lines):,} submission{'s' * (len(found.lines) != 1)}: {fared}."
    title = element("h1", f"Lab {lab.number}: {lab.title}")
    return element("header", title, element("p", size, class_="who"), element("nav", *links, aria_label="Sections"))


def _faults(lines: Sequence[Line]) -> list[Markup]:
    rows = [element("tr", _who(line), element("td", *_fault(line))) for line in lines[:MOST_LINES]]
    return [html_table("faults", FAULTS, map(column_heading, ("student", "what failed")), rows)] if rows else []


def _fault(line: Line) -> list[str]:
    """Tell what failed in a sentence, and the end of where it did."""
    where = element("pre", element("code", line.fault[-LONGEST_FAULT:]), tabindex="0")
    last = element("p", element("code", messages.shown(messages.last_line(line.fault))))
    return [
        messages.shown(line.says),
        *([last, element("details", element("summary", "where"), where)] if line.fault else []),
    ]


def _tasks(hardest: Sequence[TaskTally]) -> list[Markup]:
    heads = column_heading("task"), *numbers("mean", "all", "a part", "none", "not asked")
    return [tasks_chart(hardest), html_table("tasks", TASKS, heads, map(_task, hardest))] if hardest else []


def _task(task: TaskTally) -> Markup:
    kept = [] if task.visible else [" ", element("small", "kept back from students")]
    cells = [messages.percent(task.mean), *map(str, task.parts()), str(task.unasked)]
    return element("tr", element("th", task.title, *kept, scope="row"), *map(number, cells))


def _laws(found: Tally, known: Sequence[Mistake]) -> list[Markup]:
    lost = found.most_lost()
    caption = element("p", CHECKS, _rest(lost, MOST_LAWS, "grades.jsonl"))
    return [caption, *(_law(law, found.tasks[law.task].asked, known) for law in lost[:MOST_LAWS])] if lost else []


def _law(law: LawTally, n: int, known: Sequence[Mistake]) -> Markup:
    title = element("h3", messages.shown(law.asks), " ", element("small", messages.shown(law.name)))
    rows: dict[str, Sequence[str]] = {
        "lost by": [element("b", str(law.lost)), f" of {n} that were asked, {messages.percent(law.lost / n)}"],
        "most often": [messages.shown(law.example)],
        "they may think": _thoughts(law.name, known),
    }
    return element("article", title, element("dl", *_listed(rows)))


def _thoughts(law: str, known: Sequence[Mistake]) -> list[Markup]:
    """Tell what the mistakes think that lose this very law, first those that lose little else."""
    fit = sorted((one for one in known if law in one.loses), key=lambda one: (len(one.loses), one.path.name))
    return [element("p", one.thinks, " ", element("small", f"wrong/{one.path.name}")) for one in fit[:MOST_THOUGHTS]]


def _pairs(pairs: Sequence[Pair], lines: Mapping[str, Line]) -> list[Markup]:
    rows = [
        element(
            "tr",
            *(element("td", _link(lines.get(name), name)) for name in (pair.one, pair.other)),
            number(pair.says or messages.percent(pair.similarity)),
        )
        for pair in pairs[:MOST_PAIRS]
    ]
    heads = column_heading("submission"), column_heading("submission"), *numbers("alike")
    return [html_table("pairs", PAIRS + _rest(pairs, MOST_PAIRS, "alike.csv"), heads, rows)] if rows else []


def _lines(lines: Sequence[Line]) -> list[Markup]:
    heads = column_heading("student"), column_heading("status"), *numbers("points")
    return [
        html_table("lines", LINES + _rest(lines, MOST_LINES, "gradebook.csv"), heads, map(_line, lines[:MOST_LINES]))
    ]


def _line(line: Line) -> Markup:
    status = element("td", line.status, class_="kept" if line.status == "ok" else "lost")
    return element("tr", _who(line), status, number("" if line.status == "internal" else messages.points(line.points)))


def _who(line: Line) -> Markup:
    file = [element("small", messages.shown(line.submission, LONGEST_NAME))] if line.submission != line.student else []
    return element("th", _link(line, line.student), *file, scope="row")


def _link(line: Line | None, name: str) -> str:
    name = messages.shown(name, LONGEST_NAME)
    return element("a", name, href=f"{FEEDBACK}/{line.page}.html") if line else name


def _run(run: Mapping[str, object]) -> Markup:
    facts = {name: messages.shown(_plain(value)) or "none" for name, value in run.items()} | {"seed": SEED}
    return element("dl", *_listed({name.replace("_", " "): [value] for name, value in facts.items()}))


def _listed(facts: Mapping[str, Sequence[str]]) -> list[Markup]:
    return [fragment(element("dt", name), element("dd", *inside)) for name, inside in facts.items() if inside]


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _rest(rows: Sequence[object], most: int, file: str) -> str:
    """Say what is not shown, and where it stands."""
    return f" Shown are the first {most:,} of {len(rows):,}; {file} has all." if len(rows) > most else ""
