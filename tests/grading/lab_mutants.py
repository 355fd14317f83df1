"""Runs the labs' own checks, as `memlab lab check` does, on mutants of each solution, and prints how many they kill.

    python tests/grading/lab_mutants.py [--count 150] [--survivors FILE]

One process; a mutant is killed by the first check that fails, first with a few cases of each, then with all. Exit
code 1 means that a lab is below the least share.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from mutants import Mutant, mutants

from memlab.labs.checks.check import EXAMPLES, Check
from memlab.labs.checks.checking import load_checks, run_check
from memlab.labs.lab import Lab, load, numbers
from memlab.sandbox.client import LearnerFile

MIN_KILLED = 0.92
"""The share of mutants that the checks of a lab must kill."""
FEW = 2
"""Cases of a property that are tried first: most mutants fail one of them."""
LIMIT = 5.0
"""Seconds for a call: a mutant that loops is killed by it."""


def survivors(lab: Lab, made: list[Mutant]) -> Iterator[Mutant]:
    """Yield the mutants that pass every check of a lab."""
    every = load_checks(lab)
    checks = [every[name] for step in lab.steps for name in step.checks]
    with TemporaryDirectory() as folder:
        path = Path(folder) / lab.file
        for mutant in made:
            path.write_text(mutant.source, encoding="utf-8")
            if all(_passes(path, lab.class_name, checks, cases) for cases in (FEW, EXAMPLES)):
                yield mutant


def _passes(path: Path, class_name: str, checks: list[Check], cases: int) -> bool:
    with LearnerFile(path, class_name, LIMIT) as file:
        return all(run_check(check, file, cases).passed for check in checks)


def spelled(source: str) -> str:
    """Return a source with the encoding in lower case: no check can kill a mutant that differs in it alone."""
    return source.replace('"UTF-8"', '"utf-8"')


def main() -> int:
    """Print a row for each lab, and write the survivors to a file if one is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=150, help="mutants of each solution")
    parser.add_argument("--survivors", type=Path, help="a file for the names of those that no check killed")
    given = parser.parse_args()
    names, are_enough = [], True
    sys.stdout.write(f"{'solution':<20} {'mutants':>10} {'killed':>8} {'survived':>8} {'share':>7}\n")
    for lab in map(load, numbers()):
        solution = lab.folder / "solution.py"
        code = spelled(solution.read_text(encoding="utf-8"))
        made = [one for one in mutants(solution, given.count) if spelled(one.source) != code]
        alive = list(survivors(lab, made))
        share = 1 - len(alive) / len(made)
        are_enough &= share >= MIN_KILLED
        names += [f"{lab.name} {one.name}\n" for one in alive]
        sys.stdout.write(f"{lab.name:<20} {len(made):>10} {len(made) - len(alive):>8} {len(alive):>8} {share:>7.1%}\n")
        sys.stdout.flush()
    if given.survivors:
        given.survivors.write_text("".join(names), encoding="utf-8")
    return 0 if are_enough else 1


if __name__ == "__main__":
    sys.exit(main())
