"""A lock between processes that share a directory."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import IO

from memlab.memory.storage.folder import make_folder, require_inside, with_advice

try:
    import fcntl
except ImportError:  # a browser's Python has one process and no locks
    fcntl = None  # type: ignore[assignment]


class Lock:
    """A reentrant lock of one file between processes, held through a hidden file beside it.

    It is held during a `with` block. The block raises OSError if the folder cannot be written, Refused if a link leads
    from the file out of the folder (unless `links` is set), and RuntimeError in another thread than that of the first
    use, since the process holds the lock, not a thread; `close` ends that.
    """

    def __init__(self, path: Path, *, links: bool = False) -> None:
        self.path = path.with_name(f".{path.name}.lock")
        self._target = path
        self._links = links
        self._file: IO[bytes] | None = None  # while the lock is held
        self._depth = 0
        self._thread = 0

    def __enter__(self) -> None:
        if self._thread:
            check_thread(self._thread, self.path)
        if not self._depth:
            if os.path.islink(self._target):  # noqa: PTH114 - called at every write
                self.require_inside(self._target)
            self._thread, self._file = get_ident(), self._acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._file is not None:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)  # a child that was forked meanwhile has the file open too
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Let the next use be in any thread."""
        self._thread = 0

    def require_inside(self, path: Path) -> None:
        """Raise Refused if a link leads from a path out of the folder, unless links are allowed."""
        if not self._links:
            require_inside(path, self.path.parent)

    def _acquire(self) -> IO[bytes]:
        """Open the file and wait for its lock, again if it was deleted meanwhile: that lock would exclude nobody."""
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            while True:
                try:
                    handle = os.open(self.path, flags, 0o666)
                except FileNotFoundError:
                    make_folder(self.path.parent)
                    handle = os.open(self.path, flags, 0o666)
                file = open(handle, "wb")  # noqa: PTH123, SIM115 - until the end
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX)
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(file.fileno()), os.stat(self.path)):  # noqa: PTH116 - at every write
                        return file
                file.close()
        except OSError as error:
            raise with_advice(error, self.path, "make the folder writable, or choose another") from error


def check_thread(thread: int, path: Path) -> None:
    """Raise RuntimeError if the current thread is not the one that opened a file."""
    if get_ident() != thread:
        raise RuntimeError(f"{path}: another thread uses it; open one MemoryMix in each thread, they share the folder")
