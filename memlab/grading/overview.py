"""index.html: a class at a glance, for the instructor alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memlab.grading import told
from memlab.grading.charts import POINTS, TASKS, points_chart, tasks_chart
from memlab.grading.feedback import FEEDBACK
from memlab.grading.files import write_whole
from memlab.grading.grade import Grade, Status
from memlab.grading.gradebook import GRADEBOOK
from memlab.grading.page import page
from memlab.grading.tally import LawTally, Line, Tally, TaskTally, tally
from memlab.labs.handout.wrong import Mistake, mistakes
from memlab.labs.lab import Lab
from memlab.report.markup import Markup, element, grid, head, section, together

OVERVIEW = "index.html"
MOST_LAWS, MOST_THOUGHTS, MOST_PAIRS, MOST_LINES = 15, 2, 40, 2000
"""Rows of a table, and thoughts beside a law: the page stays small for a class of any size."""
STATUSES: dict[Status, str] = {
    "ok": "graded",
    "timeout": "took too long",
    "crashed": "ended Python, or was ended",
    "syntax error": "cannot be read by Python",
    "missing": "nothing to grade",
    "internal": "the grader failed",
}
SEED = "in run.json: who has it can ask the same examples again, so keep this folder from students"
FAULTS = "These have no points yet. Run the same command again to grade them anew; if one fails again, report it."
TASKS_CAPTION = (
    "Hardest first, over the {n} submissions that could be asked. It is the whole class and no sample of it, so there"
    " are no intervals."
)
LAWS_CAPTION = (
    "How many of the {n} submissions that could be asked lost a law, the answer that was given most often, and what"
    " somebody may think who loses it (from the lab's collection of mistakes)."
)
PAIRS = "For a person to look at, not a verdict: short labs look alike, and who learned together writes alike."
LINES_CAPTION = "Each name leads to the page that the student is to get."
Pair = tuple[str, str, float]
"""Two submissions as they were handed in, and how alike they are, 0 to 1."""


def overview(grades: Iterable[Grade], lab: Lab, run: Mapping[str, object], pairs: Sequence[Pair] = ()) -> str:
    """Compose the page: what the grader failed at comes first, then the class, and each student last.

    `run` is what run.json holds. The grades are read once, one at a time.
    """
    found = tally(grades, lab)
    hardest = found.hardest()
    parts = {
        "faults": _faults([line for line in found.lines if line.status == "internal"]),
        "points": section("points", POINTS, points_chart(found.shares, found.median)) if found.shares else None,
        "tasks": section("tasks", TASKS, tasks_chart(hardest), _tasks(hardest, found.asked)) if hardest else None,
        "laws": _laws(found, mistakes(lab)) if found.laws else None,
        "pairs": _pairs(pairs, found) if pairs else None,
        "lines": _lines(found.lines),
        "run": _run(run),
    }
    main = element("main", *(part for part in parts.values() if part))
    return page(f"Lab {lab.number}: the class", _header(lab, found, [one for one, part in parts.items() if part]), main)


def write_overview(
    grades: Iterable[Grade], lab: Lab, run: Mapping[str, object], pairs: Sequence[Pair], folder: Path
) -> Path:
    """Write the page, and name the file."""
    write_whole(folder / OVERVIEW, overview(grades, lab, run, pairs))
    return folder / OVERVIEW


TITLES = {
    "faults": "The grader failed",
    "points": "Points",
    "tasks": "Tasks",
    "laws": "What was misunderstood",
    "pairs": "Nearly the same",
    "lines": "Student by student",
    "run": "The run",
}


def _header(lab: Lab, found: Tally, parts: Sequence[str]) -> Markup:
    counts = found.statuses
    told_ = [f"{counts[status]} {words}" for status, words in STATUSES.items() if counts[status]]
    size = f"{len(found.lines)} submission{'s' * (len(found.lines) != 1)}: {', '.join(told_)}."
    links = [element("a", TITLES[part], href=f"#{part}") for part in parts]
    title = element("h1", f"Lab {lab.number}: {lab.title}")
    return element("header", title, element("p", size, class_="who"), element("nav", *links, aria_label="Sections"))


def _faults(lines: Sequence[Line]) -> Markup | None:
    if not lines:
        return None
    rows = [element("tr", _who(line), element("td", told.shown(line.says))) for line in lines]
    shown = grid("faults", _most(FAULTS, lines, MOST_LINES), map(head, ("student", "what failed")), rows[:MOST_LINES])
    return section("faults", TITLES["faults"], shown)


def _tasks(hardest: Sequence[TaskTally], n: int) -> Markup:
    heads = [
        head("task"),
        *(element("th", name, scope="col", class_="number") for name in ("mean", "all", "part", "none")),
    ]
    return grid("tasks", TASKS_CAPTION.format(n=n), heads, map(_task, hardest))


def _task(task: TaskTally) -> Markup:
    kept = [] if task.visible else [" ", element("small", "kept back from students")]
    cells = [f"{task.mean:.0%}", *map(str, task.parts())]
    numbers = [element("td", cell, class_="number") for cell in cells]
    return element("tr", element("th", task.title, *kept, scope="row"), *numbers)


def _laws(found: Tally, known: Sequence[Mistake]) -> Markup:
    lost = found.most_lost()
    caption = _most(LAWS_CAPTION.format(n=found.asked), lost, MOST_LAWS)
    heads = map(head, ("it is asked that", "lost by", "most often instead", "perhaps they think"))
    rows = [_law(law, found.asked, known) for law in lost[:MOST_LAWS]]
    return section("laws", TITLES["laws"], grid("laws", caption, heads, rows))


def _law(law: LawTally, n: int, known: Sequence[Mistake]) -> Markup:
    lost = element("td", element("b", str(law.lost)), " ", element("small", f"{law.lost / n:.0%}"), class_="number")
    asks = element("th", told.shown(law.asks), " ", element("small", told.shown(law.name)), scope="row")
    return element("tr", asks, lost, element("td", told.shown(law.example)), element("td", *_thoughts(law.name, known)))


def _thoughts(law: str, known: Sequence[Mistake]) -> list[Markup]:
    """Tell what the mistakes think that lose this very law; first those that lose little else."""
    fit = sorted((one for one in known if law in one.loses), key=lambda one: (len(one.loses), one.path.name))
    return [element("p", one.thinks, " ", element("small", f"wrong/{one.path.name}")) for one in fit[:MOST_THOUGHTS]]


def _pairs(pairs: Sequence[Pair], found: Tally) -> Markup:
    lines = {line.submission: line for line in found.lines}
    rows = [
        element(
            "tr", *(_one_of(name, lines) for name in (left, right)), element("td", f"{likeness:.0%}", class_="number")
        )
        for left, right, likeness in pairs[:MOST_PAIRS]
    ]
    shown = grid("pairs", _most(PAIRS, pairs, MOST_PAIRS), map(head, ("submission", "submission", "alike")), rows)
    return section("pairs", TITLES["pairs"], shown)


def _one_of(name: str, lines: Mapping[str, Line]) -> Markup:
    return element("td", _link(lines[name], name) if name in lines else told.shown(name, told.LONGEST_NAME))


def _lines(lines: Sequence[Line]) -> Markup:
    heads = [*map(head, ("student", "submission", "status")), element("th", "points", scope="col", class_="number")]
    caption = _most(LINES_CAPTION, lines, MOST_LINES)
    rows = [
        element(
            "tr",
            _who(line),
            element("td", told.shown(line.submission, told.LONGEST_NAME)),
            element("td", line.status, class_="kept" if line.status == "ok" else "lost"),
            element("td", "" if line.status == "internal" else told.points(line.points), class_="number"),
        )
        for line in lines[:MOST_LINES]
    ]
    return section("lines", TITLES["lines"], grid("lines", caption, heads, rows))


def _who(line: Line) -> Markup:
    return element("th", _link(line, line.student), scope="row")


def _link(line: Line, name: str) -> Markup:
    return element("a", told.shown(name, told.LONGEST_NAME), href=f"{FEEDBACK}/{line.page}.html")


def _run(run: Mapping[str, object]) -> Markup:
    told_ = {name: told.shown(_plain(value)) for name, value in run.items() if name != "seed"} | {"seed": SEED}
    rows = [together(element("dt", name.replace("_", " ")), element("dd", value)) for name, value in told_.items()]
    return section("run", TITLES["run"], element("dl", *rows))


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _most(caption: str, rows: Sequence[object], most: int) -> str:
    """Say in a caption what a table leaves out."""
    rest = f" Shown are {most} of {len(rows):,}; {GRADEBOOK} has every student." if len(rows) > most else ""
    return caption + rest
