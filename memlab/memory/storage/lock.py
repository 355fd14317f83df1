"""A lock between processes that share a directory."""

from __future__ import annotations

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import get_ident
from weakref import WeakSet

from memlab.memory.storage.folder import make_folder, require_inside, with_advice

try:
    import fcntl
except ImportError:  # a browser's Python has one process and no locks
    fcntl = None  # type: ignore[assignment]


class Lock:
    """A reentrant lock of one file between processes, held through a hidden file beside it, which stays open.

    It is held during a `with` block. The block raises OSError if the folder cannot be written, Refused if a link leads
    from the file out of the folder (unless `links` is set), and RuntimeError in another thread than that of the first
    use, since the process holds the lock, not a thread; `close` ends that.
    """

    def __init__(self, path: Path, *, links: bool = False) -> None:
        self.path = path.with_name(f".{path.name}.lock")
        self._target = path
        self._links = links
        self._file: FileIO | None = None
        self._status: os.stat_result  # of the open file
        self._depth = 0
        self._thread = 0

    def __enter__(self) -> None:
        if self._thread:
            check_thread(self._thread, self.path)
        if not self._depth:
            if os.path.islink(self._target):  # noqa: PTH114 - called at every write
                self.require_inside(self._target)
            self._acquire()
            self._thread = get_ident()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth and self._file is not None and fcntl is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the hidden file, and let the next use be in any thread; a lock that is held stays as it is."""
        if not self._depth:
            self._thread = 0
            self.close_file()

    def close_file(self) -> None:
        """Close the hidden file; in a forked child this leaves the lock with its parent."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def require_inside(self, path: Path) -> None:
        """Raise Refused if a link leads from a path out of the folder, unless links are allowed."""
        if not self._links:
            require_inside(path, self.path.parent)

    def _acquire(self) -> None:
        """Wait for the lock of the file; a file that was deleted excludes nobody, so a new one is made."""
        try:
            while True:
                self._file = self._file or self._open()
                if fcntl is not None:
                    fcntl.flock(self._file, fcntl.LOCK_EX)
                with suppress(FileNotFoundError):
                    if os.path.samestat(self._status, os.stat(self.path)):  # noqa: PTH116 - at every write
                        return
                self.close_file()
        except BaseException as error:
            self.close_file()  # an interrupt must not leave the lock held
            if not isinstance(error, OSError):
                raise
            raise with_advice(error, self.path, "make the folder writable, or choose another") from error

    def _open(self) -> FileIO:
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        _locks.add(self)
        try:
            handle = os.open(self.path, flags, 0o666)
        except FileNotFoundError:
            make_folder(self.path.parent)
            handle = os.open(self.path, flags, 0o666)
        self._status = os.fstat(handle)
        return FileIO(handle, "w")


_locks = WeakSet[Lock]()


def _forget_all() -> None:
    for lock in _locks:
        lock.close_file()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def check_thread(thread: int, path: Path) -> None:
    """Raise RuntimeError if the current thread is not the one that opened a file."""
    if get_ident() != thread:
        raise RuntimeError(f"{path}: another thread uses it; open one MemoryMix in each thread, they share the folder")
