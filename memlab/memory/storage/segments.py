"""A journal in segments: the file that is appended to is sealed when it is full, and all are read as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO

from memlab.memory.storage.journal import Journal, Record, Sync, at, backwards, forwards
from memlab.memory.storage.lock import Lock

Place = tuple[int, int, int]
"""Where a record stands: the inode of its file, the offset and the length of its line in bytes."""
FULL = 64 << 20
"""A file of so many bytes is sealed before the next record is appended."""


class Segments:
    """A journal in files of `full` bytes and at most a record more.

    episodes.jsonl is appended to; when full it is renamed episodes-000001.jsonl, -000002 and so on, oldest first. A
    file keeps its inode when it is sealed, so a place stays right; a rewrite gives it another. Whoever reads sees every
    record that was there when it began, once and in order, whatever is sealed meanwhile.
    """

    def __init__(self, path: Path, sync: Sync = "batch", full: int = FULL) -> None:
        self._active = Journal(path, sync)
        self._folder = path.parent
        self._before, self._after = f"{path.stem}-", path.suffix
        self._full = full
        self._paths: dict[int, Path] = {}

    @property
    def lock(self) -> Lock:
        """The right to append and to rewrite."""
        return self._active.lock

    def append(self, record: Record) -> None:
        """Add one record, as Journal.append does."""
        with self.lock.hold():
            if self._active.identity[1] >= self._full:
                self._active.seal(self._path(max(self._sealed(), default=0) + 1))
            self._active.append(record)

    def replay(self) -> Iterator[Record]:
        """Yield the records oldest first."""
        for _, record in self.read_on({}):
            yield record

    def read_on(self, read: Mapping[int, int]) -> Iterator[tuple[Place, Record]]:
        """Yield (place, record) oldest first, after the offset up to which a file, named by its inode, was read."""
        for inode, file in self._files():
            for offset, length, record in forwards(file, read.get(inode, 0)):
                yield (inode, offset, length), record

    def tail(self, read: Mapping[int, int]) -> Iterator[tuple[Place, Record]]:
        """Yield what read_on does of the file that is appended to, without a look at the others."""
        inode, file = _opened(self._active.path)
        with file:
            for offset, length, record in forwards(file, read.get(inode, 0)):
                yield (inode, offset, length), record

    def last(self, read: Mapping[int, int]) -> bytes:
        """Give what stands last before where the file that is appended to was read up to, a kilobyte at most."""
        inode, file = _opened(self._active.path)
        with file:
            end = read.get(inode, 0)
            file.seek(max(0, end - 1024))
            return file.read(min(end, 1024))

    def backwards(self) -> Iterator[Record]:
        """Yield the records newest first: the last k cost the same at any size."""
        for _, file in self._files(newest_first=True):
            yield from backwards(file)

    def at(self, places: Iterable[Place]) -> Iterator[Record]:
        """Yield the records that stand at these places; what was rewritten since stands there no more."""
        with ExitStack() as files:
            known: dict[int, IO[bytes]] = {}
            for inode, offset, length in places:
                if inode not in known:
                    known[inode] = files.enter_context(self._find(inode))
                record = at(known[inode], offset, length)
                if record is not None:
                    yield record

    def rewrite(self, change: Callable[[Record], Record | None]) -> None:
        """Change or drop records, as Journal.rewrite does, in those files only that hold what is to be changed.

        The newest file comes first, so that what restates a record is gone before it: cut short by a crash, the rest of
        a lineage can still be found. A sealed file in which nothing is left is removed.
        """
        with self.lock.hold():
            self._active.rewrite(change)
            for number in reversed(self._sealed()):
                sealed = Journal(self._path(number), lock=self.lock)
                sealed.rewrite(change)
                if not sealed.identity[1]:
                    sealed.path.unlink()

    def sync(self) -> None:
        """Have all that this process has appended on the disk before this returns."""
        self._active.sync()

    @property
    def identity(self) -> tuple[int, int]:
        """Give the (inode, size) of the file that is appended to."""
        return self._active.identity

    def sizes(self) -> dict[int, int]:
        """Give the size of every file by its inode."""
        active = self.identity  # first: a file that is sealed meanwhile is then seen twice, not never
        return dict([active, *(Journal(path).identity for path in map(self._path, self._sealed()))])

    def close(self) -> None:
        """Let go of the file."""
        self._active.close()

    def _files(self, *, newest_first: bool = False) -> Iterator[tuple[int, IO[bytes]]]:
        """Yield (inode, file), every one of those that there are now once, and open while it is its turn."""
        active, sealed = self._snapshot()
        with active[1]:
            opened = map(_opened, map(self._path, reversed(sealed) if newest_first else sealed))
            older = (one for one in opened if one[0] != active[0])
            for inode, file in chain([active], older) if newest_first else chain(older, [active]):
                with file:
                    yield inode, file

    def _snapshot(self) -> tuple[tuple[int, IO[bytes]], list[int]]:
        """Open the file that is appended to and list the sealed ones, as they stood at one moment."""
        while True:
            active = _opened(self._active.path)
            sealed = self._sealed()
            if self._active.identity[0] == active[0]:
                return active, sealed
            active[1].close()

    def _find(self, inode: int) -> IO[bytes]:
        """Open the file of an inode; one that is gone holds nothing."""
        found, file = _opened(self._paths.get(inode, self._active.path))
        if found != inode:
            file.close()
            self._paths = {Journal(path).identity[0]: path for path in map(self._path, self._sealed())}
            found, file = _opened(self._paths.get(inode, self._active.path))
        if found != inode:
            file.close()
            return BytesIO()
        return file

    def _sealed(self) -> list[int]:
        """List the numbers of the sealed files, oldest first."""
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - asked at every reading, and much faster than iterdir
        except FileNotFoundError:
            return []
        return sorted(filter(None, map(self._number, names)))

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._before}{number:06}{self._after}"

    def _number(self, name: str) -> int:
        """Give the number of a sealed file, 0 for any other name."""
        digits = name.removeprefix(self._before).removesuffix(self._after)
        if len(digits) == len(name) or not digits.isdecimal():
            return 0
        return int(digits) if name == f"{self._before}{int(digits):06}{self._after}" else 0


def _opened(path: Path) -> tuple[int, IO[bytes]]:
    """Open a file and tell its inode; one that is gone holds nothing, under the inode 0."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0, BytesIO()
    return os.fstat(file.fileno()).st_ino, file
