"""A journal in several files: a full file is sealed and a new one is started; all are read as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO

from memlab.memory.storage.journal import Journal, Record, Sync, read_at, read_backwards, read_forwards, require_records
from memlab.memory.storage.lock import Lock

Place = tuple[int, int, int]
"""The position of a record: the inode of its file, the offset and the length of its line in bytes."""
FULL = 64 << 20
"""In bytes: a file of this size is sealed before the next record is appended."""


class Segments:
    """A journal in files of `full` bytes and at most one record more.

    episodes.jsonl is appended to; when full it is renamed episodes-000001.jsonl, -000002 and so on, oldest first. A
    file keeps its inode when it is sealed, so places stay valid; a rewrite changes the inode. A reader sees every
    record that was there when it began, once and in order, even if files are sealed meanwhile.
    """

    def __init__(self, path: Path, sync: Sync = "batch", full: int = FULL, *, links: bool = False) -> None:
        self._active = Journal(path, sync, Lock(path, links=links))
        self._folder = path.parent
        self._before, self._after = f"{path.stem}-", path.suffix
        self._full = full
        self._paths: dict[int, Path] = {}
        for file in self._journals():
            require_records(file.path)

    @property
    def lock(self) -> Lock:
        """The lock for appending and rewriting."""
        return self._active.lock

    def append(self, record: Record) -> Place:
        """Append one record; return its place. See Journal.append."""
        with self.lock.hold():
            if self._active.identity[1] >= self._full:
                self._active.seal(self._path(max(self._sealed(), default=0) + 1))
            return self._active.append(record)

    def replay(self) -> Iterator[Record]:
        """Return the records oldest first."""
        return (record for _, record in self.read_on({}))

    def read_on(self, read: Mapping[int, int]) -> Iterator[tuple[Place, Record]]:
        """Yield the (place, record) that are not read yet, oldest first; `read` is the offset reached in each inode."""
        for inode, file in self._files():
            yield from _read_on(inode, file, read)

    def tail(self, read: Mapping[int, int]) -> Iterator[tuple[Place, Record]]:
        """Yield what read_on yields of the active file only."""
        inode, file = _open(self._active.path)
        with file:
            yield from _read_on(inode, file, read)

    def backwards(self) -> Iterator[Record]:
        """Yield the records newest first: the last k cost the same at any size."""
        for _, file in self._files(newest_first=True):
            yield from read_backwards(file)

    def at(self, places: Iterable[Place]) -> Iterator[Record]:
        """Yield the records at these places; a place in a file that was rewritten since is skipped."""
        with ExitStack() as files:
            known: dict[int, IO[bytes]] = {}
            for inode, offset, length in places:
                if inode not in known:
                    known[inode] = files.enter_context(self._find(inode))
                record = read_at(known[inode], offset, length)
                if record is not None:
                    yield record

    def damaged(self, is_known: Callable[[Record], bool]) -> Iterator[tuple[str, int, str]]:
        """Yield file, line number and text of what is no record, or not a known one; see Journal.damaged."""
        for file in self._journals():
            if file.path.exists():
                yield from ((file.path.name, number, text) for number, text in file.damaged(is_known))

    def rewrite(self, change: Callable[[Record], Record | None], doomed: Collection[bytes] = ()) -> None:
        """Change or drop records (see Journal.rewrite); files without a changed record are not written.

        The newest file is rewritten first, so that a record is dropped after those derived from it: after a crash, the
        rest of a lineage can still be found. A sealed file that becomes empty is removed.
        """
        with self.lock.hold():
            for file in reversed(self._journals()):
                file.rewrite(change, doomed)
                if file is not self._active and not file.identity[1]:
                    file.path.unlink()

    def sync(self) -> None:
        """Write all records that this process appended to the disk."""
        self._active.sync()

    @property
    def identity(self) -> tuple[int, int]:
        """The (inode, size) of the active file."""
        return self._active.identity

    def sizes(self) -> dict[int, int]:
        """Return the size of every file by its inode."""
        active = self.identity  # first: a file that is sealed meanwhile is then listed twice, not never
        return dict([active, *(file.identity for file in self._journals()[:-1])])

    def close(self) -> None:
        """Close the file."""
        self._active.close()

    def _files(self, *, newest_first: bool = False) -> Iterator[tuple[int, IO[bytes]]]:
        """Yield (inode, open file) of each present file once; a file is closed when the next one is yielded."""
        active, sealed = self._snapshot()
        with active[1]:
            opened = map(_open, map(self._path, reversed(sealed) if newest_first else sealed))
            older = (item for item in opened if item[0] != active[0])
            for inode, file in chain([active], older) if newest_first else chain(older, [active]):
                with file:
                    yield inode, file

    def _snapshot(self) -> tuple[tuple[int, IO[bytes]], list[int]]:
        """Open the active file and list the sealed ones, consistently: as of one moment."""
        while True:
            active = _open(self._active.path)
            sealed = self._sealed()
            if self._active.identity[0] == active[0]:
                return active, sealed
            active[1].close()

    def _find(self, inode: int) -> IO[bytes]:
        """Open the file of an inode; an empty one if it is gone."""
        found, file = _open(self._paths.get(inode, self._active.path))
        if found != inode:
            file.close()
            self._paths = {file.identity[0]: file.path for file in self._journals()[:-1]}
            found, file = _open(self._paths.get(inode, self._active.path))
        if found != inode:
            file.close()
            return BytesIO()
        return file

    def _journals(self) -> list[Journal]:
        """Return all files, oldest first."""
        sealed = (Journal(self._path(number), lock=self.lock) for number in self._sealed())
        return [*sealed, self._active]

    def _sealed(self) -> list[int]:
        """List the numbers of the sealed files, oldest first."""
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - called at every reading, and much faster than iterdir
        except FileNotFoundError:
            return []
        return sorted(filter(None, map(self._number, names)))

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._before}{number:06}{self._after}"

    def _number(self, name: str) -> int:
        """Return the number of a sealed file, 0 for any other name."""
        digits = name.removeprefix(self._before).removesuffix(self._after)
        if len(digits) == len(name) or not digits.isdecimal():
            return 0
        return int(digits) if name == f"{self._before}{int(digits):06}{self._after}" else 0


def _read_on(inode: int, file: IO[bytes], read: Mapping[int, int]) -> Iterator[tuple[Place, Record]]:
    lines = read_forwards(file, read.get(inode, 0))
    return (((inode, offset, length), record) for offset, length, record in lines)


def _open(path: Path) -> tuple[int, IO[bytes]]:
    """Return (inode, open file); inode 0 and an empty file if it is gone."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0, BytesIO()
    return os.fstat(file.fileno()).st_ino, file
