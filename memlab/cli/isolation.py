"""The options of the sandbox in which your own system runs, and what a command prints about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from memlab.cli.app import err, out
from memlab.systems.child.confinement import Confinement
from memlab.systems.entry import Entry

AUTOMATIC, NOTHING = "auto", "none"
Isolation = Annotated[str, typer.Option(help="The sandbox of your own system: bubblewrap, landlock or rlimits.")]
Weaker = Annotated[bool, typer.Option("--allow-weaker", help="Use a weaker sandbox if that one does not work.")]
Network = Annotated[bool, typer.Option("--network", help="Let your own system use the network; the results record it.")]
Preload = Annotated[
    str,
    typer.Option(
        metavar="MODULES", help="Modules to import once for all scenarios: auto, none, or names separated by commas."
    ),
]


@dataclass(frozen=True)
class SandboxOptions:
    """The values of the options above."""

    isolation: Isolation = "bubblewrap"
    preload: Preload = AUTOMATIC
    allow_weaker: Weaker = False
    network: Network = False

    def confinement(self, systems: Sequence[Entry], hidden: Iterable[Path]) -> Confinement:
        """Choose the sandbox of a run and print its level if one of your own systems is in it.

        Raises LevelUnavailable if the level does not work and no weaker one is allowed.
        """
        from memlab.sandbox.isolation import best_system_level, system_level

        folders = tuple(str(one.resolve()) for one in hidden)
        if not any(one.child and one.group == "yours" for one in systems):
            if any(one.child for one in systems) and best_system_level().name != self.isolation:
                _warn(f"peeker runs at isolation {best_system_level().name}, the best that works here.")
            return Confinement(hidden=folders)
        level = system_level(self.isolation, weaker=self.allow_weaker).name
        found = Confinement(level, self.network, folders, self._modules())
        out.print(f"Your own system runs in a sandbox: {found.name}.", soft_wrap=True)
        if level != self.isolation:
            _warn(f"This is weaker than {self.isolation}, which you requested: see `memlab doctor`.")
        return found

    def _modules(self) -> tuple[str, ...] | None:
        names = tuple(name.strip() for name in self.preload.split(",") if name.strip())
        return None if names == (AUTOMATIC,) else () if names == (NOTHING,) else names


def _warn(text: str) -> None:
    err.print(Text(text, "yellow"), soft_wrap=True)
