"""The terminal output of `memlab grade`: the plan, the progress, the result, and errors."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from statistics import mean, median
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from memlab.cli.app import UNDECIDED, err, out, print_folder, progress_bar
from memlab.cli.teaching.lab_terminal import exit_undecided, lab_errors, print_lines, print_warning
from memlab.harness.plural import plural
from memlab.report.text import escape_invisible

if TYPE_CHECKING:  # grading imports Hypothesis, which other commands do not need
    from memlab.grading.course.batch import Batch
    from memlab.grading.course.outputs import Outputs
    from memlab.grading.course.regrade import Change
    from memlab.grading.grade import Grade
    from memlab.grading.intake.roster import Roster
    from memlab.grading.intake.submissions import Submission
    from memlab.grading.marking.config import GradingConfig
    from memlab.labs.rubric import Late, Scenarios

STEPS = 20
"""Progress lines of a run without a terminal."""
MOST = 20
"""Rows of a table; the files have all."""
STYLES = {"ok": "green", "missing": "yellow", "internal": "red"}
FILES = "gradebook.csv, index.html, feedback, gradescope, nbgrader.csv, alike.csv"


@contextmanager
def grade_errors() -> Iterator[None]:
    """Report why a class cannot be graded, and exit with 2."""
    with lab_errors():
        from memlab.grading.course.run import RunRefused
        from memlab.grading.intake.csv_rows import BadTable
        from memlab.grading.intake.submissions import NoSubmissions
        from memlab.sandbox.isolation import LevelUnavailable

        try:
            yield
        except (LevelUnavailable, BadTable, RunRefused, NoSubmissions) as error:
            exit_undecided(str(error))


@contextmanager
def stopped(batch: Batch) -> Iterator[None]:
    """If grading stops early, say what is kept and how to continue."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # SIGTERM counts as Ctrl-C
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        total = len(batch.submissions)
        there = f"{total - len(batch.pending()):,} of {total:,} are graded and saved in {batch.folder}"
        print_warning(f"Stopped. {there}: run the same command again to continue.")
        if isinstance(error, OSError):
            raise
        raise typer.Exit(UNDECIDED) from None


def show_plan(found: Sequence[Submission], config: GradingConfig, roster: Roster, manual: int) -> None:
    """Show what would be graded: submissions and students, tasks and points, and the sandbox."""
    from memlab.labs.rubric import Scenarios

    people = roster.match(found)
    table = Table("submission", "student", "", box=None, pad_edge=False)
    for one in found:
        words = one.name, people.label(one.name) or one.student, one.problem or one.note
        table.add_row(*(Text(escape_invisible(word)) for word in words))
    out.print(table, soft_wrap=True)
    if roster.students:
        print_lines([*people.warnings, *(f"{one.label}: nothing was submitted." for one in people.missing)])
    tasks = config.tasks
    print_lines(
        ["", *(f"{one.points:5g}  {one.name}: {one.title}{'' if one.visible else ' (hidden)'}" for one in tasks)]
    )
    print_lines([f"{sum(one.points for one in tasks):5g}  points", ""])
    print_lines([_drawn(one, config) for one in tasks if isinstance(one, Scenarios)])
    provided = ", ".join((*config.lab.rubric.modules, *config.lab.rubric.data))
    print_lines([f"Every submission can use: {provided}."] if provided else [])
    print_lines(_late_rule(config.lab.rubric.late))
    print_lines([*_manual_marks(manual), f"Isolation: {config.level.name}."])
    print_lines(
        [f"{plural(len(found), 'submission')}. Nothing was graded or written. Next: run the command without --dry-run."]
    )


def _late_rule(late: Late | None) -> list[str]:
    if late is None:
        return []
    days = plural(late.grace_days, "day")
    return [f"Late: minus {late.percent_per_day:g} % for each day after {days}, at most {late.max_percent:g} %."]


def _manual_marks(number: int) -> list[str]:
    return [f"marks.csv: {plural(number, 'row')} of yours."] if number else []


def _drawn(task: Scenarios, config: GradingConfig) -> str:
    """Return how many scenarios a task draws, and of how many: played: 6 of 11 scenarios, 1 of them yours."""
    from memlab.grading.marking.scenario_task import eligible_templates

    yours, ours = map(len, eligible_templates(task, config))
    mine = f", {min(task.count, yours)} of them yours" if config.overlay else ""
    return f"{task.name}: {min(task.count, yours + ours)} of {yours + ours} scenarios{mine}."


def show_start(batch: Batch, ahead: int, requested_isolation: str) -> None:
    """Show what is graded, and in which sandbox."""
    lab, total = batch.config.lab, len(batch.submissions)
    already = f", {total - ahead:,} already graded" if ahead < total else ""
    print_lines(
        [
            f"Lab {lab.number}: {lab.rubric.title}. {plural(total, 'submission')}{already}.",
            f"Isolation: {batch.run.isolation}.",
        ]
    )
    if batch.run.isolation != requested_isolation:
        print_warning(
            f"This is weaker than {requested_isolation}, which you requested. Run `memlab doctor` to see how to get it."
        )

    if (note := _readable_solution(batch.config)) and ahead:
        print_warning(note)


def _readable_solution(config: GradingConfig) -> str:
    """Return a warning if the sandbox hides no files and a submission can read the solution of the lab."""
    from memlab.sandbox.isolation.users import is_readable

    solution = config.lab.folder / "solution.py"
    if "files" in config.level.holds or not solution.exists() or not is_readable(solution):
        return ""
    return f"The level {config.level.name} hides no files, so a submission can read {solution}. Grade as root."


def watch(grades: Iterable[Grade], total: int) -> None:
    """Show the progress, with the count of each status: a bar in a terminal, else a few lines."""
    counts: Counter[str] = Counter()
    with progress_bar() as bar:
        task = bar.add_task("grading", total=total)
        for number, one in enumerate(grades, 1):
            counts[one.status] += 1
            bar.update(task, advance=1, description=_counted(counts))
            if bar.disable and number * STEPS // total > (number - 1) * STEPS // total:
                err.print(f"{number:,} of {total:,}: {_counted(counts)}", soft_wrap=True)


@contextmanager
def show_time(number: int) -> Iterator[None]:
    """Show how long it took to grade a number of submissions; nothing if there were none."""
    begun, used = time.monotonic(), sum(os.times()[:4])  # of this process and of all that have ended below it
    yield
    if number:
        seconds, each = time.monotonic() - begun, (sum(os.times()[:4]) - used) / number
        print_lines([f"Time: {seconds:.0f} s, and {each:.1f} s of processor time for each submission."])


def show_written(written: Outputs, batch: Batch) -> None:
    """Show a summary of a class: statuses, points, changes, and what needs a review."""
    grades = written.grades
    print_lines([f"{_counted(Counter(one.status for one in grades))}."])
    if counted := [one for one in grades if one.status != "internal"]:
        points, of = [one.points for one in counted], max(one.max_points for one in counted)
        middle = f"Points: mean {mean(points):.1f}, median {median(points):.1f} of {of:g}"
        print_lines(
            [f"{middle}, over {len(counted):,} (missing submissions count 0; failures of the grader are left out)."]
        )
    print_lines(_manual_marks(len(batch.manual_marks)))
    if written.rescored:
        print_lines(
            [f"The points in the rubric changed: {plural(written.rescored, 'submission')} scored again, none was run."]
        )
    if written.changes is not None:
        _show_changes(written.changes)
    faults = [one for one in grades if one.status == "internal"]
    for one in faults[:MOST]:
        print_warning(f"{escape_invisible(one.submission)} {one.message}.")
    if errors := [one.fault for one in faults if one.fault]:
        print_warning(f"The first error: {escape_invisible(errors[0])} (index.html has the traceback).")
    if (warnings := batch.matches.warnings) and batch.roster.students:
        print_lines(
            [
                *warnings[:MOST],
                *([f"... and {len(warnings) - MOST:,} more: --dry-run shows all."] if len(warnings) > MOST else []),
            ]
        )
    if twice := written.doubled:
        more = f" and {len(twice) - MOST:,} more" if len(twice) > MOST else ""
        names = escape_invisible(", ".join(twice[:MOST])) + more
        print_lines(
            [f"nbgrader.csv omits {names}: two submissions. Name the one that counts in the roster's column `file`."]
        )
    if number := len(written.pairs):
        pairs = f"{number:,} pairs are" if number > 1 else "One pair is"
        print_lines([f"{pairs} identical or very similar. Review them in alike.csv."])
    print_folder(batch.folder, FILES)
    print_lines([f"Next: open {batch.folder / 'index.html'}"])


def _show_changes(changes: Sequence[Change]) -> None:
    from memlab.grading.reports import messages

    if not changes:
        print_lines(["No points changed since the last gradebook."])
        return
    table = Table("student", "task", "before", "after", "why", box=None, pad_edge=False)
    for one in changes[:MOST]:
        points = ("" if number is None else messages.format_points(number) for number in (one.before, one.after))
        table.add_row(*(Text(escape_invisible(word)) for word in (one.student, one.task, *points, one.why)))
    out.print("Changed since the last gradebook:", table, soft_wrap=True)
    more = f" ({len(changes) - MOST:,} more)" if len(changes) > MOST else ""
    print_lines([f"All changes{more} are in changes.csv; the last gradebook is gradebook.before.csv."])


def _counted(counts: Counter[str]) -> str:
    """Return the counts, largest first; of equal ones "graded" (status ok) comes first, then by name."""
    largest_first = sorted(counts, key=lambda one: (-counts[one], one != "ok", one))
    return " · ".join(f"{counts[one]:,} {'graded' if one == 'ok' else one}" for one in largest_first) or "nothing"
