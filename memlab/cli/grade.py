"""Grade what students handed in: a file, a notebook, a zip, or a folder of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memlab.cli.app import app, out, say_where
from memlab.cli.grade_terminal import (
    grade_errors,
    look_first,
    show_changes,
    show_grades,
    show_plan,
    show_start,
    stopped,
    watched,
)
from memlab.cli.options import Jobs

if TYPE_CHECKING:  # what grades needs Hypothesis, and the other commands do not
    from memlab.grading.batch import Batch
    from memlab.grading.grader import Setting
    from memlab.grading.roster import Roster
    from memlab.grading.submissions import Submission

FILES = "index.html to look at first, gradebook.csv, feedback, gradescope, nbgrader.csv, alike.csv, run.json"


@app.command()
def grade(  # noqa: PLR0913, PLR0917 - one parameter for each option
    place: Annotated[Path, typer.Argument(metavar="SUBMISSIONS", help="A file, a notebook, a zip, or a folder of them.")],
    number: Annotated[str, typer.Option("--lab", help="Which lab: 06 or 07.")],
    out_folder: Annotated[Path, typer.Option("--out", help="Where the grades go: a folder for you alone.")] = Path(
        "memlab-grades"
    ),
    roster: Annotated[Path | None, typer.Option(help="A CSV file: whose submission is which.")] = None,
    rubric: Annotated[Path | None, typer.Option(help="Your own copy of the lab's rubric.toml.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Draws the examples. Default: a private one, kept.")] = None,
    overlay: Annotated[Path | None, typer.Option(help="A private folder of scenarios, sampled beside the lab's.")] = None,
    isolation: Annotated[str, typer.Option(help="The weakest sandbox that you accept; see `memlab doctor`.")] = "bubblewrap",
    jobs: Jobs = 1,
    only: Annotated[list[str] | None, typer.Option(help="Grade one task, and what it needs. Repeatable.")] = None,
    *,
    allow_weaker: Annotated[bool, typer.Option("--allow-weaker", help="Accept the best sandbox that works here.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Grade and write nothing: say what would be graded.")] = False,
) -> None:
    """Grade what students handed in: each in a sandbox, none of them can stop the others.

    The same command again goes on where the last one was stopped, and grades anew what has changed since: a file that
    was handed in again, an edited rubric, another --seed, --overlay or --isolation. Then it shows what changed, in
    changes.csv too, and keeps the last gradebook as gradebook.before.csv. Another lab, or another --only, wants another
    --out: it would put a part in the place of the whole. Exit code 0: graded; 2: it could not be decided.
    """
    with grade_errors():
        from memlab.grading.batch import Batch, setting
        from memlab.grading.roster import read_roster
        from memlab.grading.run import alone, apart
        from memlab.grading.submissions import submissions

        ...
