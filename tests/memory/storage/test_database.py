"""An SQLite file is made completely, followed when it is replaced, and read as a copy where it cannot be written."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memlab.memory.storage import database
from memlab.memory.storage.database import PATIENCE, Database
from memlab.memory.text import Refused

SCHEMA = "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS lamps (colour TEXT);"
TABLES = "PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS a (row); CREATE TABLE IF NOT EXISTS b (row);"
Open = Callable[..., Database]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made = list[Database]()

    def build(name: str = "lamps.db", columns: tuple[str, ...] = ("colour",), *, links: bool = False) -> Database:
        made.append(Database(tmp_path / name, SCHEMA, "lamps", columns, links=links))
        return made[-1]

    yield build
    for one in made:
        one.close()


def put(one: Database, colour: str) -> None:
    one.db.execute("INSERT INTO lamps VALUES (?)", [colour])


def colours(one: Database) -> list[str]:
    return [colour for (colour,) in one.db.execute("SELECT colour FROM lamps ORDER BY rowid")]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("columns", [("colour",), ()])
def test_a_file_is_made_at_its_first_use_and_deleted_with_its_log(
    opened: Open, tmp_path: Path, columns: tuple[str, ...]
) -> None:
    one = opened("new/lamps.db", columns)
    assert not one.exists()
    assert names(tmp_path) == []
    put(one, "red")
    assert one.exists()
    assert colours(opened("new/lamps.db", columns)) == ["red"]
    one.delete()
    assert not one.exists()
    assert [name for name in names(tmp_path / "new") if not name.startswith(".")] == []


def test_what_a_killed_process_or_a_deleted_file_left_behind_is_not_read(opened: Open, tmp_path: Path) -> None:
    for name in (".lamps.db.new", "lamps.db-wal", "lamps.db-shm"):
        (tmp_path / name).write_bytes(b"half a file" * 100)
    one = opened()
    put(one, "red")
    assert colours(one) == ["red"]
    one.close()
    assert names(tmp_path) == [".lamps.db.lock", "lamps.db"]


def test_a_file_that_was_deleted_or_replaced_is_opened_again_but_not_within_a_transaction(
    opened: Open, tmp_path: Path
) -> None:
    one, other = opened(), opened("other.db")
    put(one, "red")
    put(other, "blue")
    other.close()
    one.db.execute("BEGIN")
    put(one, "green")
    for part in tmp_path.glob("lamps.db*"):
        part.unlink()
    (tmp_path / "other.db").rename(tmp_path / "lamps.db")
    assert colours(one) == ["red", "green"]
    one.connection.rollback()
    assert colours(one) == ["blue"]
    one.delete()
    assert colours(one) == []


def test_the_queries_of_one_search_read_one_file_even_if_it_is_replaced_meanwhile(opened: Open, tmp_path: Path) -> None:
    one = opened()
    before = one.db
    (tmp_path / "lamps.db").unlink()
    assert one.connection is before
    assert one.db is not before


@pytest.mark.parametrize(
    ("tables", "what"), [("CREATE TABLE lamps (size INT)", "another program's tables are in it"), ("", "it is empty")]
)
def test_the_file_of_another_program_is_refused_and_unchanged(
    opened: Open, tmp_path: Path, tables: str, what: str
) -> None:
    path = tmp_path / "lamps.db"
    path.touch()
    with closing(sqlite3.connect(path)) as db:
        db.execute(tables)
    before = path.read_bytes()
    with pytest.raises(sqlite3.DatabaseError) as refusal:
        colours(opened())
    advice = "restore a copy, or move it away to start without facts"
    assert str(refusal.value) == f"{path}: {what}; {advice}"
    assert path.read_bytes() == before


@pytest.mark.parametrize("part", ["lamps.db", "lamps.db-wal", "lamps.db-shm"])
def test_a_file_behind_a_link_out_of_the_folder_is_opened_only_if_links_are_allowed(
    opened: Open, tmp_path: Path, part: str
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / part).symlink_to(tmp_path / part)
    with pytest.raises(Refused, match="outside"):
        put(opened("in/lamps.db"), "red")
    assert names(tmp_path) == ["in"]
    put(opened("in/lamps.db", links=True), "red")
    assert (tmp_path / "in" / "lamps.db").is_symlink() == (part == "lamps.db")


@pytest.mark.parametrize("missing", ["file", "folder", ""])
@pytest.mark.parametrize("denied", ["file", "folder", ""])
def test_a_file_may_be_written_if_it_and_its_folder_may_and_made_if_the_nearest_folder_above_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, denied: str
) -> None:
    folder = tmp_path if missing == "folder" else tmp_path / "in"
    folder.mkdir(exist_ok=True)
    one = Database(tmp_path / "in" / "lamps.db", SCHEMA, "lamps", links=False)
    if not missing:
        one.path.touch()
    forbidden = {"file": one.path, "folder": folder}.get(denied)
    monkeypatch.setattr(os, "access", lambda path, mode, **_: mode == os.W_OK and path != forbidden)
    assert one.is_writable() == (denied != "folder" and (denied != "file" or bool(missing)))


@pytest.mark.parametrize("refused", ["no file", "mode=ro", "immutable=1"])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_copy_has_what_is_in_the_file_and_its_log_even_where_sqlite_may_not_open_them(
    opened: Open, monkeypatch: pytest.MonkeyPatch, refused: str, *, is_open: bool
) -> None:
    """SQLite opens no file with a log in a folder where it cannot write, and without a log only as immutable."""
    one = opened()
    put(one, "red")
    if not is_open:
        one.close()

    def refuse(path: str | Path, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 - as sqlite3.connect
        if options.get("uri") and (str(path).endswith(refused) or refused == "immutable=1"):
            raise sqlite3.OperationalError("unable to open database file")
        return sqlite3.Connection(path, **options)

    monkeypatch.setattr(Database, "is_writable", lambda _: False)
    monkeypatch.setattr(sqlite3, "connect", refuse)
    if refused == "no file" or (refused == "mode=ro" and not is_open):
        monkeypatch.setattr(shutil, "copy", None)  # a copy of a file that is written meanwhile may be torn
    assert colours(opened()) == ["red"]


@pytest.mark.parametrize("is_open", [True, False])
def test_a_file_that_cannot_be_written_is_read_as_a_copy_with_what_others_write_meanwhile(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_open: bool
) -> None:
    writer, reader = opened(), opened()
    put(writer, "red")
    if not is_open:
        writer.close()
    before = (tmp_path / "lamps.db").read_bytes()
    monkeypatch.setattr(Database, "is_writable", lambda _: False)
    assert colours(reader) == ["red"]
    put(reader, "lost")
    assert (tmp_path / "lamps.db").read_bytes() == before
    with pytest.raises(OSError, match=r"lamps\.db: it can only be read; make the file and its folder writable$"):
        reader.require_writable()
    monkeypatch.undo()
    put(writer, "blue")
    monkeypatch.setattr(Database, "is_writable", lambda _: False)
    assert colours(reader) == ["red", "blue"]
    monkeypatch.undo()
    put(reader, "green")
    reader.require_writable()
    assert colours(writer) == ["red", "blue", "green"]


@pytest.mark.parametrize("columns", [("colour",), ()])
def test_where_no_file_can_be_made_there_are_no_rows(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: tuple[str, ...]
) -> None:
    monkeypatch.setattr(Database, "is_writable", lambda _: False)
    assert colours(opened(columns=columns)) == []
    assert names(tmp_path) == []


def test_an_index_that_cannot_be_written_is_built_anew_in_memory(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    put(opened(columns=()), "red")
    monkeypatch.setattr(Database, "is_writable", lambda _: False)
    assert colours(opened(columns=())) == []


def test_a_log_is_truncated_unless_another_reader_holds_it(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SHORT_PATIENCE", 10)
    one, reader, log = opened(), opened(), tmp_path / "lamps.db-wal"
    assert one.db.execute("PRAGMA busy_timeout").fetchone() == (PATIENCE,)
    put(one, "red")
    reader.db.execute("BEGIN")
    assert colours(reader) == ["red"]
    put(one, "blue")
    assert not one.truncate_log()
    assert log.stat().st_size
    assert one.db.execute("PRAGMA busy_timeout").fetchone() == (PATIENCE,)
    reader.db.rollback()
    synced = list[int]()
    monkeypatch.setattr(os, "fsync", synced.append)
    assert one.truncate_log()
    assert len(synced) == 1
    assert not log.stat().st_size
    assert colours(reader) == ["red", "blue"]


def test_an_open_file_is_for_one_thread_until_it_is_closed(opened: Open) -> None:
    one = opened()
    put(one, "red")
    with ThreadPoolExecutor(1) as pool:
        for use in (lambda: one.db, lambda: one.connection, one.close):
            with pytest.raises(RuntimeError, match=r"lamps\.db: another thread uses it"):
                pool.submit(use).result()
        one.close()
        pool.submit(put, one, "blue").result()
        with pytest.raises(RuntimeError, match="another thread"):
            colours(one)
        pool.submit(one.close).result()
    assert colours(one) == ["red", "blue"]


def test_a_new_file_has_the_version_and_an_older_one_keeps_its_own(tmp_path: Path) -> None:
    for version in (3, 4):
        with closing(Database(tmp_path / "a.db", TABLES, "a", ["row"], version=version, links=False)) as file:
            assert file.db.execute("PRAGMA user_version").fetchone() == (3,)


def test_of_the_tables_of_a_new_index_all_are_made_or_none_is(tmp_path: Path) -> None:
    broken = Database(tmp_path / "a.db", f"{TABLES} CREATE nonsense;", "a", version=3, links=False)
    with closing(broken), pytest.raises(sqlite3.OperationalError, match="nonsense"):
        broken.db.execute("SELECT 1")
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_a_file_that_is_no_index_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = list[tuple[str, bool]]()

    def fsync(handle: int) -> None:
        synced.append((Path(f"/proc/self/fd/{handle}").readlink().name, (tmp_path / "a.db").exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    with closing(Database(tmp_path / "a.db", TABLES, "a", ["row"], links=False)) as file:
        file.db.execute("INSERT INTO a VALUES (1)")
    assert synced == [(".a.db.new", False), (tmp_path.name, True)]
