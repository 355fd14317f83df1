"""Hides the solution of a lab from submissions while they are graded."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager

from memlab.labs.lab import Lab
from memlab.sandbox.isolation.level import Level
from memlab.sandbox.isolation.users import is_root


@contextmanager
def hide_solution(lab: Lab, level: Level) -> Iterator[None]:
    """Let only root read the solution meanwhile, if the sandbox hides no files; submissions run as another user.

    It does nothing for another user than root, whose submissions own all that the user owns. Of two runs at the same
    time, the first that ends makes the solution readable again.
    """
    solution = lab.folder / "solution.py"
    if "files" in level.holds or not is_root() or not solution.exists():
        yield
        return
    mode = stat.S_IMODE(solution.stat().st_mode)
    solution.chmod(stat.S_IRUSR | stat.S_IWUSR)
    try:
        yield
    finally:
        solution.chmod(mode)
