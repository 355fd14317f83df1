"""What an SQLite file that processes share promises when it is made."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memlab.memory.storage.database import Database

SCHEMA = "PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS a (row); CREATE TABLE IF NOT EXISTS b (row);"


def test_a_new_file_has_the_version_and_an_older_one_keeps_its_own(tmp_path: Path) -> None:
    for version in (3, 4):
        with closing(Database(tmp_path / "a.db", SCHEMA, "a", ["row"], version=version, links=False)) as file:
            assert file.db.execute("PRAGMA user_version").fetchone() == (3,)


def test_of_the_tables_of_a_new_index_all_are_made_or_none_is(tmp_path: Path) -> None:
    broken = Database(tmp_path / "a.db", f"{SCHEMA} CREATE nonsense;", "a", version=3, links=False)
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
    with closing(Database(tmp_path / "a.db", SCHEMA, "a", ["row"], links=False)) as file:
        file.db.execute("INSERT INTO a VALUES (1)")
    assert synced == [(".a.db.new", False), (tmp_path.name, True)]
