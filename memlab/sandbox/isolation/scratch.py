"""A folder of the machine that a room keeps its files in, where no sandbox has one of its own."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from memlab.sandbox.folders import in_memory_folder

TRIES = 20
PAUSE = 0.05


@contextmanager
def scratch() -> Iterator[str]:
    """Make a private folder, and remove it with whatever is in it: folders that are shut, or nested without end."""
    place = tempfile.mkdtemp(prefix="memlab-room-", dir=in_memory_folder())
    try:
        yield place
    finally:
        _remove(place)


def _remove(place: str) -> None:
    """Remove a folder by the system's own tools, which go any depth down and follow no link.

    A plain user's learner ends a moment after its room, and may be writing until then.
    """
    for _ in range(TRIES):
        _run("rm", "-rf", "--", place)
        if not os.path.lexists(place):
            return
        _run("chmod", "-R", "u+rwx", "--", place)
        time.sleep(PAUSE)
    warnings.warn(f"{place} could not be removed. Remove it by hand", RuntimeWarning, stacklevel=2)


def _run(*command: str) -> None:
    subprocess.run(command, stderr=subprocess.DEVNULL, check=False)  # noqa: S603 - the folder is our own
