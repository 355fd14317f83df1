"""One writer at a time, among processes that share a directory; and what to tell a person when the system refuses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import IO

try:
    import fcntl
except ImportError:  # a browser's Python has one process and no locks
    fcntl = None  # type: ignore[assignment]


class Lock:
    """The right to write one file, held through a hidden file beside it; its holder may ask for it again.

    A process holds it, whatever its threads: so from its first use to `close` it is for one thread only.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f".{path.name}.lock")
        self._file: IO[bytes] | None = None
        self._depth = 0
        self._process = 0
        self._thread = 0

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep other processes out, for one step or for several that belong together.

        Raises OSError if the folder cannot be written, RuntimeError in another thread than that of the first use.
        """
        if self._thread:
            check_thread(self._thread, self.path)
        if not self._depth:
            self._acquire()
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if fcntl is not None and not self._depth and self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the file; the next use may be in any thread."""
        self._thread = 0
        if self._file is not None:
            self._file.close()
            self._file = None

    def _acquire(self) -> None:
        if self._process != os.getpid():  # a forked child would share the right of its parent
            self.close()
        try:
            while self._file is None or not self._locked(self._file):
                self.close()
                self._process, self._thread = os.getpid(), get_ident()
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise with_advice(error, self.path, "make the folder writable, or choose another") from error

    def _locked(self, file: IO[bytes]) -> bool:
        """Wait for the file, and tell whether it is still there: one that was deleted keeps nobody out."""
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            return os.path.samestat(os.fstat(file.fileno()), os.stat(self.path))  # noqa: PTH116 - asked at every write
        except FileNotFoundError:
            return False


def check_thread(thread: int, path: Path) -> None:
    """Raise RuntimeError, which says what to do, if this is not the thread that has opened a file."""
    if get_ident() != thread:
        raise RuntimeError(f"{path}: another thread uses it; open one MemoryMix in each thread, they share the folder")


def with_advice(error: OSError, path: Path, advice: str) -> OSError:
    """Give an error of the system with the file that it is about and with what to do."""
    return OSError(error.errno, f"{error.strerror}; {advice}", str(path))
