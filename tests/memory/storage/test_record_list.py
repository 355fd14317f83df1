"""A list that a person reads and clears, and that several processes write."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from memlab.memory.storage.journal import Journal, Place, Record, Sync
from memlab.memory.storage.record_list import RecordList


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[RecordList, RecordList]]:
    """Open one list twice, as two processes do."""
    one, other = RecordList(tmp_path / "list.jsonl"), RecordList(tmp_path / "list.jsonl")
    yield one, other
    one.close()
    other.close()


def test_the_records_that_one_adds_or_removes_the_other_sees_in_order(two: tuple[RecordList, RecordList]) -> None:
    one, other = two
    assert one.all() == other.all() == []
    one.add({"id": "a", "n": 1})
    other.add({"id": "b", "n": 2})
    one.add({"id": "a", "n": 3})
    assert one.all() == other.all() == [{"id": "a", "n": 1}, {"id": "b", "n": 2}, {"id": "a", "n": 3}]
    assert list(other.under("a")) == [{"id": "a", "n": 1}, {"id": "a", "n": 3}]
    assert other.find("a") == {"id": "a", "n": 1}
    one.remove({"a"})
    assert one.all() == other.all() == [{"id": "b", "n": 2}]
    assert other.find("a") is None
    assert list(one.under("a")) == []


def test_a_record_reads_the_same_for_its_writer_and_later_readers(two: tuple[RecordList, RecordList]) -> None:
    one, other = two
    one.add({"id": "a", "from": ("b", "c"), "text": "\ud800é"})
    assert one.all() == other.all() == [{"id": "a", "from": ["b", "c"], "text": "\ud800é"}]


def test_adding_to_a_long_list_does_not_read_it_again(
    two: tuple[RecordList, RecordList], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    for n in range(10):
        other.add({"id": str(n)})
    one.all()
    read: list[int] = []
    replay = Journal.replay

    def counted(self: Journal, start: int = 0) -> Iterator[tuple[Place, Record]]:
        read.append(start)
        return replay(self, start)

    monkeypatch.setattr(Journal, "replay", counted)
    for n in range(10, 20):
        one.add({"id": str(n)})
        assert one.find(str(n)) is not None
    assert read == []
    assert len(one.all()) == 20


def test_a_record_that_two_add_at_once_is_listed_once(two: tuple[RecordList, RecordList]) -> None:
    one, other = two
    for add_new in (one.add_new_if_writable, other.add_new, one.add_new):
        add_new({"id": "a", "names": "x", "time": 1}, "names")
        add_new({"id": "a", "names": "y", "time": 2}, "names")
        assert [record["names"] for record in other.all()] == ["x", "y"]
    other.add_new({"id": "a", "names": "z"})
    assert len(one.all()) == 2


@pytest.mark.parametrize(
    "line",
    ["{}", '{"note":"seen by Ann"}', '{"id":["x"]}', '{"id":"z"}', '{"id":"z","names":5}', "[1]", "seen"],
)
def test_a_line_added_by_hand_is_ignored_and_stays(tmp_path: Path, line: str) -> None:
    path = tmp_path / "list.jsonl"
    with closing(RecordList(path, names=str)) as records:
        records.add({"id": "a", "names": "x"})
        with path.open("a") as file:
            file.write(line + "\n")
        records.add({"id": "b", "names": "y"})
        assert [record["id"] for record in records.all()] == ["a", "b"]
        assert list(records.damaged()) == [{"file": "list.jsonl", "line": 2, "text": line}]
        records.remove({"a", "None"})
        assert [record["id"] for record in records.all()] == ["b"]
    if line.startswith("{"):
        assert line in path.read_text()


@pytest.mark.parametrize(("number", "is_raised"), [(errno.EROFS, False), (errno.EACCES, False), (errno.ENOSPC, True)])
def test_a_record_that_need_not_be_added_is_not_added_to_a_list_that_can_only_be_read(
    two: tuple[RecordList, RecordList], monkeypatch: pytest.MonkeyPatch, number: int, *, is_raised: bool
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Journal, "append", refuse)
    with pytest.raises(OSError, match=os.strerror(number)) if is_raised else nullcontext():
        two[0].add_new_if_writable({"id": "a"})


@pytest.mark.parametrize(("mode", "settled"), [("always", True), ("batch", False)])
def test_a_record_is_on_the_disk_at_once_only_in_mode_always(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: Sync, *, settled: bool
) -> None:
    synced = list[int]()
    with closing(RecordList(tmp_path / "list.jsonl", mode)) as records:
        records.add({"id": "a"})
        monkeypatch.setattr(os, "fsync", synced.append)
        records.add({"id": "b"})
        assert bool(synced) == settled
