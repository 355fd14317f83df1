"""Mutants of the solutions of the labs, made by mutmut: each is the complete file with one small change.

A name consists of the function and the change, as in
`recall: return split_page(names[0])[1] -> return split_page(names[1])[1]`. It stays the same if other parts change.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parents[2]
OUTSIDE = "(outside)"
"""The name for code outside functions, such as constants and patterns."""
DEMO = '\n\nif __name__ == "__main__":\n'
"""The code after this line is not mutated: no check runs it."""


@dataclass(frozen=True)
class Mutant:
    """A mutated solution."""

    name: str
    source: str


def mutants(solution: Path, count: int | None = None, seed: int = 0) -> list[Mutant]:
    """Return `count` mutants of a solution, or all: a reproducible sample, in turn from each function."""
    return list(islice(_mutants(solution, seed), count))


def _mutants(solution: Path, seed: int) -> Iterator[Mutant]:
    mutmut = import_module("mutmut.mutation.file_mutation")  # only `make hostile` installs it
    code, *demo = solution.read_text(encoding="utf-8").partition(DEMO)
    with chdir(ROOT):  # where mutmut finds its options
        module, changes, _, _ = mutmut.create_mutations(solution.name, code)
    seen = {code}
    for where, change in _in_turn(changes, seed):
        source: str = mutmut.deep_replace(module, change.original_node, change.mutated_node).code
        name = f"{where}: {_difference(code, source)}"
        if seen.isdisjoint({source, name}):
            compile(source, solution.name, "exec")
            yield Mutant(name, "".join([source, *demo]))
        seen |= {source, name}


def _in_turn(changes: list[Any], seed: int) -> list[tuple[str, Any]]:
    """Shuffle the changes of each function; return the first of each, then the second of each, and so on."""
    of = defaultdict(list)
    for one in changes:
        function = one.contained_by_top_level_function
        of[function.name.value if function else OUTSIDE].append(one)
    for found in of.values():
        Random(seed).shuffle(found)  # noqa: S311 - a sample, no secret
    turns = sorted((turn, where) for where, found in of.items() for turn in range(len(found)))
    return [(where, of[where][turn]) for turn, where in turns]


def _difference(code: str, source: str) -> str:
    """Return the lines that differ: `the old -> the new`."""
    lines = list(difflib.ndiff(code.splitlines(), source.splitlines()))
    old, new = (" ".join(line[2:].strip() for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
    return f"{old} -> {new}"
