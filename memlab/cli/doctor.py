"""Report which levels of isolation work on this machine, and how to install a better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.text import Text

from memlab.cli.app import UNDECIDED, app, out

if TYPE_CHECKING:  # the sandbox is imported where it is used
    from memlab.sandbox.isolation import Level

STRANGERS = ("container", "bubblewrap")
"""The levels that are safe for code of unknown people."""
WEAKER = {
    "landlock": "weaker than bubblewrap: code cannot read your files, but it can find out whether a file exists and"
    " how large it is; it can reach as much of the kernel"
}
"""Why a level that blocks every threat is weaker than one above it."""


@app.command()
def doctor() -> None:
    """Report which levels of isolation `memlab grade` can use, what each blocks, and how to install a better one.

    Each level is tested with code that attempts every threat. Exit code 0: bubblewrap or a container works; 2: only
    weaker levels do.
    """
    from memlab.sandbox.isolation import LEVELS

    lacking = {one.name: one.problem() for one in LEVELS}
    for level in LEVELS:
        _print_level(level, lacking[level.name])
    best = next((name for name, missing in lacking.items() if not missing), "")
    if best in STRANGERS:
        out.print(f"Grade with {best}: submissions cannot leave the sandbox.", soft_wrap=True)
        return
    fallback = f"use {best} only for code of people you know" if best else "grading is not possible"
    words = f"Neither {' nor '.join(STRANGERS)} works here: {fallback}. See above how to install a better level."
    out.print(Text(words, "yellow"), soft_wrap=True)
    raise typer.Exit(UNDECIDED)


def _print_level(level: Level, lacking: str) -> None:
    from memlab.sandbox.isolation import THREATS

    name = (level.name, "bold")
    if lacking:
        out.print(Text.assemble(name, ": ", ("does not work here", "red")))
        out.print(Text(f"  {lacking}."), soft_wrap=True)
        return
    out.print(Text.assemble(name, ": ", ("works here", "green"), f", Python {level.python_version()}"))
    out.print(Text(f"  blocks: {', '.join(one for one in THREATS if one in level.holds)}"), soft_wrap=True)
    if level.name in WEAKER:
        out.print(Text(f"  {WEAKER[level.name]}", "yellow"), soft_wrap=True)
    for threat, may in THREATS.items():
        if threat not in level.holds:
            out.print(Text(f"  does not block {threat}: code may {may}", "yellow"), soft_wrap=True)
