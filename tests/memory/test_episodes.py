from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from beats import fill, make_episode
from hypothesis import given
from hypothesis import strategies as st

from memlab.memory.episode import Episode, Run, Step, from_record, to_record
from memlab.memory.episodes import Episodes
from memlab.memory.indexing.episode_index import READ_AT_ONCE
from memlab.memory.indexing.episode_schema import VERSION
from memlab.memory.storage.journal import Journal
from memlab.memory.trust import Provenance

texts = st.text(st.characters(exclude_categories=()), max_size=20)
ids = st.lists(texts, max_size=3).map(tuple)
times = st.floats(allow_nan=False, allow_infinity=False)
steps: list[Step] = ["", "task", "done", "note", "ask", "answer", "end"]
provenances = st.builds(Provenance, texts, texts, times, texts, ids, texts)
runs = st.builds(Run, texts, texts, st.integers(0), ids, times, st.booleans(), texts, texts, texts, ids, texts)
episodes_of_any_kind = st.builds(
    Episode,
    *(texts, texts, provenances, st.integers(0, 3), st.sampled_from(steps), ids, texts, st.booleans(), texts),
    st.none() | runs,
    ids,
)


@pytest.fixture
def episodes(tmp_path: Path) -> Iterator[Episodes]:
    with closing(Episodes(tmp_path, "never")) as log:
        yield log


@given(episodes_of_any_kind)
def test_an_episode_is_read_as_it_was_logged_with_all_its_fields(episode: Episode) -> None:
    assert from_record(json.loads(json.dumps(to_record(episode)))) == episode
    with tempfile.TemporaryDirectory() as folder, closing(Episodes(Path(folder), "never")) as log:
        log.append(episode)
        assert list(log.replay()) == list(log.recent()) == [episode]
        assert log.get(episode.id) == episode
        assert log.derived_ids({"", *episode.forgot}) <= {episode.id}
        assert log.derived_ids(episode.origin.derived_from) == ({episode.id} if episode.origin.derived_from else set())


def test_of_an_episode_the_log_keeps_no_empty_field() -> None:
    assert to_record(replace(make_episode(1), run=Run("ship", success=False))) == {
        "id": "id1",
        "time": 1001.0,
        "session": "s0",
        "kind": "log",
        "detail": "beat 1 of the lamp",
        "source": "tool",
        "rank": 2,
        "run": {"task": "ship", "success": False},
    }


def test_a_log_of_an_older_version_is_read(tmp_path: Path) -> None:
    line = '{"id":"a","time":5,"session":"s","kind":"task","detail":"ship","source":"user","rank":3,"todo":["build"]'
    (tmp_path / "episodes.jsonl").write_text(line + ',"step":"task"}\n{"erased":"b","time":6}\n')
    log = Episodes(tmp_path)
    expected = Episode("task", "ship", Provenance("user", "s", 5, "a"), 3, "task", ("build",))
    assert list(log.replay()) == list(log.recent()) == list(log.steps()) == [expected]
    assert log.is_erased("b")


@pytest.mark.parametrize(
    "line",
    [
        '{"detail":"lamp"}',
        '{"id":"a","time":null,"session":"s","kind":"log","detail":"lamp","source":"user","rank":3}',
        '{"id":"a","time":5,"session":"s","kind":"log","detail":["lamp"],"source":"user","rank":3}',
        '{"id":"a","time":5,"session":"s","kind":"log","source":"user","rank":3}',
        '["lamp"]',
    ],
)
def test_a_foreign_line_is_left_out_and_hides_nothing(episodes: Episodes, tmp_path: Path, line: str) -> None:
    fill(episodes, make_episode(1), make_episode(2))
    with (tmp_path / "episodes.jsonl").open("a") as file:
        file.write(line + "\n")
    fill(episodes, make_episode(3))
    assert [one.id for one in episodes.replay()] == ["id1", "id2", "id3"]
    assert len([one for one, _ in episodes.search(["lamp"], 9)]) == 3
    assert episodes.get("id3") == make_episode(3)


def test_a_run_is_read_whatever_another_version_wrote_beside_it_or_a_hand_into_it() -> None:
    record = to_record(replace(make_episode(1), run=Run("ship", tools=("git",))))
    record["run"] |= {"mood": "good", "result": "shipped"}
    assert from_record(record).run == Run("ship", tools=("git",), result="shipped")


def test_the_steps_of_tasks_are_read_newest_first_and_nothing_else_is(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = Provenance("user", "s", 1.0, "again")
    moved = [Episode(step, f"{step} {n}", again, step=step) for n in range(60) for step in steps[1:]]
    for n, one in enumerate(moved):
        fill(episodes, make_episode(n), one)
    episodes.get("id1")
    lines = [0]
    at = Journal.at

    def counted(log: Journal, places: Sequence[tuple[int, int, int]]) -> Iterator[object]:
        lines[0] += len(places)
        return at(log, places)

    monkeypatch.setattr(Journal, "at", counted)
    monkeypatch.setattr(Journal, "backwards", None)
    monkeypatch.setattr(Journal, "replay", None)
    assert episodes.steps((moved[-3].step,)) == moved[:-4:-1]
    assert lines[0] <= 100
    assert episodes.steps() == moved[::-1]


def test_erased_episodes_leave_every_file_and_the_others_are_still_found(episodes: Episodes, tmp_path: Path) -> None:
    other = Episodes(tmp_path, "never")
    fill(
        episodes, make_episode(0, "quuxblat lamp"), *map(make_episode, range(1, 50)), make_episode(50, "QUUXBLAT again")
    )
    assert len([one for one, _ in other.search(["quuxblat"], 9)]) == 2
    episodes.erase({"id0", "id50", "elsewhere"}, 9.0)
    for log in (episodes, other):
        assert [one for one, _ in log.search(["quuxblat"], 9)] == []
        assert [log.get(f"id{n}") for n in range(51)] == [None, *map(make_episode, range(1, 50)), None]
        assert [one for one in ("id0", "id1", "elsewhere") if log.is_erased(one)] == ["id0", "elsewhere"]
        log.close()
    left = [path for path in tmp_path.rglob("*") if path.is_file() and b"uuxblat" in path.read_bytes().lower()]
    assert left == []


def test_episodes_removed_from_the_log_by_other_means_are_not_found(episodes: Episodes, tmp_path: Path) -> None:
    fill(episodes, *map(make_episode, range(40)))
    assert len([one for one, _ in episodes.search(["lamp"], 99)]) == 40
    Journal(tmp_path / "episodes.jsonl").remove(lambda record: record["id"] in {"id3", "id39"})
    assert len([one for one, _ in episodes.search(["lamp"], 99)]) == 38
    assert episodes.get("id3") is None
    assert episodes.frequency(["lamp"]) == ({"lamp": 38}, 38)


def test_what_is_neither_an_episode_nor_a_tombstone_is_damaged_until_the_id_in_it_is_erased(
    episodes: Episodes, tmp_path: Path
) -> None:
    path = tmp_path / "episodes.jsonl"
    fill(episodes, make_episode(1))
    episodes.erase({"id0"}, 9.0)
    lines = '{"id":"\u00fcber","detail":"lamp', '{"id":"other","time":"soon"}'
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    episodes.append(make_episode(2))
    assert [(one["file"], one["line"], one["text"]) for one in episodes.damaged()] == [
        ("episodes.jsonl", 3, lines[0]),
        ("episodes.jsonl", 4, lines[1]),
    ]
    episodes.erase({"\u00fcber"}, 9.0)
    assert [one["text"] for one in episodes.damaged()] == [lines[1]]
    assert [one.id for one in episodes.replay()] == ["id1", "id2"]


def test_erasing_twice_leaves_one_tombstone(episodes: Episodes, tmp_path: Path) -> None:
    fill(episodes, make_episode(1))
    episodes.erase({"id1"}, 9.0)
    episodes.erase({"id1"}, 9.0)
    assert (tmp_path / "episodes.jsonl").read_text() == '{"erased":"id1","time":9.0}\n'


def damage_nothing(_: Path) -> None:
    """Leave the index as it is."""


def write_garbage(index: Path) -> None:
    index.write_bytes(b"This is no database, it only stands where one stood. " * 100)


def tear(index: Path) -> None:
    index.write_bytes(index.read_bytes()[: index.stat().st_size // 2])


def blot(index: Path) -> None:
    content = bytearray(index.read_bytes())
    content[4096:] = hashlib.shake_256(b"blot").digest(len(content) - 4096)
    index.write_bytes(content)


def age(index: Path) -> None:
    with closing(sqlite3.connect(index, isolation_level=None)) as db:
        db.execute("DROP TABLE texts")
        db.execute(f"PRAGMA user_version = {VERSION - 1}")


def lose_a_column(index: Path) -> None:
    with closing(sqlite3.connect(index, isolation_level=None)) as db:
        db.execute("ALTER TABLE places RENAME COLUMN length TO size")


@pytest.mark.parametrize("damage", [damage_nothing, Path.unlink, write_garbage, tear, blot, age, lose_a_column])
def test_a_damaged_index_or_one_of_another_version_is_rebuilt(
    episodes: Episodes, tmp_path: Path, damage: type[Path]
) -> None:
    fill(episodes, *map(make_episode, range(40)), Episode("task", "ship", Provenance(id="t"), step="task"))
    assert episodes.get("id7") == make_episode(7)
    episodes.close()
    damage(tmp_path / "episodes.index")
    for ask in (
        lambda log: log.get("id7") == make_episode(7),
        lambda log: len([one for one, _ in log.search(["lamp"], 99)]) == 40,
        lambda log: log.frequency(["lamp"]) == ({"lamp": 40}, 40),
        lambda log: [one.detail for one in log.steps()] == ["ship"],
        lambda log: log.erase({"id3"}, 1.0) and log.is_erased("id3"),
    ):
        with closing(Episodes(tmp_path, "never")) as log:
            assert ask(log)
    assert episodes.get("id7") == make_episode(7)


def test_an_index_with_more_episodes_than_the_log_after_a_power_cut_is_rebuilt(tmp_path: Path) -> None:
    path = tmp_path / "episodes.jsonl"
    with closing(Episodes(tmp_path)) as log:
        fill(log, make_episode(1), make_episode(2))
        kept = path.stat().st_size
        fill(log, make_episode(3), make_episode(4))
        assert log.get("id4") == make_episode(4)
    os.truncate(path, kept)
    with closing(Episodes(tmp_path)) as log:
        fill(log, make_episode(5, "the pump stood still"), make_episode(6), make_episode(7))
        assert [bool(log.get(f"id{n}")) for n in range(1, 8)] == [True, True, False, False, True, True, True]
        assert [one.id for one in [one for one, _ in log.search(["pump"], 9)]] == ["id5"]


def test_an_index_that_cannot_be_written_says_where_and_what_to_do(tmp_path: Path) -> None:
    log = Episodes(tmp_path)
    fill(log, make_episode(1))
    (tmp_path / "episodes.index").mkdir()
    with pytest.raises(OSError, match=r"episodes.index: .*; free space or make the folder writable; this file may be"):
        log.get("id1")


def test_a_long_log_is_indexed_a_part_at_a_time_and_wholly(tmp_path: Path) -> None:
    log = Episodes(tmp_path, "never")
    fill(log, *(make_episode(n, f"lamp {n} " + "x" * 9000) for n in range(100)))
    assert (tmp_path / "episodes.jsonl").stat().st_size > 3 * READ_AT_ONCE
    assert log.frequency(["lamp"]) == ({"lamp": 100}, 100)


def test_two_processes_see_the_ids_of_each_other_after_every_append(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from beats import make_episode\n"
        "from memlab.memory.episodes import Episodes\n"
        "episodes = Episodes(Path(sys.argv[1]))\n"
        "for line in sys.stdin:\n"
        "    known = episodes.get(f'ours{line.strip()}') is not None\n"
        "    episodes.append(make_episode(1, id=f'theirs{line.strip()}'))\n"
        "    print(known, flush=True)\n"
    )
    with closing(Episodes(tmp_path)) as episodes:
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )
        assert other.stdin
        assert other.stdout
        for number in range(9):
            assert episodes.get(f"theirs{number}") is None
            episodes.append(make_episode(1, id=f"ours{number}"))
            other.stdin.write(f"{number}\n")
            other.stdin.flush()
            assert other.stdout.readline() == "True\n"
            assert all(episodes.get(f"{who}{one}") for who in ("ours", "theirs") for one in range(number + 1))
        other.stdin.close()
        assert other.wait() == 0
