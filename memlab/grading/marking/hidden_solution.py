"""Hides the solution of a lab from submissions while they are graded."""

from __future__ import annotations

import fcntl
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memlab.labs.lab import Lab
from memlab.sandbox.isolation.level import Level
from memlab.sandbox.isolation.users import is_root


@contextmanager
def hide_solution(lab: Lab, level: Level) -> Iterator[None]:
    """Let only root read the solution meanwhile, if the sandbox hides no files; submissions run as another user.

    Then it gets the mode of lab.md again; of several runs at the same time, the last that ends does this. It does
    nothing for another user than root, whose submissions own all that the user owns.
    """
    solution = lab.folder / "solution.py"
    if "files" in level.holds or not is_root() or not solution.exists():
        yield
        return
    with solution.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        solution.chmod(stat.S_IRUSR | stat.S_IWUSR)
        try:
            yield
        finally:
            with suppress(BlockingIOError):  # another run still hides it
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                solution.chmod(stat.S_IMODE((lab.folder / "lab.md").stat().st_mode))
