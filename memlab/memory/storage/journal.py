"""An append-only file of JSON records, one a line; a torn last line is repaired."""

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
"""The offset of a record in its file and the length of its line, both in bytes, and the record."""
Sync = Literal["always", "batch", "never"]
BATCH = 256
BLOCK = 1 << 14
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_parse = json.JSONDecoder().raw_decode


class Journal:
    """One file of records that many processes may append to, read while others write, and rewrite.

    Every append is written to the operating system before it returns, so a killed process loses no acknowledged
    record. `sync` sets what a power cut can lose: "always" nothing; "batch" the last 255 records of each process that
    had not closed the file; "never" whatever the system had not written yet, half a minute or more. A rewrite is always
    on the disk when it returns. Files that are rewritten together share one lock.
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
        """Append one record; return the byte offset of its line.

        Raises OSError if the record cannot be written completely: then nothing of it is stored. Raises ValueError if a
        number in it is NaN or infinite, which JSON cannot represent.
        """
        line = encode(record)
        with self.lock.hold():
            handle, start = self._open()
            try:
                rest = line
                while rest:  # after a partial write, the next one completes it or raises the reason
                    rest = rest[os.write(handle, rest) :]
                self._unsynced += 1
                if self._sync == "always" or (self._sync == "batch" and self._unsynced >= BATCH):
                    self.sync()
            except OSError as error:
                os.ftruncate(handle, start)
                advice = "nothing of this record was stored; free space or lift the limit, then write it again"
                raise with_advice(error, self.path, advice) from error
        return start

    def replay(self, start: int = 0) -> Iterator[Line]:
        """Yield the records from a byte offset on, oldest first; a line that is no record is left out."""
        if self.path.exists():
            with self.path.open("rb") as file:
                yield from read_forwards(file, start)

    def rewrite(self, change: Callable[[Record], Record | None]) -> None:
        """Replace every record by `change(record)`, or drop it for None; readers see the old file or the new one.

        A record that is returned itself keeps its line; if all are, the file is not written. Lines that are no record
        are dropped.
        """
        with self.lock.hold():
            if all(change(record) is record for _, _, record in self.replay()):
                return
            path = Path(os.path.realpath(self.path))  # a link stays, its target is replaced
            fresh = path.with_name(self.lock.path.with_suffix(".new").name)
            try:
                with path.open("rb") as old, fresh.open("wb") as new:
                    for line in old:
                        record = _decode(line)
                        changed = None if record is None else change(record)
                        if changed is not None:
                            new.write(line if changed is record and line.endswith(b"\n") else encode(changed))
                    new.flush()
                    os.fsync(new.fileno())
                shutil.copymode(path, fresh)
                fresh.replace(path)
            except OSError as error:
                advice = "the file is unchanged; free space or make the folder writable, then try again"
                raise with_advice(error, self.path, advice) from error
            finally:
                fresh.unlink(missing_ok=True)
            sync_folder(path.parent)

    def seal(self, sealed: Path) -> None:
        """Rename the file, after all of it is on the disk; the next append starts a new file."""
        with self.lock.hold():
            handle, _ = self._open()
            os.fsync(handle)
            try:
                self.path.rename(sealed)
            except OSError as error:
                advice = "the log cannot start its next file; make the folder writable, then write the record again"
                raise with_advice(error, self.path, advice) from error
            sync_folder(self.path.parent)
            self._close_file()

    @property
    def identity(self) -> tuple[int, int]:
        """The file's (inode, size); the inode changes when the file is rewritten or sealed. (0, 0) without a file."""
        try:
            status = os.stat(self._name)  # noqa: PTH116 - called at every append, and twice as fast as Path.stat
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_size

    def sync(self) -> None:
        """Write all records that this process appended to the disk."""
        if self._file is not None and self._unsynced:
            os.fsync(self._file.fileno())
            self._unsynced = 0
            if not self._listed:
                sync_folder(self.path.parent)
                self._listed = True

    def close(self) -> None:
        """Close the file; the next append opens it again."""
        if self._sync != "never":
            self.sync()
        self._close_file()
        self.lock.close()

    def _open(self) -> tuple[int, int]:
        """Return the file's descriptor and the offset of the next line, after repairing a torn last line."""
        inode, size = self.identity
        if inode != self._inode:
            self._close_file()
        if self._file is None:
            try:
                self._file = open(self._name, "ab+", buffering=0)  # noqa: PTH123, SIM115 - it stays open from append to append
            except OSError as error:
                advice = "make the file and its folder writable, or choose another"
                raise with_advice(error, self.path, advice) from error
            self._inode, size = self.identity
        handle = self._file.fileno()
        if size and os.pread(handle, 1, size - 1) != b"\n":
            size = self._repair(handle, size)
        return handle, size

    def _repair(self, handle: int, size: int) -> int:
        """Complete a last line that lacks only its newline, or cut one that is no record; return the new size."""
        start, tail = size, b""
        while start and b"\n" not in tail:
            step = min(max(BLOCK, len(tail)), start)
            start -= step
            tail = os.pread(handle, step, start) + tail
        torn = tail[tail.rfind(b"\n") + 1 :]
        if _decode(torn) is not None:
            return size + os.pwrite(handle, b"\n", size)
        os.ftruncate(handle, size - len(torn))
        return size - len(torn)

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._unsynced, self._listed = 0, False


def read_forwards(file: IO[bytes], start: int = 0) -> Iterator[Line]:
    """Yield the records of an open file oldest first, up to a last line that may still be being written."""
    file.seek(start)
    for line in file:
        record = _decode(line)
        if record is not None:
            yield start, len(line), record
        elif not line.endswith(b"\n"):
            return
        start += len(line)


def read_backwards(file: IO[bytes]) -> Iterator[Record]:
    """Yield the records of an open file newest first, read from its end: the last k cost the same at any size."""
    rest, offset = b"", file.seek(0, os.SEEK_END)
    while offset:
        step = min(max(BLOCK, len(rest)), offset)
        offset = file.seek(offset - step)
        lines = (file.read(step) + rest).split(b"\n")
        rest = lines.pop(0) if offset else b""
        yield from (record for record in map(_decode, reversed(lines)) if record is not None)


def read_at(file: IO[bytes], offset: int, length: int) -> Record | None:
    """Return the record of an open file at an offset, None if there is none."""
    file.seek(offset)
    return _decode(file.read(length))


def encode(record: Record) -> bytes:
    """Return the line of a record. Lone surrogates are preserved."""
    try:
        return _encode(record).encode("utf-8", "surrogatepass") + b"\n"
    except ValueError as error:
        start = ascii(record)[:200]
        raise ValueError(f"record {start}: {error}; a log holds JSON, which has finite numbers only") from error


def sync_folder(folder: Path) -> None:
    """Write the names of a folder's files to the disk: a file whose name is lost is lost."""
    if not hasattr(os, "O_DIRECTORY"):  # such a system does so by itself
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _decode(line: bytes) -> Record | None:
    try:
        text = line.decode("utf-8", "surrogatepass").strip()
        record, end = _parse(text)
    except (ValueError, RecursionError):
        return None
    return record if end == len(text) and isinstance(record, dict) else None
