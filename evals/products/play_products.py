"""Installs each product into an environment of its own, plays the public scenarios to it, and prints one table.

    python evals/products/play_products.py --out FOLDER [--jobs N] [--only EXTRA,EXTRA] [--table]

The environments are in .products/, and are used again. A product that cannot be installed or played is named, and the
others are played. `--table` prints the table of what is already in FOLDER.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from memlab.cli.app import out
from memlab.harness.running.results import read_results
from memlab.report.tables.scores import score_all
from memlab.report.tables.terminal import errors, headline, versions
from memlab.systems.products.mcp.server import NAME as MCP
from memlab.systems.products.rows import ENTRIES
from memlab.terms import Result

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ROOT / ".products"
SERVERS = ENVIRONMENTS / "servers"
OURS = "memlab"
BESIDE = ("hybrid", "bucket-search", "bm25", "null", "oracle")
"""What stands beside the products."""
COMMANDS = {
    "mcp-server-memory": (
        "@modelcontextprotocol/server-memory",
        "env MEMORY_FILE_PATH={directory}/memory.jsonl node PACKAGE/dist/index.js",
    ),
    "mcp-memory-libsql": ("mcp-memory-libsql", "env LIBSQL_URL=file:{directory}/memory.db node PACKAGE/dist/index.js"),
}
"""Row -> the npm package of an MCP server, and its command."""
DAY = 24 * 3600.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--jobs", default="2", help="processes of one run")
    parser.add_argument("--only", default="", help="extras, separated by commas")
    parser.add_argument("--table", action="store_true", help="play nothing")
    asked = parser.parse_args()
    wanted = [name for name in asked.only.split(",") if name]
    for extra, options in () if asked.table else runs():
        if not wanted or extra in wanted:
            _play(extra, options, asked.out, asked.jobs)
    print_table(asked.out)


def runs() -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield each environment with its runs: the name of its results, and the options of `memlab compare`."""
    yield OURS, {OURS: ["--systems", ",".join(BESIDE)]}
    for extra, rows in groupby(ENTRIES, key=lambda row: row.extra):
        yield extra, {extra: ["--systems", ",".join(row.name for row in rows)]}
    commands = {
        row: command.replace("PACKAGE", str(SERVERS / "node_modules" / package))
        for row, (package, command) in COMMANDS.items()
    }
    yield MCP, {row: ["--systems", "null", "--mcp", command] for row, command in commands.items()}


def _play(extra: str, options: dict[str, list[str]], folder: Path, jobs: str) -> None:
    """Install an environment, test its rows and play its runs; say what failed, and go on."""
    try:
        python = _installed(extra)
        _run(f"test {extra}", [python, "-m", "pytest", "-p", "no:cacheprovider", "tests/systems/products"])
        for name, own in options.items():
            place = ["--out", str(folder.absolute() / name), "--overwrite", "--seeds", "1", "--jobs", jobs]
            _run(f"play {name}", [str(Path(python).with_name("memlab")), "compare", *own, *place])
    except (OSError, subprocess.SubprocessError) as error:
        out.print(f"{extra}: {error}", style="red", markup=False)


def _installed(extra: str) -> str:
    """Return the Python of an environment that has memlab with this extra, and what its tests need."""
    place = ENVIRONMENTS / extra
    python = place / "bin" / "python"
    if not python.exists():
        _run(f"create {extra}", [sys.executable, "-m", "venv", str(place)])
    package = ".[evals]" if extra == OURS else f".[evals,{extra}]"
    _run(f"install {extra}", [str(python), "-m", "pip", "install", "--quiet", "--editable", package])
    if extra == MCP:
        packages = [package for package, _ in COMMANDS.values()]
        SERVERS.mkdir(exist_ok=True)
        _run("install servers", ["npm", "install", "--silent", "--prefix", str(SERVERS), *packages])
    return str(python)


def _run(doing: str, command: Sequence[str]) -> None:
    """Run a command in the repository; raise SubprocessError with its last line if it fails."""
    out.print(doing, style="dim")
    servers = {"MEMLAB_MCP_SERVERS": str(SERVERS / "node_modules")} if SERVERS.exists() else {}
    variables = {**os.environ, **servers, "PYTHONPATH": ""}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False, timeout=DAY)
    if done.returncode:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["no output"]
        raise subprocess.SubprocessError(f"cannot {doing}: {last[0]}")


def print_table(folder: Path) -> None:
    """Print one table of all results below a folder, with the version and the settings of each row."""
    results = list(_results(folder))
    if not results:
        out.print(f"{folder} has no results.")
        return
    for part in (headline(score_all(results)), errors(results), versions(results)):
        if part:
            out.print(part, "", soft_wrap=True)


def _results(folder: Path) -> Iterator[Result]:
    """Yield the results of every run once; the row of an MCP server is named after its run."""
    for path in sorted(folder.glob("*/results.jsonl")):
        for one in read_results(path):
            name = path.parent.name if one.system == MCP else one.system
            if name == "null" and path.parent.name != OURS:
                continue
            yield replace(one, system=name, version=one.version.replace(str(SERVERS / "node_modules"), "node_modules"))


if __name__ == "__main__":
    main()
