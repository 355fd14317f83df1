"""Folders: made durably, and not left through a link."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from memlab.memory.text import Refused


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; the new names are on the disk when this returns."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Write the names of a folder's files to the disk: a file whose name is lost is lost."""
    if not hasattr(os, "O_DIRECTORY"):  # such a system does so by itself
        return
    with suppress(PermissionError):  # a folder that may not be listed, as those above the memory's may be
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def require_inside(path: Path, folder: Path) -> None:
    """Raise Refused if a link leads from a path to a place outside a folder."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    if os.path.commonpath([real, root]) != root:
        raise Refused(
            f"{path} leads to {real}, outside {folder}, where nothing is written or deleted; "
            "replace the link, or allow it with MemoryMix(links=True)"
        )
