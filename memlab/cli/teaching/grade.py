"""The command `memlab grade`: grades a file, a notebook, a zip, or a folder of them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memlab.cli.app import UNDECIDED, app
from memlab.cli.option_groups import with_option_groups
from memlab.cli.options import Jobs
from memlab.cli.teaching.grade_terminal import (
    grade_errors,
    show_plan,
    show_start,
    show_time,
    show_written,
    stopped,
    watch,
)

if TYPE_CHECKING:  # grading needs Hypothesis, other commands do not
    from memlab.grading.course.batch import Batch
    from memlab.grading.marking.config import GradingConfig

Place = Annotated[Path, typer.Argument(metavar="SUBMISSIONS", help="A file, a notebook, a zip, or a folder of them.")]
Number = Annotated[str, typer.Option("--lab", help="Which lab: 06 or 07.")]
Out = Annotated[Path, typer.Option(help="The folder for the grades. Do not share it with students.")]
RosterFile = Annotated[Path | None, typer.Option("--roster", help="The students of the class, as a CSV file.")]
RubricFile = Annotated[Path | None, typer.Option("--rubric", help="Your own copy of the lab's rubric.toml.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of all examples. Default: a private random one, kept in run.json.")
]
Overlay = Annotated[Path | None, typer.Option(help="A private folder of scenarios, in addition to the lab's own.")]
Isolation = Annotated[str, typer.Option(help="The sandbox: container, bubblewrap, landlock or rlimits.")]
Only = Annotated[list[str] | None, typer.Option(metavar="TASK", help="Grade only this task. May be repeated.")]
Part = Annotated[str, typer.Option(help="Grade only this half of the lab: build or fix.")]
Weaker = Annotated[bool, typer.Option("--allow-weaker", help="Use a weaker sandbox if that one does not work.")]
Dry = Annotated[bool, typer.Option("--dry-run", help="Show what would be graded; grade and write nothing.")]


@dataclass(frozen=True)
class ConfigOptions:
    """The values of the options that choose how a file is graded."""

    rubric: RubricFile = None
    overlay: Overlay = None
    isolation: Isolation = "bubblewrap"
    only: Only = None
    part: Part = ""
    allow_weaker: Weaker = False


@app.command()
@with_option_groups
def grade(  # noqa: PLR0913, PLR0917 - one parameter for each option
    place: Place,
    number: Number,
    out: Out = Path("memlab-grades"),
    roster: RosterFile = None,
    seed: Seed = None,
    jobs: Jobs = 1,
    *,
    chosen: ConfigOptions,
    dry_run: Dry = False,
) -> None:
    """Grade the submissions of a class, each in a sandbox of its own.

    The same command continues a stopped run, or grades what changed: a file, the rubric, --seed, --overlay or
    --isolation. changes.csv then lists the changes. Another lab, --part or --only needs another --out.

    Exit code 0: graded; 2: grading was not possible, or the grader itself failed at a submission.
    """
    with grade_errors():
        from memlab.grading.course import run
        from memlab.grading.course.batch import EMPTY_ROSTER, Batch
        from memlab.grading.intake.roster import read_roster
        from memlab.grading.intake.submissions import read_submissions
        from memlab.grading.marking.provided_files import provide_files

        config = _config(number, chosen)
        known = read_roster(roster) if roster else EMPTY_ROSTER
        found = read_submissions(place, config.lab)
        run.refuse_inside(out, place)
        run.refuse_foreign_folder(out)
        marks = Batch(found, config, out, known).manual_marks
        with provide_files(config.lab, config.level) as provided:
            if dry_run:
                show_plan(found, config, known, len(marks))
                return
            with run.lock_folder(out):
                before = run.read_earlier_run(out, config.lab, config.only)
                drawn = seed if seed is not None else before.seed if before else run.draw_seed()
                config = replace(config, seed=drawn, provided=provided)
                _grade(Batch(found, config, out, known), jobs, chosen.isolation)


def _config(number: str, chosen: ConfigOptions) -> GradingConfig:
    """Return the config without a seed. Raises an error for every invalid option before grading starts."""
    from memlab.grading.course.run import select_tasks, tasks_of_part
    from memlab.grading.marking.config import GradingConfig
    from memlab.grading.marking.scenario_task import sample_scenarios
    from memlab.labs.checks.checking import load_checks
    from memlab.labs.lab import load
    from memlab.labs.rubric import Scenarios
    from memlab.sandbox.isolation import level_named

    lab = load(number).graded_by(chosen.rubric) if chosen.rubric else load(number)
    load_checks(lab)  # raises BadRubric if the rubric names a check that does not exist
    only = chosen.only or []
    tasks = tasks_of_part(lab, chosen.part, only) if chosen.part else select_tasks(lab, only)
    level = level_named(chosen.isolation, weaker=chosen.allow_weaker)
    config = GradingConfig(lab, 0, level, chosen.overlay, tasks)
    for task in lab.rubric.task:
        if isinstance(task, Scenarios):
            sample_scenarios(task, config)
    return config


def _grade(batch: Batch, jobs: int, requested_isolation: str) -> None:
    """Write run.json, grade the pending submissions, write the files and show a summary."""
    from memlab.grading.course.outputs import write_outputs
    from memlab.grading.course.run import write_run
    from memlab.grading.marking.hidden_solution import hide_solution

    write_run(batch.run, batch.folder, requested_isolation)
    pending = batch.pending()
    with hide_solution(batch.config.lab, batch.config.level), stopped(batch):
        show_start(batch, len(pending), requested_isolation)
        with show_time(len(pending)), closing(batch.grade_pending(pending, jobs)) as grades:
            watch(grades, len(pending))
        written = write_outputs(batch)
    show_written(written, batch)
    if any(one.status == "internal" for one in written.grades):
        raise typer.Exit(UNDECIDED)
