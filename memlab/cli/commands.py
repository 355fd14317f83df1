"""The commands by name. The file of a command is imported when it runs, so that `memlab --help` starts fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

COMMANDS = {
    "compare": (
        "compare",
        "Run every scenario, or a data set, on every system, print the results, and write the report.",
    ),
    "explain": (
        "explain",
        "Explain one cell of a run: events, questions, answers, what was expected, and which lines decide it.",
    ),
    "run": (
        "explain",
        "Run one scenario on one system, and explain it: events, answers, what was expected, what the system printed.",
    ),
    "score": ("compare", "Score a results.jsonl again, and write its report beside it."),
    "new-system": ("library", "Write a commented adapter that works, and a test beside it. Nothing is overwritten."),
    "systems": ("library", "List everything that can be compared."),
    "scenarios": ("library", "List the scenarios."),
    "show": ("library", "Print one scenario as a story."),
    "check": ("library", "Validate the scenarios, the long tasks (`--scenarios turns`), or attacks on scenarios."),
    "schema": ("library", "Print the JSON Schema of a scenario file, or of a long task, for editors."),
    "lab": ("teaching.lab", "Work through a lab in your editor."),
    "grade": ("teaching.grade", "Grade the submissions of a class, each in a sandbox of its own."),
    "doctor": (
        "doctor",
        "Report which levels of isolation `memlab grade` can use, what each blocks, and how to install a better one.",
    ),
    "turns": (
        "turns",
        "Run a scripted agent through long tasks of 30 to 100 turns, on the contexts that each system assembles.",
    ),
    "curves": (
        "curves",
        "Measure task survival and evidence recall at every budget, after histories of 10 to 100,000 episodes.",
    ),
    "audit": (
        "audit",
        "Find what is wrong in a memory: what is gone, contradictions, repetitions, orders, secrets.",
    ),
    "serve": (
        "serve",
        "Serve the reference memory to agents as an MCP server, on the standard streams or over HTTP.",
    ),
    "import": (
        "import_memory",
        "Import a memory that exists into the reference memory, and print what an audit finds in it.",
    ),
    "faults": (
        "faults",
        "Kill a system's writer, limit its files, tear one, let two write: count lost and doubled acknowledged writes.",
    ),
    "costs": (
        "costs",
        "Measure what a cell costs on this machine, and print what a run of many cells needs: docs/scale.md.",
    ),
    "datasets": (
        "datasets",
        "List the data sets that `memlab compare --dataset` can read. memlab contains none of them.",
    ),
}
"""Name -> the module in this package that defines the command, and the first sentence of its docstring."""


class LazyCommands(TyperGroup):
    """The commands of COMMANDS; the list of them needs no import."""

    _is_listing = False

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 - the interface of typer
        """Return the names."""
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 - the interface of typer
        """Return a command, None if there is none; while they are listed, only its name and its sentence."""
        if cmd_name not in COMMANDS:
            return None
        file, about = COMMANDS[cmd_name]
        if self._is_listing:
            return TyperCommand(cmd_name, help=about)
        import_module(f"memlab.cli.{file}")
        from memlab.cli.app import app

        return get_group(app).commands[cmd_name]

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - the interface of typer
        """Write the help, with a list of the commands."""
        self._is_listing = True
        super().format_help(ctx, formatter)
        self._is_listing = False
