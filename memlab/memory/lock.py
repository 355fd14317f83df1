"""One writer at a time, among processes that share a directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # a browser's Python has one process and no locks
    fcntl = None  # type: ignore[assignment]


class Lock:
    """The right to write one file, held through a hidden file beside it; its holder may ask for it again."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f".{path.name}.lock")
        self._file: IO[bytes] | None = None
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out, for one step or for several that belong together."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab", buffering=0)
        if fcntl is not None and not self._depth:
            fcntl.flock(self._file, fcntl.LOCK_EX)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if fcntl is not None and not self._depth:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
