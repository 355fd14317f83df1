"""Where temporary folders are made."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

LEAST_FREE = 512 * 2**20
"""Bytes that must be free in the in-memory folder."""


def in_memory_folder() -> str | None:
    """Return the in-memory folder if it is writable and has space, else None (the system's default).

    A temporary folder here holds a few small files for moments.
    """
    in_memory = Path("/dev/shm")  # noqa: S108 - callers make a private folder in it
    has_space = os.access(in_memory, os.W_OK) and shutil.disk_usage(in_memory).free > LEAST_FREE
    return str(in_memory) if has_space else None
