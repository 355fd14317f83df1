"""An append-only file of JSON records, one a line: what was acknowledged stays, and a torn tail is mended."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

try:
    import fcntl
except ImportError:  # a browser's Python has one process and no locks
    fcntl = None  # type: ignore[assignment]

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
        self._file = -1
        self._lock = -1
        self._depth = 0
        self._inode = 0

    def append(self, record: Record) -> int:
        """Add one record; give the byte offset of its line. Raises OSError if the disk does not take it whole."""
        line = _encode(record).encode("utf-8", "surrogatepass") + b"\n"
        with self.held():
            start = self._mended_size()
            if os.pwrite(self._file, line, start) != len(line):
                os.ftruncate(self._file, start)
                raise OSError(f"{self.path}: the disk took only a part of a record, so none of it was kept; free space")
            self._settle()
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
        with self.held():
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

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other writers out, for one append or for several steps that belong together."""
        if self._lock < 0:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path.with_name(self.path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        if fcntl is not None and not self._depth:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if fcntl is not None and not self._depth:
                fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let go of the files; the next append opens them again."""
        for handle in (self._file, self._lock):
            if handle >= 0:
                os.close(handle)
        self._file = self._lock = -1

    def _mended_size(self) -> int:
        """Give the size at which the next line begins, after mending a tail that a dying writer tore."""
        inode, size = self.identity
        if self._file < 0 or inode != self._inode:
            if self._file >= 0:
                os.close(self._file)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            self._inode, size = self.identity
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            size = self._mend(size)
        return size

    def _mend(self, size: int) -> int:
        """Complete a last line that lacks only its newline; cut one that is no record."""
        start = size
        tail = b""
        while start and b"\n" not in tail:
            step = min(BLOCK, start)
            start -= step
            tail = os.pread(self._file, step, start) + tail
        torn = tail[tail.rfind(b"\n") + 1 :]
        if _decode(torn) is not None:
            return size + os.pwrite(self._file, b"\n", size)
        os.ftruncate(self._file, size - len(torn))
        return size - len(torn)

    def _settle(self) -> None:
        self._unsynced += 1
        if self._sync == "always" or (self._sync == "batch" and self._unsynced >= BATCH):
            os.fsync(self._file)
            self._unsynced = 0


def _decode(line: bytes) -> Record | None:
    try:
        record = json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
