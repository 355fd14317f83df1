"""Prints the result of `mutmut run` as a table: the mutants of each file, and how many the tests killed."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEAST = 0.85
"""The least share of mutants that must be killed, in each file and in total."""
KILLED = frozenset({1, 3})
TIMED_OUT = frozenset({36, 24, -24, 152, 255})
"""Exit codes of a mutant that was noticed: a failed test, or a time-out."""
_SQL = re.compile(
    r"\b(?:SELECT|INSERT|VALUES|UPDATE|SET|DELETE|CREATE|ALTER|PRAGMA|BEGIN|FROM|WHERE|AND|EXISTS|ORDER BY)\b"
)


@dataclass(frozen=True)
class Tally:
    """The mutants of one file: their number, the survivors' names, and how many differ only in the case of SQL."""

    name: str
    mutants: int
    survivors: tuple[str, ...]
    spelling: int

    @property
    def killed(self) -> int:
        """The number of killed mutants."""
        return self.mutants - len(self.survivors)

    @property
    def share(self) -> float:
        """The share of killed mutants; 1 if there are none."""
        return self.killed / self.mutants if self.mutants else 1.0


def tallies(folder: Path) -> Iterator[Tally]:
    """Yield the tally of each file in mutmut's folder; a mutant that no test reached, or that was not run, survived."""
    for path in sorted(folder.rglob("*.py.meta")):
        codes: dict[str, int | None] = json.loads(path.read_text())["exit_code_by_key"]
        mutated = path.with_suffix("")
        spelt = spelling(mutated.read_text()) if mutated.exists() else set[str]()
        alive = [name for name, code in codes.items() if code not in KILLED | TIMED_OUT]
        survivors = tuple(name for name in alive if name.rpartition(".")[2] not in spelt)
        same = len(alive) - len(survivors)
        if codes:
            yield Tally(mutated.name, len(codes) - same, survivors, same)


def spelling(mutated: str) -> set[str]:
    """Return the functions of a mutated file that differ from the original only in the letter case of SQL."""
    nodes = ast.walk(ast.parse(mutated))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    read = {function.name: _code_and_strings(function) for function in functions}
    found = set[str]()
    for name, (code, texts) in read.items():
        first, first_texts = read.get(f"{name.partition('__mutmut_')[0]}__mutmut_orig", ("", []))
        if code == first and all(map(_same_sql, first_texts, texts)):
            found.add(name)
    return found


def _code_and_strings(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, list[str]]:
    """Return the code of a function without its name and its strings, and these strings."""
    texts = []
    function.name = ""
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
            node.value = ""
    return ast.dump(function), texts


def _same_sql(first: str, text: str) -> bool:
    """Return whether two texts are equal, or equal SQL: its letter case counts only within quotes."""
    pieces, others = first.split("'"), text.split("'")
    same_outside = [piece.lower() for piece in pieces[::2]] == [piece.lower() for piece in others[::2]]
    return first == text or (bool(_SQL.search(first)) and same_outside and pieces[1::2] == others[1::2])


def table(found: list[Tally]) -> str:
    """Return the tallies and their sum as lines of a table."""
    total = Tally(
        "all",
        sum(one.mutants for one in found),
        tuple(name for one in found for name in one.survivors),
        sum(one.spelling for one in found),
    )
    rows = [
        f"{one.name:<20} {one.mutants:>8} {one.killed:>8} {len(one.survivors):>8} {one.share:>7.1%} {one.spelling:>8}"
        for one in [*found, total]
    ]
    head = f"{'file':<20} {'mutants':>8} {'killed':>8} {'survived':>8} {'share':>7} {'spelling':>8}"
    return "\n".join([head, *rows])


def main(folder: Path) -> int:
    """Print the survivors and the table; return 1 if a file falls short, 2 if there are no mutants."""
    found = list(tallies(folder))
    if not found:
        sys.stderr.write(f"{folder}: there are no mutants; run `make mutants`\n")
        return 2
    for name in (name for one in found for name in one.survivors):
        sys.stdout.write(f"survived: {name}\n")
    sys.stdout.write(f"{table(found)}\n")
    short = [one.name for one in found if one.share < LEAST]
    if short:
        sys.stdout.write(f"under {LEAST:.0%}: {', '.join(short)}; see one with `mutmut show NAME`, then write a test\n")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(Path("mutants")))
