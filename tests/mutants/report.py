"""What `mutmut run` has found, as a table: per file the mutants, how many the tests killed, and if that is enough."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEAST = 0.85
"""So large a share of the mutants must be killed, in each file and over all."""
KILLED = frozenset({1, 3})
TIMED_OUT = frozenset({36, 24, -24, 152, 255})
"""What pytest, or the signal that ended it, leaves of a mutant that was noticed: a red test, or one without an end."""


@dataclass(frozen=True)
class Tally:
    """The mutants of one file, and the names of those that no test noticed."""

    name: str
    mutants: int
    survivors: tuple[str, ...]

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return self.mutants - len(self.survivors)

    @property
    def share(self) -> float:
        """The killed as a share of all; of no mutants, 1."""
        return self.killed / self.mutants if self.mutants else 1.0


def tallies(folder: Path) -> Iterator[Tally]:
    """Read what mutmut left in a folder, file by file; a mutant that no test reached, or that was not run, survived."""
    for path in sorted(folder.rglob("*.py.meta")):
        codes: dict[str, int | None] = json.loads(path.read_text())["exit_code_by_key"]
        survivors = tuple(name for name, code in codes.items() if code not in KILLED | TIMED_OUT)
        if codes:
            yield Tally(path.name.removesuffix(".meta"), len(codes), survivors)


def table(found: list[Tally]) -> str:
    """Set the tallies, and their sum, as lines of a table."""
    whole = Tally("all", sum(one.mutants for one in found), tuple(name for one in found for name in one.survivors))
    rows = [
        f"{one.name:<20} {one.mutants:>8} {one.killed:>8} {len(one.survivors):>8} {one.share:>7.1%}"
        for one in [*found, whole]
    ]
    return "\n".join([f"{'file':<20} {'mutants':>8} {'killed':>8} {'survived':>8} {'share':>7}", *rows])


def main(folder: Path) -> int:
    """Print the table and the survivors; give 1 if a file falls short, 2 if there is nothing to judge."""
    found = list(tallies(folder))
    if not found:
        sys.stderr.write(f"{folder}: no mutants there; run `make mutants`\n")
        return 2
    for name in (name for one in found for name in one.survivors):
        sys.stdout.write(f"survived: {name}\n")
    sys.stdout.write(f"{table(found)}\n")
    short = [one.name for one in found if one.share < LEAST]
    if short:
        sys.stdout.write(f"under {LEAST:.0%}: {', '.join(short)}; see one with `mutmut show NAME`, then test its law\n")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(Path("mutants")))
