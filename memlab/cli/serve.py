"""Serve the reference memory to agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memlab.cli.app import app, user_errors


@app.command()
def serve(  # noqa: PLR0913, PLR0917 - one parameter for each option
    directory: Annotated[Path, typer.Argument(help="The directory of the memory; made if it is not there.")],
    http: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Serve over HTTP at this port of 127.0.0.1, path /mcp.")
    ] = None,
    trust: Annotated[
        str,
        typer.Option(
            help="The source of all clients, and the highest that they may name: user, tool, agent, other-agent."
        ),
    ] = "agent",
    root: Annotated[
        Path | None, typer.Option(help="The folder that facts are checked against. Default: the current one.")
    ] = None,
    call_limit: Annotated[int, typer.Option(min=1, help="Bytes of text in one call.")] = 100_000,
    size_limit: Annotated[
        int, typer.Option(min=1, help="Bytes of the directory from which on nothing more is written.")
    ] = 1_000_000_000,
) -> None:
    """Serve the reference memory to agents as an MCP server, on the standard streams or over HTTP.

    Tools: remember, recall, begin_task, recite, check_off, end_task, forget, assemble. Resources: rules, context.
    """
    from memlab import MemoryMix
    from memlab.memory import LiveWorld

    world = LiveWorld(root or Path.cwd())
    with user_errors():
        from memlab.serving.mcp_server import MemoryServer

        directory.mkdir(parents=True, exist_ok=True)
        MemoryServer(lambda: MemoryMix(directory, world), trust, call_limit, size_limit).run(http)
