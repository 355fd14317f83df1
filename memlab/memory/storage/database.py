"""An SQLite file that processes share: made completely, and copied to memory where it cannot be written."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Collection
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import get_ident

from memlab.memory.storage.folder import make_folder, sync_folder
from memlab.memory.storage.lock import Lock, check_thread

PARTS = ("", "-wal", "-shm")
_SYNCHRONOUS = re.compile(r"synchronous = \w+")
PATIENCE, SHORT_PATIENCE = 30_000, 1_000
"""Milliseconds to wait for other processes: for a write, and until they have read the write-ahead log."""


class Database:
    """A connection that is opened when it is needed, and again after the file was deleted or replaced.

    `schema` is PRAGMA statements, then CREATE statements; a new file gets the `version`. A file whose `table` lacks one
    of `columns` is another program's, and is refused. Without `columns` the file is an index, which may be deleted and
    made again at any time: one of another version is. A file that cannot be written is read as a copy in memory.

    Under a lock, one process at a time opens, closes or deletes the file: SQLite keeps what was written last in files
    beside it, and those of one file must not be taken for those of the next.
    """

    def __init__(  # noqa: PLR0913 - the file, and what is in it
        self, path: Path, schema: str, table: str, columns: Collection[str] = (), *, version: int = 0, links: bool
    ) -> None:
        self.path = path
        self._table = table
        self._schema = schema
        self._columns = columns
        self._version = version
        self._lock = Lock(path, links=links)
        self.opened: sqlite3.Connection | None = None  # until the first use
        self._file: object = None
        self._is_copy = False
        self._thread = 0

    def exists(self) -> bool:
        """Return whether the file exists; the connection to a file that was deleted or replaced is closed."""
        identity = self._identity()
        is_outdated = identity != self._file or (self._is_copy and self.is_writable())
        if self.opened is not None and is_outdated and not self.opened.in_transaction:
            self.close()
        return identity is not None

    @property
    def db(self) -> sqlite3.Connection:
        """A connection to the file that exists now; the file is made if there is none.

        Raises RuntimeError in another thread than the one that opened it.
        """
        self.exists()
        return self.connection

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection that `db` returned last, so that all queries of one search read the same file."""
        if self.opened is None:
            self._thread = get_ident()
            self._is_copy = not self.is_writable()
            with nullcontext() if self._is_copy else self._lock:
                self.opened = self._copy() if self._is_copy else self._open()
                self._run_schema(self.opened, self._schema)
            self._file = self._identity()
        else:
            check_thread(self._thread, self.path)
        return self.opened

    def is_writable(self) -> bool:
        """Return whether this process may write the file, or make it."""
        folder = next(one for one in self.path.absolute().parents if one.exists())
        some = [self.path, folder] if self.path.exists() else [folder]
        return all(os.access(one, os.W_OK, effective_ids=os.access in os.supports_effective_ids) for one in some)

    def require_writable(self) -> None:
        """Raise OSError if a copy is read, since what is written to that is lost."""
        if self._is_copy:
            raise OSError(f"{self.path}: it can only be read; make the file and its folder writable")

    def truncate_log(self) -> bool:
        """Move the write-ahead log into the file, and empty it on the disk; return whether no other reader held it."""
        db, log = self.connection, self._part("-wal")
        db.execute(f"PRAGMA busy_timeout = {SHORT_PATIENCE}")
        (busy, *_) = db.execute("PRAGMA wal_checkpoint (TRUNCATE)").fetchone()
        db.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        if log.exists():
            with log.open("rb") as file:
                os.fsync(file.fileno())
        return not busy

    def close(self) -> None:
        """Close the file. Raises RuntimeError in another thread than the one that opened it."""
        if self.opened:
            check_thread(self._thread, self.path)
            with nullcontext() if self._is_copy or not self.is_writable() else self._lock:
                self.opened.close()  # the last one deletes the files beside it
            self.opened = None
        self._lock.close()

    def delete(self) -> None:
        """Close and delete the file."""
        self.close()
        with self._lock:
            self._unlink()

    def _part(self, part: str) -> Path:
        return self.path.with_name(self.path.name + part)

    def _identity(self) -> object:
        """Return the (device, inode) of the file, for a copy also when it was written; None if there is no file."""
        try:
            status = os.stat(self.path)  # noqa: PTH116 - called at every use, and twice as fast as Path.stat
        except OSError:
            return None
        identity = status.st_dev, status.st_ino
        if not self._is_copy:
            return identity
        log = self._part("-wal").stat() if self._part("-wal").exists() else status
        return *identity, status.st_mtime_ns, status.st_size, log.st_mtime_ns, log.st_size

    def _run_schema(self, db: sqlite3.Connection, schema: str) -> None:
        """Make what the file lacks; the tables of a new one in a single transaction, which is five times as fast."""
        settings, create, tables = schema.partition("CREATE ")
        db.executescript(settings)
        is_new = db.execute("PRAGMA schema_version").fetchone() == (0,)
        versioned = f"BEGIN IMMEDIATE; {create}{tables} PRAGMA user_version = {self._version}; COMMIT;"
        db.executescript(versioned if is_new else create + tables)

    def _open(self) -> sqlite3.Connection:
        for part in PARTS:
            self._lock.require_inside(self._part(part))
        make_folder(self.path.parent)
        if self._columns and not self.path.exists():
            self._make()
        db = self._connect()
        if self._columns:
            self._require_columns(db)
        elif not self._is_current(db):
            db.close()
            self._unlink()
            db = self._connect()
        return db

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, isolation_level=None, timeout=PATIENCE / 1000)

    def _require_columns(self, db: sqlite3.Connection) -> None:
        known = {name for _, name, *_ in db.execute(f"PRAGMA table_info ({self._table})")}
        if not known.issuperset(self._columns):
            db.close()
            what = "another program's tables are in it" if self.path.stat().st_size else "it is empty"
            raise sqlite3.DatabaseError(f"{self.path}: {what}; restore a copy, or move it away to start without facts")

    def _is_current(self, db: sqlite3.Connection) -> bool:
        """Return whether an index is of this version, or new."""
        is_new = db.execute("PRAGMA schema_version").fetchone() == (0,)
        return is_new or bool(db.execute("PRAGMA user_version").fetchone() == (self._version,))

    def _make(self) -> None:
        """Make the file under another name, so that one without tables is never the work of a killed process."""
        path = Path(os.path.realpath(self.path))  # a link stays
        fresh = path.with_name(f".{path.name}.new")
        fresh.unlink(missing_ok=True)
        for part in PARTS[1:]:  # of a file that was deleted, or of one that was not completed
            self._part(part).unlink(missing_ok=True)
            fresh.with_name(fresh.name + part).unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as db:
            self._run_schema(db, _SYNCHRONOUS.sub("synchronous = OFF", self._schema))  # it is synced once, at the end
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        fresh.rename(path)
        sync_folder(path.parent)

    def _unlink(self) -> None:
        for part in PARTS:
            self._part(part).unlink(missing_ok=True)

    def _copy(self) -> sqlite3.Connection:
        """Copy the file to memory; the log beside it is read as well, even if SQLite may not write there."""
        memory = sqlite3.connect(":memory:", isolation_level=None)
        if not (self._columns and self.path.exists()):
            return memory
        log = self._part("-wal")
        has_log = log.exists() and log.stat().st_size > 0
        uri = f"{self.path.absolute().as_uri()}?mode=ro"
        for source in (uri, f"{uri}&immutable=1")[: 1 if has_log else 2]:
            with suppress(sqlite3.OperationalError), closing(sqlite3.connect(source, uri=True)) as db:
                db.backup(memory)
                return memory
        with TemporaryDirectory() as folder:
            for part in PARTS[:2]:
                if self._part(part).exists():
                    shutil.copy(self._part(part), Path(folder) / f"copy{part}")
            with closing(sqlite3.connect(Path(folder) / "copy")) as db:
                db.backup(memory)
        return memory
