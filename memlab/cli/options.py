"""Options that several commands share, and their values."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

import memlab
from memlab.cli.app import UNDECIDED, err
from memlab.harness.running.saved_run import PREVIOUS
from memlab.models.model import ModelFailed
from memlab.models.run import ModelRun
from memlab.systems.documents.rows import WITH_MODEL as DOCUMENTS_WITH_MODEL
from memlab.systems.entry import Entry, UnknownSystem
from memlab.systems.products.mcp.server import mcp_entry
from memlab.systems.registry import WITH_MODEL, default_entries, entry, names_of, register
from memlab.terms import Labels, Telling

Wanted = Annotated[
    str, typer.Option("--scenarios", help="Ids, families or patterns, separated by commas: stale,poison/forged-*")
]
Folder = Annotated[list[Path] | None, typer.Option("--folder", help="Folder of scenarios, instead of memlab's own.")]
Systems = Annotated[
    str,
    typer.Option(
        "--systems",
        help="Names, groups or path/to/file.py:Class, separated by commas. "
        "Default: all but documents, forgetting and products.",
    ),
]
Mcp = Annotated[
    str, typer.Option(metavar="COMMAND", help="Also play an MCP memory server; {directory} is the folder of its cell.")
]
McpTools = Annotated[Path | None, typer.Option(help="YAML file that says which of its tools store and search.")]
Limit = Annotated[float, typer.Option(min=0.1, max=3600, help="Time limit of one call to your own system, in seconds.")]
Attacks = Annotated[
    str, typer.Option(help="Attacks on scenarios, separated by commas: all, update, repeat.tool, update.web+flood.web.")
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of processes.")]
ShownLabels = Annotated[
    Labels, typer.Option(help="Subject labels that systems see: none, those of facts (names), or all (subjects).")
]
Tell = Annotated[Telling, typer.Option(help="How facts arrive: as events, or as turns of a transcript.")]
Results = Annotated[Path, typer.Argument(help="A results.jsonl, or its folder.")]
ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        help="A language model in place of the rules that stand in for one: anthropic:NAME, openai:NAME[@URL], "
        "scripted:FILE or cassette:FILE. Plays the rows of the documents that have a part for it; mem0-infer if it is "
        "named.",
    ),
]
MaxTokens = Annotated[int, typer.Option(min=1, help="Budget of --model in tokens, for all runs into one --out.")]
Seeds = Annotated[int, typer.Option(min=1, max=1000, help="Samples of each scenario.")]
Baseline = Annotated[Path | None, typer.Option(help="An earlier results.jsonl; exit with 1 if scenarios got worse.")]

Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        help="Replace the run in --out without asking. memlab asks only at a terminal; its results.jsonl is kept as "
        "previous.jsonl, until the next run.",
    ),
]

OUT = Path("memlab-results")


def chosen_systems(systems: str, limit: float) -> list[Entry]:
    """Return the systems of these names and groups, or the default ones. Raises UnknownSystem."""
    return [entry(name, limit) for name in _names(systems)] or default_entries()


def _names(systems: str) -> list[str]:
    """Return the names in a list of names and groups, each once."""
    return list(dict.fromkeys(name for one in systems.split(",") if one.strip() for name in names_of(one.strip())))


@dataclass(frozen=True)
class SampleOptions:
    """The values of the options of samples, by the names that `memlab.compare` has for them."""

    seeds: Seeds = 3
    attacks: Attacks = ""
    labels: ShownLabels = "none"
    tell: Tell = "events"


@dataclass(frozen=True)
class ModelOptions:
    """The values of the options of a language model."""

    model: ModelName = ""
    max_tokens: MaxTokens = 1_000_000

    def run(self, folder: Path, engine: str) -> ModelRun | None:
        """Return the model, None without one. Raises ModelFailed."""
        if self.model and engine != "local":
            raise ModelFailed("--model is for --engine local: other machines have neither the key nor the cassette.")
        return ModelRun(self.model, folder, self.max_tokens) if self.model else None


@dataclass(frozen=True)
class ServerOptions:
    """The values of the options of an MCP server."""

    mcp: Mcp = ""
    mcp_tools: McpTools = None

    def entries(self, limit: float) -> list[Entry]:
        """Return the row of the server, none without a command. Raises UnknownSystem."""
        if self.mcp_tools and not self.mcp:
            raise UnknownSystem("--mcp-tools says how a server is used. Name its command with --mcp.")
        return [register(mcp_entry(self.mcp, self.mcp_tools, limit))] if self.mcp else []


def chosen_with_model(run: ModelRun | None, systems: str, limit: float) -> list[Entry]:
    """Return the chosen systems, with the model in those that have a part for one; by default the documents' ones.

    Raises UnknownSystem if none has.
    """
    if run is None:
        return chosen_systems(systems, limit)
    names = _names(systems or ",".join(DOCUMENTS_WITH_MODEL))
    if not WITH_MODEL.keys() & set(names):
        raise UnknownSystem(f"--model has no part in {systems}. It has one in: {', '.join(WITH_MODEL)}.")
    return [
        register(WITH_MODEL[name](run.model, run.reject).require()) if name in WITH_MODEL else entry(name, limit)
        for name in names
    ]


def read_results(results: Path, folder: list[Path] | None = None) -> memlab.Results:
    """Read a results.jsonl, or that of a folder, and warn about skipped lines; raises BadResults."""
    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        found = memlab.read(results, folder=folder)
    for one in skipped:
        err.print(Text(str(one.message), "yellow"))
    return found


def confirm_overwrite(folder: Path, *, overwrite: bool) -> None:
    """Ask whether to replace the run in a folder, and exit with 2 on no; without a terminal, print where it is kept."""
    run = folder / "results.jsonl"
    if overwrite or not run.is_file() or not run.stat().st_size:
        return
    kept = f"Its answers are kept as {folder / PREVIOUS}"
    if sys.stdin.isatty() and err.is_terminal:
        lost = " instead of those of an earlier run" if (folder / PREVIOUS).exists() else ""
        err.print(Text(f"{folder} has a run. {kept}{lost}.", "yellow"), soft_wrap=True)
        if typer.confirm("Replace it?", err=True):
            return
        err.print("Nothing was run. Choose another folder with --out.", soft_wrap=True)
        raise typer.Exit(UNDECIDED)
    err.print(Text(f"{folder} has a run. {kept} when the new one begins.", "yellow"), soft_wrap=True)
