"""An append-only file of JSON records, one a line: what was acknowledged stays, and a torn tail is mended."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import IO, Any, Literal, get_args

from memlab.memory.storage.lock import Lock, with_advice

Record = dict[str, Any]
Line = tuple[int, int, Record]
"""Where a record begins in its file, how long its line is, both in bytes, and the record."""
Sync = Literal["always", "batch", "never"]
BATCH = 256
BLOCK = 1 << 14
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_read = json.JSONDecoder().raw_decode


class Journal:
    """One file of records that many processes may append to, read while others write, and rewrite whole.

    Every append is in the hands of the operating system before it returns, so a killed process loses nothing of what
    was acknowledged. `sync` says what a power cut can take: "always" nothing; "batch" the last 255 records of each
    process that had not closed the file; "never" whatever the system had not written yet, half a minute or more.
    A rewrite is on the disk when it returns, whatever `sync` is. Files that are rewritten together share one lock.
    """

    def __init__(self, path: Path, sync: Sync = "batch", lock: Lock | None = None) -> None:
        if sync not in get_args(Sync):
            raise ValueError(f"sync {sync!r}: choose one of {', '.join(get_args(Sync))}")
        self.path = path
        self.lock = lock or Lock(path)
        self._name = str(path)
        self._sync = sync
        self._unsynced = 0
        self._file: FileIO | None = None
        self._inode = 0
        self._listed = False

    def append(self, record: Record) -> int:
        """Add one record; give the byte offset of its line.

        Raises OSError if the disk does not take it whole: then nothing of it is kept. Raises ValueError if a number in
        it is NaN or infinite, which JSON cannot hold.
        """
        line = encoded(record)
        with self.lock.hold():
            handle, start = self._opened()
            try:
                _write(handle, line)
                self._count_append()
            except OSError as error:
                os.ftruncate(handle, start)
                advice = "nothing of this record was kept; free space or lift the limit, then tell it again"
                raise with_advice(error, self.path, advice) from error
        return start

    def replay(self, start: int = 0) -> Iterator[Line]:
        """Yield the records oldest first, from a byte offset on; what is no record is left out."""
        if self.path.exists():
            with self.path.open("rb") as file:
                yield from forwards(file, start)

    def rewrite(self, change: Callable[[Record], Record | None]) -> None:
        """Replace every record by `change(record)`, or drop it for None, in one step that readers see whole.

        A record that is given back itself stays as it is; if all are, the file is not touched. What is no record goes.
        """
        with self.lock.hold():
            if all(change(record) is record for _, _, record in self.replay()):
                return
            path = Path(os.path.realpath(self.path))  # where a link leads to, so that nothing of the old stays there
            fresh = path.with_name(self.lock.path.with_suffix(".new").name)
            try:
                with path.open("rb") as old, fresh.open("wb") as new:
                    for line in old:
                        record = _decoded(line)
                        changed = None if record is None else change(record)
                        if changed is not None:
                            new.write(line if changed is record and line.endswith(b"\n") else encoded(changed))
                    new.flush()
                    os.fsync(new.fileno())
                shutil.copymode(path, fresh)
                fresh.replace(path)
            except OSError as error:
                advice = "the file stays as it was; free space or make the folder writable, then try again"
                raise with_advice(error, self.path, advice) from error
            finally:
                fresh.unlink(missing_ok=True)
            sync_folder(path.parent)

    def seal(self, sealed: Path) -> None:
        """Give the file another name for good, once all of it is on the disk; the next append begins a new one."""
        with self.lock.hold():
            handle, _ = self._opened()
            os.fsync(handle)
            try:
                self.path.rename(sealed)
            except OSError as error:
                advice = "the log has to go on in another file; make the folder writable, then tell it again"
                raise with_advice(error, self.path, advice) from error
            sync_folder(self.path.parent)
            self._release()

    @property
    def identity(self) -> tuple[int, int]:
        """Give the file's (inode, size): another inode means that it was rewritten, or sealed and begun anew."""
        try:
            status = os.stat(self._name)  # noqa: PTH116 - asked at every append, and twice as fast as Path.stat
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_size

    def sync(self) -> None:
        """Have all that this process has appended on the disk before this returns."""
        if self._file is not None and self._unsynced:
            os.fsync(self._file.fileno())
            self._unsynced = 0
            if not self._listed:
                sync_folder(self.path.parent)
                self._listed = True

    def close(self) -> None:
        """Let go of the file; the next append opens it again."""
        if self._sync != "never":
            self.sync()
        self._release()
        self.lock.close()

    def _opened(self) -> tuple[int, int]:
        """Give the file's descriptor, and the size at which the next line begins, after mending a torn tail."""
        inode, size = self.identity
        if inode != self._inode:
            self._release()
        if self._file is None:
            try:
                self._file = open(self._name, "ab+", buffering=0)  # noqa: PTH123, SIM115 - it stays open from append to append
            except OSError as error:
                raise with_advice(
                    error, self.path, "make the file and its folder writable, or choose another"
                ) from error
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
            step = min(max(BLOCK, len(tail)), start)
            start -= step
            tail = os.pread(handle, step, start) + tail
        torn = tail[tail.rfind(b"\n") + 1 :]
        if _decoded(torn) is not None:
            return size + os.pwrite(handle, b"\n", size)
        os.ftruncate(handle, size - len(torn))
        return size - len(torn)

    def _count_append(self) -> None:
        self._unsynced += 1
        if self._sync == "always" or (self._sync == "batch" and self._unsynced >= BATCH):
            self.sync()

    def _release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._unsynced, self._listed = 0, False


def forwards(file: IO[bytes], start: int = 0) -> Iterator[Line]:
    """Yield the records of an open file oldest first, up to a last line that somebody may still be writing."""
    file.seek(start)
    for line in file:
        record = _decoded(line)
        if record is not None:
            yield start, len(line), record
        elif not line.endswith(b"\n"):
            return
        start += len(line)


def backwards(file: IO[bytes]) -> Iterator[Record]:
    """Yield the records of an open file newest first, reading it from its end: the last k cost the same at any size."""
    rest, place = b"", file.seek(0, os.SEEK_END)
    while place:
        step = min(max(BLOCK, len(rest)), place)
        place = file.seek(place - step)
        lines = (file.read(step) + rest).split(b"\n")
        rest = lines.pop(0) if place else b""
        for line in reversed(lines):
            record = _decoded(line)
            if record is not None:
                yield record


def at(file: IO[bytes], offset: int, length: int) -> Record | None:
    """Give the record that stands in an open file at this place, if it is one."""
    file.seek(offset)
    return _decoded(file.read(length))


def encoded(record: Record) -> bytes:
    """Give the line of a record. Half characters (lone surrogates) stay what they were."""
    try:
        return _encode(record).encode("utf-8", "surrogatepass") + b"\n"
    except ValueError as error:
        said = ascii(record)[:200]
        raise ValueError(f"record {said}: {error}; a log holds JSON, which has finite numbers only") from error


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on the disk: a file whose name is lost is lost."""
    if not hasattr(os, "O_DIRECTORY"):  # such a system keeps names by itself
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(handle: int, line: bytes) -> None:
    """Write a whole line: what the system takes only a part of it is asked again, so that it says why."""
    while line:
        line = line[os.write(handle, line) :]


def _decoded(line: bytes) -> Record | None:
    try:
        text = line.decode("utf-8", "surrogatepass").strip()
        record, end = _read(text)
    except (ValueError, RecursionError):
        return None
    return record if end == len(text) and isinstance(record, dict) else None
