"""Say how well this machine keeps strangers' code in: which levels of isolation work, how to get a better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, out

if TYPE_CHECKING:  # what grades is loaded where it is used
    from memlab.sandbox.isolation import Level

STRANGERS = ("container", "bubblewrap")
"""The levels at which the code of people one does not know can be graded."""
WEAKER = {
    "landlock": "weaker than bubblewrap: a file reads nothing of yours, but may find out that a file of a name is there"
    " and how large it is; as much of the kernel can be reached"
}
"""Why a level that holds all is weaker than one above it."""


@app.command()
def doctor() -> None:
    """Say which levels of isolation `memlab grade` has here, what each holds, and how to get a better one.

    Each is tried: a file in a room of it attempts what it must not get. Exit code 0: bubblewrap or a container works;
    2: none but weaker levels do.
    """
    from memlab.sandbox.isolation import LEVELS

    lacking = {one.name: one.problem() for one in LEVELS}
    for level in LEVELS:
        _say(level, lacking[level.name])
    best = next((name for name, missing in lacking.items() if not missing), "")
    if best in STRANGERS:
        out.print(f"Grade at {best}: what students hand in is kept in.", soft_wrap=True)
        return
    weaker = f"{best} is for files of people that you know" if best else "nothing can be graded"
    words = f"Neither {' nor '.join(STRANGERS)} works here: {weaker}. See above how to get a better one."
    out.print(Text(words, "yellow"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)


def _say(level: Level, lacking: str) -> None:
    from memlab.sandbox.isolation import THREATS

    mark = Text("does not work here", "red") if lacking else Text("works here", "green")
    out.print(
        Text.assemble((level.name, "bold"), ": ", mark, f", Python {level.python_version()}" if not lacking else "")
    )
    if lacking:
        out.print(Text(f"  {lacking}."), soft_wrap=True)
        return
    out.print(Text(f"  holds: {', '.join(one for one in THREATS if one in level.holds)}"), soft_wrap=True)
    if level.name in WEAKER:
        out.print(Text(f"  {WEAKER[level.name]}", "yellow"), soft_wrap=True)
    for threat, may in THREATS.items():
        if threat not in level.holds:
            out.print(Text(f"  does not hold {threat}: a file may {may}", "yellow"), soft_wrap=True)
