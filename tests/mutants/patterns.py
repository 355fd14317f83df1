"""Mutants that mutmut does not make: each regular expression of the heuristics without one of its alternatives.

`guard|shield` becomes `shield`, then `guard`. The results are written in the format of mutmut, where report.py reads
them.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from memlab.memory.heuristics import assertions, clauses, references

MODULES = {"references": references, "assertions": assertions, "clauses": clauses}
_HEURISTICS, _GUARD = "tests/memory/heuristics/test_{}.py", "tests/memory/heuristics/test_reference_check.py"
TESTS = {name: [_HEURISTICS.format(name), _GUARD] for name in MODULES} | {
    "clauses": [_HEURISTICS.format("clauses"), _HEURISTICS.format("injection")]
}
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:[:!=]|<[!=]|P<\w+>))?|[)|]", re.DOTALL)


@dataclass(frozen=True)
class Mutant:
    """A pattern of a module (the one at `place`, if the name has several) without the characters in a span."""

    module: str
    name: str
    place: int
    span: tuple[int, int]

    def apply(self) -> str:
        """Replace the pattern in this process; return the removed text."""
        module, (start, end) = MODULES[self.module], self.span
        patterns = _patterns(getattr(module, self.name))
        original = patterns[self.place]
        patterns[self.place] = re.compile(original.pattern[:start] + original.pattern[end:], original.flags)
        setattr(module, self.name, tuple(patterns) if isinstance(getattr(module, self.name), tuple) else patterns[0])
        return original.pattern[start:end]


def mutants() -> Iterator[Mutant]:
    """Yield a mutant for each alternative of each pattern of the modules."""
    for module, names in MODULES.items():
        for name, value in vars(names).items():
            for place, pattern in enumerate(_patterns(value)):
                for span in alternatives(pattern.pattern):
                    yield Mutant(module, name, place, span)


def alternatives(pattern: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a pattern that are one alternative with one of its bars."""
    groups = [[-1]]
    for token in _TOKEN.finditer(pattern):
        if token.group().startswith("("):
            groups.append([token.end() - 1])
        elif token.group() == "|":
            groups[-1].append(token.start())
        elif token.group() == ")":
            yield from _cuts([*groups.pop(), token.start()])
    yield from _cuts([*groups.pop(), len(pattern)])


def _cuts(bars: list[int]) -> Iterator[tuple[int, int]]:
    first, second, *others = bars
    if others:
        yield first + 1, second + 1
        yield from pairwise([second, *others])


def _patterns(value: object) -> list[re.Pattern[str]]:
    return [item for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, re.Pattern)]


def run_tests(mutant: Mutant) -> tuple[Mutant, str, int]:
    """Run the tests on a mutant in its own process; return the mutant, the removed text and pytest's exit code."""
    cut = mutant.apply()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    tests = TESTS[mutant.module]
    return mutant, cut, int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))


def main(folder: Path) -> None:
    """Test all mutants, and write the exit codes to a folder."""
    codes: defaultdict[str, dict[str, int]] = defaultdict(dict)
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        for mutant, cut, code in pool.imap_unordered(run_tests, mutants()):
            codes[mutant.module][f"{mutant.module}.{mutant.name}.{mutant.place}@{mutant.span[0]} less {cut!r}"] = code
    folder.mkdir(parents=True, exist_ok=True)
    for module, found in codes.items():
        meta = {"exit_code_by_key": dict(sorted(found.items()))}
        (folder / f"{module} patterns.py.meta").write_text(json.dumps(meta))


if __name__ == "__main__":
    main(Path("mutants"))
