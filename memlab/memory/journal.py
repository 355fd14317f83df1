"""An append-only file of JSON records, one a line: what was acknowledged stays, and a torn tail is mended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import Any, Literal

from memlab.memory.lock import Lock

Record = dict[str, Any]
Sync = Literal["always", "batch", "never"]
BATCH = 256
BLOCK = 1 << 14
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Journal:
    """One file of records that many processes may append to, read from both ends, and rewrite whole.

    Every append is in the hands of the operating system before it returns, so a killed process loses nothing. `sync`
    says what a power cut can take: "always" nothing, "batch" the last 256 records, "never" what the system had not
    written yet.
    """

    def __init__(self, path: Path, sync: Sync = "batch") -> None:
        self.path = path
        self._name = str(path)
        self._sync = sync
        self._unsynced = 0
        self._file: FileIO | None = None
        self.lock = Lock(path)
        self._inode = 0

    def append(self, record: Record) -> int:
        """Add one record; give the byte offset of its line. Raises OSError if the disk does not take it whole."""
        line = _encode(record).encode("utf-8", "surrogatepass") + b"\n"
        with self.lock.held():
            handle, start = self._opened()
            if os.write(handle, line) != len(line):
                os.ftruncate(handle, start)
                raise OSError(f"{self.path}: the disk took only a part of a record, so none of it was kept; free space")
            self._settle(handle)
        return start

    def replay(self, start: int = 0) -> Iterator[tuple[int, int, Record]]:
        """Yield (offset, length, record) oldest first, from a byte offset on; what is no record is left out."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(start)
            for line in file:
                record = _decode(line)
                if record is not None:
                    yield start, len(line), record
                start += len(line)

    def backwards(self, holding: bytes = b"") -> Iterator[Record]:
        """Yield records newest first, reading the file from its end: the last k cost the same at any size.

        `holding` leaves out, unread, the lines that do not hold these bytes.
        """
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            rest, place = b"", file.seek(0, os.SEEK_END)
            while place:
                step = min(BLOCK, place)
                place = file.seek(place - step)
                lines = (file.read(step) + rest).split(b"\n")
                rest = lines[0] if place else b""
                for line in reversed(lines[1:] if place else lines):
                    record = _decode(line) if holding in line else None
                    if record is not None:
                        yield record

    def at(self, places: Iterable[tuple[int, int]]) -> Iterator[Record]:
        """Yield the records that stand at these (offset, length)."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for offset, length in places:
                file.seek(offset)
                record = _decode(file.read(length))
                if record is not None:
                    yield record

    def rewrite(self, change: Callable[[Record], Record | None]) -> None:
        """Replace every record by `change(record)`, or drop it for None, in one step that readers see whole."""
        with self.lock.held():
            fresh = self.path.with_name(self.path.name + ".new")
            with fresh.open("wb") as file:
                for _, _, record in self.replay():
                    changed = change(record)
                    if changed is not None:
                        file.write(_encode(changed).encode("utf-8", "surrogatepass") + b"\n")
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)

    @property
    def identity(self) -> tuple[int, int]:
        """Give the file's (inode, size): another inode means that it was rewritten."""
        try:
            status = os.stat(self._name)  # noqa: PTH116 - asked at every append, and twice as fast as Path.stat
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_size

    def close(self) -> None:
        """Let go of the file; the next append opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.lock.close()

    def _opened(self) -> tuple[int, int]:
        """Give the file's descriptor, and the size at which the next line begins, after mending a torn tail."""
        inode, size = self.identity
        if self._file is not None and inode != self._inode:
            self._file.close()
            self._file = None
        if self._file is None:
            self._file = open(self._name, "ab+", buffering=0)  # noqa: PTH123, SIM115 - it stays open from append to append
            self._inode, size = self.identity
        handle = self._file.fileno()
        if size and os.pread(handle, 1, size - 1) != b"\n":
            size = self._mend(handle, size)
        return handle, size

    def _mend(self, handle: int, size: int) -> int:
        """Complete a last line that lacks only its newline; cut one that is no record."""
        start = size
        tail = b""
        while start and b"\n" not in tail:
            step = min(BLOCK, start)
            start -= step
            tail = os.pread(handle, step, start) + tail
        torn = tail[tail.rfind(b"\n") + 1 :]
        if _decode(torn) is not None:
            return size + os.pwrite(handle, b"\n", size)
        os.ftruncate(handle, size - len(torn))
        return size - len(torn)

    def _settle(self, handle: int) -> None:
        self._unsynced += 1
        if self._sync == "always" or (self._sync == "batch" and self._unsynced >= BATCH):
            os.fsync(handle)
            self._unsynced = 0


def _decode(line: bytes) -> Record | None:
    try:
        record = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
