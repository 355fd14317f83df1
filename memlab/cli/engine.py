"""The options that choose what plays the cells of a run: this machine or a Dask cluster, all of them or the missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from memlab.cli.options import Jobs
from memlab.harness.running.batch_process import EngineFailed
from memlab.harness.running.saved_run import Engine as Playing

EngineName = Literal["local", "dask"]
Engine = Annotated[EngineName, typer.Option(help="What plays the cells: this machine, or a Dask cluster.")]
Scheduler = Annotated[
    str, typer.Option(metavar="ADDRESS", help="The scheduler of --engine dask, such as tcp://10.0.0.5:8786.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Finish an interrupted run: play what --out lacks.")]


@dataclass(frozen=True)
class EngineOptions:
    """The values of the options above and of --jobs."""

    engine: Engine = "local"
    scheduler: Scheduler = ""
    jobs: Jobs = 1
    resume: Resume = False

    @contextmanager
    def open(self) -> Iterator[Playing]:
        """Return what plays the cells. Raises EngineFailed if options contradict each other or the cluster fails."""
        if self.engine == "local":
            if self.scheduler:
                raise EngineFailed("--scheduler is the address of a Dask cluster: add --engine dask, or omit it.")
            yield self.jobs
            return
        if not self.scheduler:
            raise EngineFailed("--engine dask needs --scheduler ADDRESS, which `dask scheduler` prints.")
        if self.jobs != 1:
            raise EngineFailed("--jobs is for --engine local; a Dask cluster has the workers that you start. Omit it.")
        from memlab.harness.running.dask_engine import dask_executor

        with dask_executor(self.scheduler) as executor:
            yield executor
