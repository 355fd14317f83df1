"""What a system in a process of its own prints: a file beside its workspace, read after each answer."""

from __future__ import annotations

import os
from tempfile import mkstemp

MOST = 2000
"""Bytes that are kept of what is printed before one answer: the last ones, because an error is at the end."""


class Printed:
    """The output of one process, in a file at `path`; without a folder there is no file, and nothing is kept.

    The file is opened here before the process starts: one that replaces it later cannot redirect the reader.
    """

    def __init__(self, folder: str = "") -> None:
        self.path = ""
        self._seen = 0
        if folder:
            descriptor, self.path = mkstemp(prefix="printed-", dir=folder)
            self._file = os.fdopen(descriptor, "rb")

    def read_new(self) -> str:
        """Return what was printed since the last call, at most its last MOST bytes."""
        if not self.path:
            return ""
        size = os.fstat(self._file.fileno()).st_size
        start = max(self._seen, size - MOST)
        text = os.pread(self._file.fileno(), size - start, start).decode("utf-8", "replace") if size > start else ""
        cut, self._seen = start > self._seen, size
        return "... " * cut + text
