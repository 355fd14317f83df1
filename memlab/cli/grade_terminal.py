"""How grading speaks in a terminal: what is to be graded, how far it is, what came of it, and what cannot be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from statistics import mean, median
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from memlab.cli.app import err, out, progress_bar
from memlab.cli.lab_terminal import lab_errors, say, undecided, warn
from memlab.report.markup import visible

if TYPE_CHECKING:  # what grades needs Hypothesis, and the other commands do not
    from memlab.grading.grade import Grade
    from memlab.grading.regrade import Change

STEPS = 20
"""Lines in which a run without a terminal says how far it is."""
MOST = 20
"""Rows of a table in a terminal: the file has all of them."""
STYLES = {"ok": "green", "missing": "yellow", "internal": "red"}


@contextmanager
def grade_errors() -> Iterator[None]:
    """Say in words why a class cannot be graded, and exit with 2."""
    with lab_errors():
        from memlab.grading.isolation import NotHere
        from memlab.grading.roster import BadRoster
        from memlab.grading.run import Refused
        from memlab.labs.learner.handed_in import NotHandedIn

        try:
            yield
        except (NotHere, BadRoster, Refused, NotHandedIn) as error:
            undecided(str(error))


def watched(grades: Iterable[Grade], total: int) -> Iterator[Grade]:
    """Show how far a run is, with the count of each status: a bar in a terminal, else a line now and then."""
    counts: Counter[str] = Counter()
    with progress_bar() as bar:
        task = bar.add_task("grading", total=total)
        for number, one in enumerate(grades, 1):
            yield one
            counts[one.status] += 1
            bar.update(task, advance=1, description=_counted(counts))
            if bar.disable and number * STEPS // total > (number - 1) * STEPS // total:
                err.print(f"{number:,} of {total:,}: {_counted(counts)}", soft_wrap=True)


def show_grades(grades: Sequence[Grade]) -> None:
    """Sum a class up: how they fared, and the points of those that were graded."""
    counts = Counter(one.status for one in grades)
    out.print(Text(" · ").join(Text(f"{number:,} {one}", STYLES.get(one, "")) for one, number in counts.most_common()))
    asked = [one for one in grades if one.status not in {"missing", "internal"}]
    if asked:
        points, of = [one.points for one in asked], max(one.worth for one in asked)
        middle = f"mean {mean(points):.1f}, median {median(points):.1f} of {of:g}"
        say([f"Points: {middle}, over {len(asked):,} that were handed in."])


def show_changes(changes: Sequence[Change]) -> None:
    """Show what a regrade has changed."""
    if not changes:
        say(["No points changed since the last gradebook."])
        return
    table = Table("student", "task", "before", "after", "why", box=None, pad_edge=False)
    for one in changes[:MOST]:
        points = ("" if number is None else f"{number:g}" for number in (one.before, one.after))
        table.add_row(*(Text(visible(word)) for word in (one.student, one.task, *points, one.why)))
    out.print(f"Changed since the last gradebook, {len(changes):,}:", table, soft_wrap=True)
    if len(changes) > MOST:
        say([f"... and {len(changes) - MOST:,} more: changes.csv has all of them."])


def _counted(counts: Counter[str]) -> str:
    return " · ".join(f"{number:,} {one}" for one, number in counts.most_common())
