"""Mutants of what mutmut leaves alone: the patterns by which the guard reads a text, each less one of its alternatives.

`guard|shield` becomes `shield`, then `guard`. What the tests made of each mutant is left where report.py reads it, in
the form in which mutmut leaves its own.
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

from memlab.memory.heuristics import assertions, injection, references

MODULES = {"references": references, "assertions": assertions, "injection": injection}
TESTS = {"references": ["references", "guard"], "assertions": ["assertions", "guard"], "injection": ["injection"]}
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:[:!=]|<[!=]|P<\w+>))?|[)|]", re.DOTALL)


@dataclass(frozen=True)
class Mutant:
    """The pattern that a module keeps under a name (at a place, if it keeps several), less its letters in a span."""

    module: str
    name: str
    place: int
    span: tuple[int, int]

    def apply(self) -> str:
        """Put it in the place of the pattern, in this process; give what was cut out."""
        module, (start, end) = MODULES[self.module], self.span
        kept = _patterns(getattr(module, self.name))
        whole = kept[self.place]
        kept[self.place] = re.compile(whole.pattern[:start] + whole.pattern[end:], whole.flags)
        setattr(module, self.name, tuple(kept) if isinstance(getattr(module, self.name), tuple) else kept[0])
        return whole.pattern[start:end]


def mutants() -> Iterator[Mutant]:
    """Give every pattern of the modules less each of its alternatives."""
    for module, names in MODULES.items():
        for name, value in vars(names).items():
            for place, pattern in enumerate(_patterns(value)):
                for span in alternatives(pattern.pattern):
                    yield Mutant(module, name, place, span)


def alternatives(pattern: str) -> Iterator[tuple[int, int]]:
    """Give the spans, each an alternative with one of its bars, that can be cut out of a pattern."""
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
    return [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, re.Pattern)]


def tried(mutant: Mutant) -> tuple[Mutant, str, int]:
    """Run the tests on a mutant, in a process of its own; give what was cut out, and the exit code of pytest."""
    cut = mutant.apply()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    tests = [f"tests/memory/test_{name}.py" for name in TESTS[mutant.module]]
    return mutant, cut, int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))


def main(folder: Path) -> None:
    """Try all mutants, and leave the exit codes under a folder."""
    codes: defaultdict[str, dict[str, int]] = defaultdict(dict)
    with multiprocessing.get_context("fork").Pool(maxtasksperchild=1) as pool:
        for mutant, cut, code in pool.imap_unordered(tried, mutants()):
            codes[mutant.module][f"{mutant.module}.{mutant.name}.{mutant.place}@{mutant.span[0]} less {cut!r}"] = code
    folder.mkdir(parents=True, exist_ok=True)
    for module, found in codes.items():
        left = {"exit_code_by_key": dict(sorted(found.items()))}
        (folder / f"{module} patterns.py.meta").write_text(json.dumps(left))


if __name__ == "__main__":
    main(Path("mutants"))
