"""What the index beside the log promises: it indexes each line once, a part at a time, and knows every id as it is."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from beats import fill, make_episode

from memlab.memory.episode import to_record
from memlab.memory.episodes import Episodes
from memlab.memory.indexing import episode_index
from memlab.memory.indexing.episode_index import ATTEMPTS, READ_AT_ONCE, WAITING
from memlab.memory.indexing.episode_schema import index_lines
from memlab.memory.indexing.fulltext import WordIndex
from memlab.memory.storage.journal import Place, Record


@pytest.fixture
def episodes(tmp_path: Path) -> Iterator[Episodes]:
    with closing(Episodes(tmp_path, "never")) as log:
        yield log


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[str, int]]]:
    """Note, for each time that the log is indexed further, the id and the length of every line that is indexed."""
    noted: list[list[tuple[str, int]]] = []

    def watched(db: sqlite3.Connection, lines: Sequence[tuple[Place, Record]]) -> None:
        noted.append([(record["id"], place[2]) for place, record in lines])
        index_lines(db, lines)

    monkeypatch.setattr(episode_index, "index_lines", watched)
    return noted


def test_each_line_of_the_log_is_indexed_once_however_often_it_is_opened(
    tmp_path: Path, readings: list[list[tuple[str, int]]]
) -> None:
    for n in range(60):
        with closing(Episodes(tmp_path, "never")) as log:
            fill(log, make_episode(n))
            assert log.get(f"id{n}") == make_episode(n)
            assert log.get("id0") == make_episode(0)
    with closing(Episodes(tmp_path, "never")) as log:
        assert log.summarised_ids() == set()
    assert [identity for part in readings for identity, _ in part] == [f"id{n}" for n in range(60)]


def test_an_id_is_found_before_it_is_indexed_whoever_wrote_or_erased_it(tmp_path: Path) -> None:
    ours, theirs = (Episodes(tmp_path, "never") for _ in range(2))
    with closing(ours), closing(theirs):
        for n in range(0, 60, 2):
            fill(ours, make_episode(n))
            fill(theirs, make_episode(n + 1))
            assert [ours.get(f"id{one}") for one in (0, n, n + 1)] == [
                make_episode(0),
                make_episode(n),
                make_episode(n + 1),
            ]
            assert theirs.get(f"id{n + 2}") is None
        theirs.erase({"id59", "id3"}, 1.0)
        assert [ours.get("id59"), ours.get("id3"), ours.get("id58")] == [None, None, make_episode(58)]
        assert ours.is_erased("id59")


def test_an_id_that_was_just_looked_up_is_found_in_a_log_that_was_edited_in_place(tmp_path: Path) -> None:
    with closing(Episodes(tmp_path, "never")) as episodes:
        fill(episodes, make_episode(1), make_episode(1000))
        assert episodes.get("id1000") == make_episode(1000)
        with (tmp_path / "episodes.jsonl").open("r+b") as file:
            lines = file.readlines()
            file.seek(0)
            file.writelines(reversed(lines))
        assert episodes.get("id1000") == make_episode(1000)


def test_new_ids_are_looked_up_without_indexing_each_line_by_itself(
    tmp_path: Path, readings: list[list[tuple[str, int]]]
) -> None:
    with closing(Episodes(tmp_path, "never")) as log:
        for n in range(400):
            assert log.get(f"id{n}") is None
            assert not log.is_erased(f"id{n}")
            fill(log, make_episode(n))
    assert len(readings) < 10


@pytest.mark.parametrize("spelling", ["id\\u0031", "id/1", "id\\/1", "\\u00e9", "é"])
def test_an_id_is_found_before_it_is_indexed_however_a_hand_spelled_it(
    episodes: Episodes, tmp_path: Path, spelling: str
) -> None:
    fill(episodes, make_episode(0))
    assert episodes.get("id0")
    line = json.dumps(to_record(make_episode(1))).replace('"id1"', f'"{spelling}"')
    with (tmp_path / "episodes.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    identity = json.loads(f'"{spelling}"')
    assert episodes.get(identity) == make_episode(1, id=identity)


def test_no_more_than_a_part_of_a_long_log_is_held_at_a_time(
    tmp_path: Path, readings: list[list[tuple[str, int]]]
) -> None:
    log = Episodes(tmp_path, "never")
    fill(log, *(make_episode(n, f"lamp {n} " + "x" * 9000) for n in range(100)))
    assert log.frequency(["lamp"]) == ({"lamp": 100}, 100)
    sizes = [length for part in readings for _, length in part]
    assert sum(sizes) == (tmp_path / "episodes.jsonl").stat().st_size > 3 * READ_AT_ONCE
    assert max(sum(length for _, length in part) for part in readings) < READ_AT_ONCE + max(sizes)


@pytest.mark.parametrize("lines", [1, 2, 3, 6])
def test_a_log_is_read_to_its_end_even_if_a_part_of_it_is_filled_to_the_last_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    log = Episodes(tmp_path, "never")
    fill(log, *map(make_episode, range(6)))
    monkeypatch.setattr(episode_index, "READ_AT_ONCE", lines * (tmp_path / "episodes.jsonl").stat().st_size // 6)
    assert log.frequency(["lamp"]) == ({"lamp": 6}, 6)


def test_surrogates_in_ids_sessions_and_texts_are_found_unchanged(episodes: Episodes) -> None:
    odd = make_episode(1, "lamp \udc80", id="\ud800", session="\udfff", derived_from=("\ud801",))
    fill(episodes, make_episode(0), odd, replace(make_episode(2, "lamp \udc81"), forgot=("\ud801",)))
    assert episodes.get("\ud800") == odd
    assert episodes.derived_ids({"\ud801"}) == {"\ud800", "id2"}
    assert ([odd], [odd]) in list(episodes.recurring(1))
    assert episodes.frequency(["lamp"])[1] == 3
    episodes.erase({"\ud800"}, 9.0)
    assert episodes.get("\ud800") is None
    assert [one for one in ("\ud800", "\ud801", "id0") if episodes.is_erased(one)] == ["\ud800"]


def test_a_restatement_does_not_replace_an_episode_and_a_summary_does(episodes: Episodes) -> None:
    fill(episodes, make_episode(1), make_episode(2), make_episode(3, derived_from=("id1",)))
    assert episodes.derived_ids({"id1"}) == {"id3"}
    assert episodes.summarised_ids() == set()
    fill(episodes, replace(make_episode(4), forgot=("id2", "gone")))
    assert episodes.derived_ids({"id2"}) == {"id4"}
    assert episodes.summarised_ids() == {"id2"}


def test_an_erasure_by_somebody_else_is_known_though_this_log_was_written_since(
    episodes: Episodes, tmp_path: Path
) -> None:
    fill(episodes, make_episode(1), make_episode(2))
    assert not episodes.is_erased("id1")
    with closing(Episodes(tmp_path, "never")) as other:
        other.erase({"id1"}, 9.0)
    fill(episodes, make_episode(3))
    assert episodes.is_erased("id1")
    assert not episodes.is_erased("id2")


@pytest.mark.parametrize(
    ("opened", "records", "settled"),
    [
        (Episodes, 255, False),
        (Episodes, 256, True),
        (partial(Episodes, sync="batch"), 255, False),
        (partial(Episodes, sync="batch"), 256, True),
        (partial(Episodes, sync="always"), 1, True),
        (partial(Episodes, sync="never"), 300, False),
    ],
)
def test_an_episode_is_on_the_disk_as_soon_as_the_sync_mode_promises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Callable[[Path], Episodes], records: int, *, settled: bool
) -> None:
    synced = list[int]()
    monkeypatch.setattr(os, "fsync", synced.append)
    with closing(opened(tmp_path)) as log:
        fill(log, *map(make_episode, range(records)))
        assert bool(synced) == settled


def test_a_query_is_repeated_while_the_log_is_rewritten_then_waits_for_that_and_then_builds_the_index_anew(
    episodes: Episodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_locked, built = list[bool](), list[int]()

    def move(*_: object) -> None:
        with (tmp_path / ".episodes.jsonl.lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_locked.append(False)
            except BlockingIOError:
                is_locked.append(True)
        raise episode_index._MovedError  # noqa: SLF001 - as if another process rewrote the log

    monkeypatch.setattr(Episodes, "_query_once", move)
    monkeypatch.setattr(Episodes, "_reset", lambda _: built.append(len(is_locked)))
    advice = r"episodes\.index: the log changes while it is read; ask again, or delete this file$"
    with pytest.raises(OSError, match=advice):
        episodes.frequency(["hall"])
    assert is_locked == [False] * WAITING + [True] * (ATTEMPTS - WAITING)
    assert built == list(range(WAITING + 1, ATTEMPTS))


@pytest.mark.parametrize(
    ("code", "is_damage"),
    [(sqlite3.SQLITE_CORRUPT_VTAB, True), (sqlite3.SQLITE_NOTADB, True), (sqlite3.SQLITE_FULL, False), (None, False)],
)
def test_a_damaged_index_is_built_anew_and_any_other_error_names_it_and_the_next_step(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch, code: int | None, *, is_damage: bool
) -> None:
    fill(episodes, make_episode(1))
    assert episodes.get("id1")
    failed, frequency = list[Exception](), WordIndex.frequency

    def fail_once(index: WordIndex, question: Sequence[str]) -> object:
        if failed:
            return frequency(index, question)
        failed.append(sqlite3.DatabaseError("it failed"))
        if code is not None:
            failed[0].sqlite_errorcode = code  # type: ignore[attr-defined]
        raise failed[0]

    monkeypatch.setattr(WordIndex, "frequency", fail_once)
    if not is_damage:
        advice = "free space or make the folder writable; this file may be deleted at any time"
        with pytest.raises(OSError, match=rf"episodes\.index: it failed; {advice}$"):
            episodes.frequency(["lamp"])
    assert episodes.frequency(["lamp"]) == ({"lamp": 1}, 1)


def test_a_log_that_was_never_searched_is_erased_completely(episodes: Episodes) -> None:
    fill(episodes, make_episode(1), make_episode(2))
    assert episodes.erase({"id1"}, 9.0)
    assert [one.id for one in episodes.replay()] == ["id2"]
