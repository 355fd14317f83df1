"""Grade what students handed in: a file, a notebook, a zip, or a folder of them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memlab.cli.app import UNDECIDED, app
from memlab.cli.grade_terminal import grade_errors, show_plan, show_start, show_written, stopped, watch
from memlab.cli.options import Jobs

if TYPE_CHECKING:  # what grades needs Hypothesis, and the other commands do not
    from memlab.grading.course.batch import Batch
    from memlab.grading.marking.config import GradingConfig

Place = Annotated[Path, typer.Argument(metavar="SUBMISSIONS", help="A file, a notebook, a zip, or a folder of them.")]
Number = Annotated[str, typer.Option("--lab", help="Which lab: 06 or 07.")]
Out = Annotated[Path, typer.Option(help="Where the grades go. They are for you: keep the folder from students.")]
RosterFile = Annotated[Path | None, typer.Option("--roster", help="Who is in the class, as a CSV file.")]
RubricFile = Annotated[Path | None, typer.Option("--rubric", help="Your own copy of the lab's rubric.toml.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Draws all examples. Default: a private one, kept in run.json.")]
Overlay = Annotated[Path | None, typer.Option(help="A private folder of scenarios, sampled beside the lab's own.")]
Isolation = Annotated[str, typer.Option(help="The sandbox: container, bubblewrap, landlock or rlimits.")]
Only = Annotated[list[str] | None, typer.Option(metavar="TASK", help="Grade this task alone. May be given again.")]
Weaker = Annotated[bool, typer.Option("--allow-weaker", help="Take a weaker sandbox where that one does not work.")]
Dry = Annotated[bool, typer.Option("--dry-run", help="Neither grade nor write: say what would be graded, and how.")]


@app.command()
def grade(  # noqa: PLR0913, PLR0917 - one parameter for each option
    place: Place,
    number: Number,
    out: Out = Path("memlab-grades"),
    roster: RosterFile = None,
    rubric: RubricFile = None,
    seed: Seed = None,
    overlay: Overlay = None,
    isolation: Isolation = "bubblewrap",
    jobs: Jobs = 1,
    only: Only = None,
    *,
    allow_weaker: Weaker = False,
    dry_run: Dry = False,
) -> None:
    """Grade what students handed in, each in a sandbox: what one of them does costs nobody else.

    The same command again goes on where it was stopped, or grades anew what has changed: a file that was handed in
    again, an edited rubric, another --seed, --overlay or --isolation. It then says what changed, in changes.csv too,
    and keeps the gradebook before as gradebook.before.csv. Another lab or another --only needs another --out.

    Exit code 0: graded; 2: it could not be decided, or the grader itself failed at some of it.
    """
    with grade_errors():
        from memlab.grading.course.batch import EMPTY_ROSTER, Batch
        from memlab.grading.course.run import (
            draw_seed,
            lock_folder,
            read_earlier_run,
            refuse_foreign_folder,
            refuse_inside,
            write_run,
        )
        from memlab.grading.intake.roster import read_roster
        from memlab.grading.intake.submissions import read_submissions

        config = _config(number, rubric, overlay, isolation, only or [], weaker=allow_weaker)
        known = read_roster(roster) if roster else EMPTY_ROSTER
        found = read_submissions(place, config.lab)
        refuse_inside(out, place)
        refuse_foreign_folder(out)
        if dry_run:
            show_plan(found, config, known)
            return
        with lock_folder(out):
            before = read_earlier_run(out, config.lab, config.only)
            chosen = seed if seed is not None else before.seed if before else draw_seed()
            batch = Batch(found, replace(config, seed=chosen), out, known)
            write_run(batch.run, out, isolation)
            _grade(batch, jobs, isolation)


def _config(  # noqa: PLR0913 - what is asked for
    number: str, rubric: Path | None, overlay: Path | None, isolation: str, only: list[str], *, weaker: bool
) -> GradingConfig:
    """Read all by what a class is graded, but for the seed; what does not fit is told before anything is graded."""
    from memlab.grading.course.run import select_tasks
    from memlab.grading.marking.config import GradingConfig
    from memlab.grading.marking.scenario_task import sample_scenarios
    from memlab.labs.checks.checking import load_checks
    from memlab.labs.lab import Scenarios, load
    from memlab.sandbox.isolation import level_named

    lab = load(number).graded_by(rubric) if rubric else load(number)
    load_checks(lab)  # which refuses a rubric that asks for another
    config = GradingConfig(lab, 0, level_named(isolation, weaker=weaker), overlay, select_tasks(lab, only))
    for task in lab.rubric.task:
        if isinstance(task, Scenarios):
            sample_scenarios(task, config)
    return config


def _grade(batch: Batch, jobs: int, asked: str) -> None:
    """Grade what is pending, and write and show what came of it."""
    from memlab.grading.course.outputs import write_outputs

    pending = batch.pending()
    show_start(batch, len(pending), asked)
    with stopped(batch):
        with closing(batch.grade_pending(pending, jobs)) as grades:
            watch(grades, len(pending))
        written = write_outputs(batch)
    show_written(written, batch)
    if any(one.status == "internal" for one in written.grades):
        raise typer.Exit(UNDECIDED)
