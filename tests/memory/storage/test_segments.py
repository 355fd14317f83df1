from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.memory.storage.journal import Record
from memlab.memory.storage.segments import Place, Segments

FULL = 200


@pytest.fixture
def log(tmp_path: Path) -> Segments:
    return Segments(tmp_path / "log.jsonl", "never", FULL)


def numbers(records: object) -> list[int]:
    return [record["n"] for record in records]  # type: ignore[attr-defined]


def fill(log: Segments, *several: int) -> None:
    for n in several:
        log.append({"n": n, "pad": "x" * 50})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("log*"))


@settings(max_examples=50)
@given(st.lists(st.integers(0, 300), max_size=30))
def test_whatever_the_size_of_its_records_a_log_in_segments_is_read_as_one(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    log = Segments(folder / "log.jsonl", "never", FULL)
    for n, size in enumerate(sizes):
        log.append({"n": n, "pad": "é" * size})
    assert numbers(log.replay()) == list(range(len(sizes)))
    assert numbers(log.backwards()) == list(reversed(range(len(sizes))))
    longest = max(
        (len(json.dumps({"n": 10, "pad": "é" * size}, ensure_ascii=False).encode()) for size in sizes), default=0
    )
    assert all(FULL <= path.stat().st_size < FULL + longest for path in folder.glob("log-*.jsonl"))


def test_a_full_file_is_sealed_under_the_next_number(log: Segments, tmp_path: Path) -> None:
    fill(log, *range(9))
    assert names(tmp_path) == ["log-000001.jsonl", "log-000002.jsonl", "log.jsonl"]
    assert numbers(map(json.loads, (tmp_path / "log-000001.jsonl").read_bytes().splitlines())) == [0, 1, 2]


def test_files_with_a_similar_name_are_no_segments(log: Segments, tmp_path: Path) -> None:
    for name in ("log-1.jsonl", "log-0000001.jsonl", "log-000000.jsonl", "log-old.jsonl", "log-000003.jsonl.bak"):
        (tmp_path / name).write_text('{"n": 99}\n')
    fill(log, *range(9))
    assert numbers(log.replay()) == list(range(9))


def test_reading_forwards_while_files_are_sealed_gives_every_record_once(log: Segments) -> None:
    fill(log, *range(6))
    reading = log.replay()
    seen = [next(reading)["n"]]
    fill(log, *range(6, 40))
    seen += numbers(reading)
    assert seen == list(range(len(seen)))
    assert len(seen) >= 6


def test_reading_backwards_while_files_are_sealed_gives_the_records_of_its_start(log: Segments) -> None:
    fill(log, *range(14))
    for started in range(1, 14):
        reading = log.backwards()
        seen = numbers(next(reading) for _ in range(started))
        before = len(numbers(log.replay()))
        fill(log, *range(before, before + 9))
        assert seen + numbers(reading) == list(reversed(range(before)))


@pytest.mark.parametrize("backwards", [False, True])
def test_a_file_that_is_rewritten_and_sealed_while_it_is_being_opened_is_read_once(
    log: Segments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, backwards: bool
) -> None:
    fill(log, *range(6))
    listing = os.listdir
    other = Segments(tmp_path / "log.jsonl", "never", FULL)

    def meanwhile(folder: Path) -> list[str]:
        monkeypatch.setattr(os, "listdir", listing)
        other.rewrite(lambda record: None if record["n"] == 4 else record)
        fill(other, 6, 7)
        return listing(folder)

    monkeypatch.setattr(os, "listdir", meanwhile)
    expected = [0, 1, 2, 3, 5, 6, 7]
    assert numbers(log.backwards() if backwards else log.replay()) == expected[:: -1 if backwards else 1]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_file_that_is_sealed_under_the_number_of_one_that_is_gone_is_read_once(
    log: Segments, tmp_path: Path, *, backwards: bool
) -> None:
    fill(log, *range(9))
    reading = log.backwards() if backwards else log.replay()
    seen = numbers(next(reading) for _ in range(2))
    log.rewrite(lambda record: None if 3 <= record["n"] < 6 else record)
    assert names(tmp_path) == ["log-000001.jsonl", "log.jsonl"]
    fill(log, 9)
    assert names(tmp_path) == ["log-000001.jsonl", "log-000002.jsonl", "log.jsonl"]
    assert seen + numbers(reading) == ([8, 7, 6, 2, 1, 0] if backwards else [0, 1, 2, 6, 7, 8])


def test_a_place_stays_valid_when_its_file_is_sealed_and_until_a_rewrite(log: Segments) -> None:
    fill(log, 0, 1)
    places = [place for place, _ in log.read_on({})]
    fill(log, *range(2, 20))
    assert numbers(log.at(places)) == [0, 1]
    log.rewrite(lambda record: None if record["n"] == 0 else record)
    assert numbers(log.at(places)) == []


def test_continued_reading_yields_later_records_whatever_file_holds_them(log: Segments) -> None:
    fill(log, 0, 1, 2)
    read: dict[int, int] = {}

    def further() -> list[int]:
        found = list(log.read_on(read))
        read.update({place[0]: place[1] + place[2] for place, _ in found})
        return numbers(record for _, record in found)

    assert further() == [0, 1, 2]
    fill(log, *range(3, 12))
    assert further() == list(range(3, 12))
    assert further() == []


def test_a_rewrite_touches_only_the_files_that_hold_what_changes(log: Segments) -> None:
    fill(log, *range(14))
    before = list(log.sizes())
    place = next(place for place, record in log.read_on({}) if record["n"] == 5)
    log.rewrite(lambda record: None if record["n"] == 5 else record)
    assert set(before) - set(log.sizes()) == {place[0]}
    assert numbers(log.replay()) == [n for n in range(14) if n != 5]


def test_an_empty_sealed_file_is_removed_and_the_order_stays(log: Segments, tmp_path: Path) -> None:
    fill(log, *range(14))
    log.rewrite(lambda record: record if record["n"] >= 8 else None)
    assert names(tmp_path) == ["log-000003.jsonl", "log-000004.jsonl", "log.jsonl"]
    fill(log, *range(14, 30))
    assert numbers(log.replay()) == list(range(8, 30))


def test_an_interrupted_rewrite_has_changed_the_newest_files_first(log: Segments) -> None:
    fill(log, *range(14))

    def cut_short(record: Record) -> Record | None:
        if record["n"] == 2:
            raise KeyboardInterrupt
        return None if record["n"] % 2 else record

    with pytest.raises(KeyboardInterrupt):
        log.rewrite(cut_short)
    assert numbers(log.replay()) == [0, 1, 2, 4, 6, 8, 10, 12]


def test_a_writer_notices_that_another_has_sealed_the_file_it_had_open(tmp_path: Path) -> None:
    one, other = (Segments(tmp_path / "log.jsonl", "never", FULL) for _ in range(2))
    for n in range(0, 60, 2):
        fill(one, n)
        fill(other, n + 1)
    assert numbers(one.replay()) == list(range(60))
    assert len(names(tmp_path)) > 5


def test_an_incomplete_tail_is_repaired_before_its_file_is_sealed(log: Segments, tmp_path: Path) -> None:
    fill(log, 0, 1)
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b'{"n": 3, "pad": "' + b"x" * FULL)
    fill(log, 4, 5, 6)
    assert numbers(log.replay()) == [0, 1, 4, 5, 6]


def test_a_file_and_its_name_are_on_the_disk_when_it_is_sealed(
    log: Segments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[tuple[bool, list[str]]] = []
    fsync = os.fsync

    def watched(handle: int) -> None:
        settled.append((os.path.isdir(f"/proc/self/fd/{handle}"), names(tmp_path)))  # noqa: PTH112 - a descriptor
        fsync(handle)

    fill(log, 0, 1, 2)
    monkeypatch.setattr(os, "fsync", watched)
    fill(log, 3)
    assert settled == [(False, ["log.jsonl"]), (True, ["log-000001.jsonl"])]


def test_processes_that_append_and_seal_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memlab.memory.storage.segments import Segments\n"
        "log = Segments(Path(sys.argv[1]), 'never', 2000)\n"
        "for n in range(150): log.append({'n': n, 'by': sys.argv[2], 'pad': 'x' * (n * 7 % 900)})\n"
    )
    path = tmp_path / "log.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), str(by)]) for by in range(3)]
    seen: list[list[int]] = []
    while any(writer.poll() is None for writer in writers):
        seen.append([record["n"] for record in Segments(path).replay() if record["by"] == "0"])
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert all(one == list(range(len(one))) for one in seen)
    replayed = [(record["by"], record["n"]) for record in Segments(path).replay()]
    assert sorted(replayed) == sorted((str(by), n) for by in range(3) for n in range(150))
    assert len(names(tmp_path)) > 20


def test_an_absent_log_holds_nothing(log: Segments) -> None:
    nowhere: list[Place] = [(1, 0, 10)]
    assert [*log.replay(), *log.backwards(), *log.at(nowhere)] == []
