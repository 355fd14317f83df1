"""Run a system under faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, err, out, user_errors
from memlab.cli.isolation import Isolation, SandboxOptions, Weaker
from memlab.cli.options import Limit
from memlab.systems.child.system import LIMIT
from memlab.systems.registry import entry

if TYPE_CHECKING:
    from memlab.harness.faults.faults import Outcome


@app.command()
def faults(  # noqa: PLR0913, PLR0917 - one parameter for each option
    system: Annotated[str, typer.Argument(help="A system, or path/to/file.py:Class.")],
    seed: Annotated[int, typer.Option(min=0, help="Chooses what is written, and when a writer is killed.")] = 0,
    writes: Annotated[int, typer.Option(min=6, max=10_000, help="Writes of each trial.")] = 30,
    kills: Annotated[
        int, typer.Option(min=1, max=10_000, help="Directories whose writer is killed, three times each.")
    ] = 2,
    limit: Limit = LIMIT,
    isolation: Isolation = SandboxOptions.isolation,
    *,
    allow_weaker: Weaker = False,
) -> None:
    """Kill a system's writer, limit its files, tear one, let two write: count lost and doubled acknowledged writes.

    Exit code 1: an acknowledged write is lost, or is there twice. Exit code 2: the system finds nothing of what it
    stored, so that nothing can be counted.
    """
    from memlab.harness.faults.faults import NotMeasurable, run_faults

    with user_errors():
        confinement = SandboxOptions(isolation, allow_weaker=allow_weaker).confinement([entry(system)], [])
        chosen = entry(system, limit, confinement)
        if chosen.sees_key:
            raise typer.BadParameter(f"{system} reads the answer key and stores nothing.", param_hint="SYSTEM")
        try:
            outcomes = list(run_faults(chosen, seed, writes, kills))
        except NotMeasurable as error:
            err.print(Text(str(error), "red"), soft_wrap=True)
            raise typer.Exit(UNDECIDED) from None
    _print(outcomes)
    raise typer.Exit(int(any(one.lost or one.doubled for one in outcomes)))


def _print(outcomes: list[Outcome]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("fault", no_wrap=True)
    for title in ("acknowledged", "refused", "lost", "doubled"):
        table.add_column(title, justify="right")
    for one in outcomes:
        counts = (one.acknowledged, one.refused, len(one.lost), len(one.doubled))
        table.add_row(one.fault, *map(str, counts))
    out.print(table)
    for one in outcomes:
        for what, numbers in (("lost", one.lost), ("doubled", one.doubled)):
            if numbers:
                out.print(f"{one.fault}: {what}: {', '.join(f'w{number}' for number in numbers[:10])}", soft_wrap=True)
        if one.error:
            out.print(f"{one.fault}: first error: {escape(one.error)}", style="dim", soft_wrap=True)
