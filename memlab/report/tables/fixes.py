"""What to fix first in the user's own systems, for a terminal and for the page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.text import Text

from memlab.harness.scoring.fixes import HEADING, fix_lines, fixes
from memlab.report.tables.systems import display_name, groups
from memlab.report.text import escape_invisible
from memlab.terms import Result


def own_results(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Map each system that memlab did not ship to its results."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.system, []).append(result)
    return {system: found[system] for system, group in groups(found).items() if group == "yours"}


def fix_first(results: Sequence[Result], folder: Path) -> Text:
    """Return what to fix first in each of the user's systems, and the command that explains it; "" without one."""
    parts, systems = [], {result.system for result in results}
    for system, own in own_results(results).items():
        name = display_name(system, systems)
        lines = [f"{HEADING} in {name}:", *(f"  {line}" for line in fix_lines(own))]
        if found := fixes(own):
            cell = ["--system", name, "--scenario", found[0].scenario, "--seed", str(found[0].seed)]
            lines.append(f"See why: {shlex.join(['memlab', 'explain', str(folder), *cell])}")
        parts.append("\n".join(map(escape_invisible, lines)))
    return Text("\n\n".join(parts))
