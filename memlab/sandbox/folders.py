"""Temporary folders, in memory if there is space; removed even if an untrusted process made that difficult."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.util import Finalize
from pathlib import Path

LEAST_FREE = 512 * 2**20
"""Bytes that must be free in the in-memory folder."""
_workspaces: dict[int, str] = {}
_in_use: set[str] = set()
TRIES = 20
PAUSE = 0.05


def in_memory_folder() -> str | None:
    """Return the in-memory folder if it is writable and has space, else None (the system's default).

    A temporary folder contains only a few small files, for a short time.
    """
    in_memory = Path("/dev/shm")  # noqa: S108 - callers make a private folder in it
    has_space = os.access(in_memory, os.W_OK) and shutil.disk_usage(in_memory).free > LEAST_FREE
    return str(in_memory) if has_space else None


def workspaces_folder() -> str:
    """Return this process's own folder for workspaces, the only one that its sandboxes can write to.

    It is removed when the process ends.
    """
    own = os.getpid()
    if own not in _workspaces:
        _workspaces.clear()
        path = _workspaces[own] = os.path.realpath(tempfile.mkdtemp(prefix="memlab-", dir=in_memory_folder()))
        Finalize(None, shutil.rmtree, (path,), {"ignore_errors": True}, exitpriority=0)  # atexit skips forked processes
    return _workspaces[own]


def use_workspaces_folder(path: Path) -> None:
    """Use a folder, which the caller removes, as this process's own folder for workspaces."""
    _workspaces.clear()
    _workspaces[os.getpid()] = os.path.realpath(path)


@contextmanager
def workspace_folder() -> Iterator[str]:
    """Make a folder for one cell; at the end remove it, and whatever a system left beside it for the next cell."""
    shared = workspaces_folder()
    with tempfile.TemporaryDirectory(prefix="memlab-", dir=shared, ignore_cleanup_errors=True) as folder:
        _in_use.add(folder)
        try:
            yield folder
        finally:
            _in_use.discard(folder)
    for left in Path(shared).iterdir():
        if str(left) not in _in_use:
            _remove(str(left))


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Make a private folder; remove it at the end, even if it has folders without permissions or nested very deep."""
    path = tempfile.mkdtemp(prefix="memlab-sandbox-", dir=in_memory_folder())
    try:
        yield path
    finally:
        _remove(path)


def _remove(path: str) -> None:
    """Remove a folder by the system's own tools, which go to any depth and follow no link.

    A process of another user may end shortly after its sandbox, and write until then.
    """
    for _ in range(TRIES):
        _run("rm", "-rf", "--", path)
        if not os.path.lexists(path):
            return
        _run("chmod", "-R", "u+rwx", "--", path)
        time.sleep(PAUSE)
    warnings.warn(f"{path} could not be removed. Remove it by hand", RuntimeWarning, stacklevel=2)


def _run(*command: str) -> None:
    subprocess.run(command, stderr=subprocess.DEVNULL, check=False)  # noqa: S603 - the folder is our own
