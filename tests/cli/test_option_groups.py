"""A parameter whose type is a dataclass is an option of the command for each of its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from memlab.cli.option_groups import with_option_groups

Speed = Annotated[int, typer.Option("--speed", min=1, help="Knots.")]


@dataclass(frozen=True)
class Ship:
    speed: Speed = 5
    sails: Annotated[bool, typer.Option("--sails")] = False


def test_a_group_has_the_values_of_its_options_and_their_defaults() -> None:
    app = typer.Typer()

    @app.command()
    @with_option_groups
    def sail(to: Annotated[str, typer.Argument()], *, ship: Ship, twice: bool = False) -> None:
        """Sail."""
        typer.echo(f"{to} {ship} {twice}")

    run = CliRunner().invoke
    assert run(app, ["Rhodes"]).output == "Rhodes Ship(speed=5, sails=False) False\n"
    assert run(app, ["--speed", "7", "Rhodes", "--sails"]).output == "Rhodes Ship(speed=7, sails=True) False\n"
    assert run(app, ["Rhodes", "--speed", "0"]).exit_code == 2
