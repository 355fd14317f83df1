"""Typical wrong implementations of a lab: what learners think, and the checks that say otherwise."""

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
    """A learner's file with one mistake: `thinks` is the misconception, `loses` are the checks that it does not keep.

    The file at `path` holds only what differs from `base`, which is the published design or the solution.
    """

    path: Path
    thinks: str
    base: Path
    loses: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what differs. Raises ValueError where its docstring does not tell from what, or what it loses."""
        told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"), str(path))) or ""
        instead, loses = INSTEAD.search(told), LOSES.search(told)
        if not instead or not loses:
            raise ValueError(
                f"{path}: begin with a docstring that tells what its writer thinks, then in lines of their own"
                " 'Instead in: published.py' or 'Instead in: solution.py', and 'Loses: ' with the names of checks"
            )
        base = path.parent.parent / instead[1]
        return cls(path, told.partition("\n")[0], base, tuple(re.findall(r"[^\s,]+", loses[1])))

    def source(self) -> str:
        """Give the whole of the learner's file."""
        return Source(self.base).changed(Source(self.path))

    def judged_by(self, lab: Lab) -> list[str]:
        """Name the checks that are asked of it: those of Build where it is built, all where it is mended."""
        mended = self.base.name == "solution.py"
        return [check for step in lab.steps if mended or step.part == "build" for check in step.checks]


def mistakes(lab: Lab) -> list[Mistake]:
    """Read the wrong implementations of a lab, in the order of their names; none where they are kept back."""
    return [Mistake.read(path) for path in sorted((lab.folder / "wrong").glob("*.py"))]
