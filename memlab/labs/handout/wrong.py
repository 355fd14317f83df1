"""Typical wrong implementations of a lab: the misconception, and the checks that fail."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from memlab.labs.handout.code import Source
from memlab.labs.lab import Lab

INSTEAD = re.compile(r"^Instead in: (published\.py|solution\.py)$", re.MULTILINE)
LOSES = re.compile(r"^Loses: (.+)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Mistake:
    """What differs from `base` in a learner's file with a mistake: the misconception, and the checks that fail."""

    path: Path
    thinks: str
    base: Path
    loses: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file of wrong/. Raises ValueError if its docstring does not name the base and the failing checks."""
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"), str(path))) or ""
        instead, loses = INSTEAD.search(docstring), LOSES.search(docstring)
        if not instead or not loses:
            raise ValueError(
                f"{path}: begin with a docstring that states the misconception, then on lines of their own"
                " 'Instead in: published.py' or 'Instead in: solution.py', and 'Loses: ' with the names of checks"
            )
        base = path.parent.parent / instead[1]
        return cls(path, docstring.partition("\n")[0], base, tuple(re.findall(r"[^\s,]+", loses[1])))

    def source(self) -> str:
        """Return the complete learner's file."""
        return Source(self.base).changed(Source(self.path))

    def judged_by(self, lab: Lab) -> list[str]:
        """Return the names of the checks to run: those of Build for the published design, all for the solution."""
        is_fixed = self.base.name == "solution.py"
        return [check for step in lab.steps if is_fixed or step.part == "build" for check in step.checks]


def mistakes(lab: Lab) -> list[Mistake]:
    """Read the wrong implementations of a lab, sorted by name; none if the folder is not there."""
    return [Mistake.read(path) for path in sorted((lab.folder / "wrong").glob("*.py"))]
