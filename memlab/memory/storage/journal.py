"""An append-only file of JSON records, one a line; a torn last line is repaired."""

from __future__ import annotations

import codecs
import errno
import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from io import BytesIO, FileIO
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from memlab.memory.storage.folder import replace_file, sync_folder, with_advice
from memlab.memory.storage.lock import Lock
from memlab.memory.text import from_bytes, to_bytes

Record = dict[str, Any]
Place = tuple[int, int, int]
"""The position of a record: the inode of its file, the offset and the length of its line in bytes."""
Sync = Literal["always", "batch", "never"]
SYNC_EVERY = 256
"""With sync="batch", every 256th record syncs all before it."""
BLOCK = 1 << 14
"""Bytes that are read at a time from the end of the file."""
FIRST_LINES = 20
"""A file that has lines, but none that could be a record among its first 20, is not a journal."""
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_parse = json.JSONDecoder().raw_decode
_OTHER_SPELLINGS = b"\\u", b"\\/"
"""The escapes by which JSON may spell a text in another way than `encode` does."""


class Journal:
    """One file of records that many processes may append to, read while others write, and rewrite.

    Every append is written to the operating system before it returns, so a killed process loses no acknowledged
    record. `sync` sets what a power cut can lose: "always" nothing; "batch" the last 255 records of each process that
    had not closed the file; "never" whatever the system had not written yet, half a minute or more. A rewrite is always
    on the disk when it returns.
    """

    def __init__(self, path: Path, sync: Sync = "batch", *, links: bool = False) -> None:
        if sync not in get_args(Sync):
            raise ValueError(f"sync {sync!r}: choose one of {', '.join(get_args(Sync))}")
        require_records(path)
        self.path = path
        self.lock = Lock(path, links=links)
        self._sync = sync
        self._unsynced = 0
        self._synced_to = 0  # the offset of the first record that this process has not synced
        self._must_write_again = False
        self._file: FileIO | None = None
        self._inode = 0
        self._listed = False

    def append(self, record: Record) -> Place:
        """Append one record; return its place.

        Raises OSError if the record cannot be written completely: then nothing of it is stored. Raises ValueError if a
        number in it is NaN or infinite, which JSON cannot represent.
        """
        line = encode(record)
        with self.lock:
            handle, start = self._open()
            unsynced = self._unsynced
            try:
                rest = line
                self._synced_to = self._synced_to if self._unsynced else start
                while rest:  # after a partial write, the next one completes it or raises the reason
                    rest = rest[os.write(handle, rest) :]
                self._unsynced += 1
                if self._sync == "always" or (self._sync == "batch" and self._unsynced >= SYNC_EVERY):
                    self.sync()
            except OSError as error:
                os.ftruncate(handle, start)
                self._unsynced = unsynced
                advice = "nothing of this record was stored; free space or lift the limit, then write it again"
                if self._must_write_again:
                    advice += (
                        f"; {self._unsynced} records before it are not on the disk yet, which the next write retries"
                    )
                raise with_advice(error, self.path, advice) from error
            return self._inode, start, len(line)

    def replay(self, start: int = 0) -> Iterator[tuple[Place, Record]]:
        """Yield the records from a byte offset on, oldest first, with their places.

        A line that is no record is left out; a torn last line, which may still be being written, ends the reading.
        """
        if self.path.exists():
            with self.path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                file.seek(start)
                for line in file:
                    record = _decode(line)
                    if record is not None:
                        yield (inode, start, len(line)), record
                    elif not line.endswith(b"\n"):
                        return
                    start += len(line)

    def naming(
        self, text: str, since: tuple[int, int], end: tuple[int, int], most: int
    ) -> list[tuple[Place, Record]] | None:
        """Return the records between an (inode, offset) and `end` in which some field may equal a text.

        None if this object has not appended to that file (inode 0: any), or they are more than `most` bytes.
        """
        (inode, start), (present, size) = since, end
        if size == start and inode in {0, present}:
            return []
        if self._file is None or self._inode != present or inode not in {0, present} or not 0 < size - start <= most:
            return None
        value, found = json_bytes(text), list[tuple[Place, Record]]()
        lines = os.pread(self._file.fileno(), size - start, start)
        for line in BytesIO(lines) if _may_hold(value, lines) else ():
            if _may_hold(value, line) and (record := _decode(line)) is not None:
                found.append(((present, start, len(line)), record))
            start += len(line)
        return found

    def backwards(self) -> Iterator[Record]:
        """Yield the records newest first, read from the end: the last k cost the same at any size."""
        if self.path.exists():
            with self.path.open("rb") as file:
                rest, offset = b"", file.seek(0, os.SEEK_END)
                while offset:
                    step = min(max(BLOCK, len(rest)), offset)
                    offset = file.seek(offset - step)
                    lines = (file.read(step) + rest).split(b"\n")
                    rest = lines.pop(0) if offset else b""
                    yield from (record for record in map(_decode, reversed(lines)) if record is not None)

    def at(self, places: Sequence[Place]) -> Iterator[Record]:
        """Yield the records at these places; a place in a file that was rewritten since is skipped."""
        if places and self.path.exists():
            with self.path.open("rb") as file:
                present = os.fstat(file.fileno()).st_ino
                for inode, offset, length in places:
                    file.seek(offset)
                    record = _decode(file.read(length)) if inode == present else None
                    if record is not None:
                        yield record

    def damaged(self, is_known: Callable[[Record], bool]) -> Iterator[Record]:
        """Yield `file`, `line` (its number) and `text` of every line that is no record, or one that is not known."""
        if self.path.exists():
            for number, line in enumerate(_lines(self.path), 1):
                record = _decode(line)
                if line.strip() and not _is_torn(line) and (record is None or not is_known(record)):
                    text = line.decode("utf-8", "replace").rstrip("\n")
                    yield {"file": self.path.name, "line": number, "text": text}

    def remove(self, is_removed: Callable[[Record], bool], doomed: Collection[bytes] = ()) -> None:
        """Remove records; readers see the old file or the new one, and if all stay, it is not written.

        A line that is no record stays, for a person to repair, unless it has one of the `doomed` texts, or is torn.
        """

        def is_kept(line: bytes) -> bool:
            record = _decode(line)
            if record is None:
                return not (_is_torn(line) or any(text in line for text in doomed))
            return not is_removed(record)

        with self.lock:
            path = Path(os.path.realpath(self.path))  # a link stays, its target is replaced
            if path.exists() and not all(map(is_kept, _lines(path))):
                self.lock.require_inside(path)
                replace_file(self.path, (line.removesuffix(b"\n") + b"\n" for line in _lines(path) if is_kept(line)))

    @property
    def identity(self) -> tuple[int, int]:
        """The file's (inode, size); the inode changes when the file is rewritten. (0, 0) without a file."""
        try:
            status = os.stat(self.path)  # noqa: PTH116 - called at every append, and twice as fast as Path.stat
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_size

    def sync(self) -> None:
        """Bring all records that this process appended onto the disk. Raises OSError; the next call tries again.

        The next call also writes the records again: after a failed fsync the system marks them as written, so another
        fsync alone would do nothing.
        """
        if self._file is not None and self._unsynced:
            with self.lock:
                if self._must_write_again and self.identity[0] == self._inode:
                    with self.path.open("r+b") as file:
                        file.seek(self._synced_to)
                        records = file.read()
                        file.seek(self._synced_to)
                        file.write(records)
                self._must_write_again = True
                os.fsync(self._file.fileno())
                self._must_write_again = False
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
            require_records(self.path)
            try:
                self._file = open(self.path, "ab+", buffering=0)  # noqa: PTH123, SIM115 - it stays open from append to append
            except OSError as error:
                advice = "make the file and its folder writable, or choose another"
                raise with_advice(error, self.path, advice) from error
            self._inode, size = self.identity
        handle = self._file.fileno()
        if size and os.pread(handle, 1, size - 1) != b"\n":
            size = self._repair(handle, size)
        return handle, size

    def _repair(self, handle: int, size: int) -> int:
        """Complete a last line that lacks only its newline, or cut one that is torn; return the new size."""
        start, tail = size, b""
        while start and b"\n" not in tail:
            step = min(max(BLOCK, len(tail)), start)
            start -= step
            tail = os.pread(handle, step, start) + tail
        last = tail[tail.rfind(b"\n") + 1 :]
        if _decode(last) is not None or not _is_torn(last):
            return size + os.pwrite(handle, b"\n", size)
        os.ftruncate(handle, size - len(last))
        return size - len(last)

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
            self._unsynced, self._listed, self._must_write_again = 0, False, False


def require_records(path: Path) -> None:
    """Raise OSError if a file has lines, but none of the first could be a record, not even a damaged one."""
    try:
        first = [line.strip(b"\0 \t\r\n") for line in islice(_lines(path), FIRST_LINES)]
    except OSError:  # it is raised with advice where the file is used
        return
    if any(first) and not any(line.lstrip(codecs.BOM_UTF8).startswith(b"{") and b"\0" not in line for line in first):
        is_utf_16 = any(b"\0" in line for line in first)
        what = "it is UTF-16: save it as UTF-8" if is_utf_16 else "it is another file: restore the right one"
        raise OSError(errno.EILSEQ, f"no line of it is a JSON record; {what}, or move it away", str(path))


def _is_torn(line: bytes) -> bool:
    """Return whether a line is the start of a record, or the zeros that a power cut leaves, without its newline."""
    return line.startswith((b"{", b"\0")) and not line.endswith(b"\n")


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def encode(record: Record) -> bytes:
    """Return the line of a record. Lone surrogates are preserved."""
    try:
        return to_bytes(_encode(record)) + b"\n"
    except ValueError as error:
        start = ascii(record)[:200]
        raise ValueError(f"record {start}: {error}; a log holds JSON, which has finite numbers only") from error


def json_bytes(text: str) -> bytes:
    """Return a text as a line of a journal spells it."""
    return to_bytes(_encode(text))


def _may_hold(value: bytes, lines: bytes) -> bool:
    """Return whether a value follows a colon somewhere, or may be there in another spelling."""
    is_value = any(before.rstrip().endswith(b":") for before in lines.split(value)[:-1])
    return is_value or any(one in lines for one in _OTHER_SPELLINGS)


def _decode(line: bytes) -> Record | None:
    try:
        text = from_bytes(line).removeprefix("\ufeff").strip()
        record, end = _parse(text)
    except (ValueError, RecursionError):
        return None
    return record if end == len(text) and isinstance(record, dict) else None
