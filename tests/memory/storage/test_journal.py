from __future__ import annotations

import errno
import json
import math
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.memory.storage.journal import BLOCK, Journal


def records(journal: Journal) -> list[int]:
    return [record["n"] for _, record in journal.replay()]


def test_an_incomplete_last_line_is_repaired_and_nothing_before_it_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "log"
    journal = Journal(path)
    journal.append({"n": 1})
    with path.open("ab") as file:
        file.write(b'{"n": 2, "det')
    assert records(Journal(path)) == [1]
    Journal(path).append({"n": 3})
    assert records(Journal(path)) == [1, 3]
    assert all(json.loads(line) for line in path.read_bytes().splitlines())


def test_a_last_line_that_lacks_only_its_newline_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"n":1}\n{"n":2}')
    Journal(path).append({"n": 3})
    assert records(Journal(path)) == [1, 2, 3]


def test_a_line_in_the_middle_that_is_no_record_is_never_fatal(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"n":1}\n\xff\xfe garbage\n[]\n{"n":2}\n')
    assert records(Journal(path)) == [1, 2]
    assert [record["n"] for record in Journal(path).backwards()] == [2, 1]


def test_the_last_lines_of_the_same_file_are_searched_for_the_value_of_a_field(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    assert [journal.naming("a", since, journal.identity, 99) for since in ((0, 0), (1, 0))] == [[], None]
    first, other, last = (journal.append(record) for record in ({"id": "a"}, {"of": ["a"]}, {"of": {"id": "a"}}))
    inode, end = last[0], last[1] + last[2]
    assert journal.naming("a", (0, 0), journal.identity, 99) == [(first, {"id": "a"}), (last, {"of": {"id": "a"}})]
    assert journal.naming("a", other[:2], journal.identity, end) == [(last, {"of": {"id": "a"}})]
    assert journal.naming("c", (inode, 0), journal.identity, end) == []
    assert journal.naming("a", (inode, end), journal.identity, 0) == []
    not_searched = [((inode + 1, 0), 99), ((inode, end + 1), 99), ((inode, 0), end - 1)]
    assert [journal.naming("a", since, journal.identity, most) for since, most in not_searched] == [None, None, None]
    assert Journal(tmp_path / "log").naming("a", (inode, 0), (inode, end), 99) is None


@pytest.mark.parametrize("line", ['{"id" : \t "a\\n"}', '{"id":"\\u0061\\n"}', '{"\\u0069d":"a\\n"}'])
def test_a_value_is_searched_for_in_every_spelling(tmp_path: Path, line: str) -> None:
    journal = Journal(tmp_path / "log")
    journal.append({"n": 1})
    with (tmp_path / "log").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert [record for _, record in journal.naming("a\n", (0, 0), journal.identity, 99) or []] == [{"id": "a\n"}]


@pytest.mark.parametrize("size", [1, 7, 400, 3000])
def test_reading_backwards_gives_the_reverse_of_reading_forwards_for_any_line_length(tmp_path: Path, size: int) -> None:
    journal = Journal(tmp_path / "log")
    for n in range(60):
        journal.append({"n": n, "pad": "é" * size})
    assert [record["n"] for record in journal.backwards()] == list(reversed(range(60)))


def test_the_last_records_are_read_without_reading_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(FileIO):
        """A file that notes how many bytes are read."""

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size) or b""
            sizes.append(len(data))
            return data

    sizes = list[int]()
    journal = Journal(tmp_path / "log")
    for n in range(2000):
        journal.append({"n": n, "pad": "x" * 200})
    monkeypatch.setattr(Path, "open", lambda path, _: Watched(path))
    newest = journal.backwards()
    assert [next(newest)["n"] for _ in range(3)] == [1999, 1998, 1997]
    assert 0 < sum(sizes) < 0.1 * journal.identity[1]


def test_append_returns_the_place_of_the_record(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    journal.append({"n": 1})
    place = journal.append({"n": 2})
    assert list(journal.replay(place[1])) == [(place, {"n": 2})]
    assert list(journal.at([place, place])) == [{"n": 2}] * 2


def test_a_place_is_valid_until_its_file_is_rewritten(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    places = [journal.append({"n": n}) for n in range(3)]
    journal.remove(lambda record: record["n"] == 2)
    assert list(journal.at(places)) == []


def test_an_absent_file_has_no_records(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    assert [*journal.replay(), *journal.backwards(), *journal.at([(1, 0, 10)])] == []


def test_a_writer_follows_when_another_has_rewritten_the_file(tmp_path: Path) -> None:
    first, second = Journal(tmp_path / "log"), Journal(tmp_path / "log")
    first.append({"n": 1})
    second.append({"n": 2})
    second.remove(lambda record: record["n"] == 1)
    first.append({"n": 3})
    assert records(second) == [2, 3]


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memlab.memory.storage.journal import Journal\n"
        "j = Journal(Path(sys.argv[1]))\n"
        "for n in range(150): j.append({'n': n, 'by': sys.argv[2], 'pad': 'x' * (n * 7 % 900)})"
    )
    path = tmp_path / "log"
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), str(by)]) for by in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    replayed = [(record["by"], record["n"]) for _, record in Journal(path).replay()]
    assert sorted(replayed) == sorted((str(by), n) for by in range(3) for n in range(150))


def settled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note what is brought to the disk from now on: "file" or "folder"."""
    seen: list[str] = []
    fsync = os.fsync

    def watched(handle: int) -> None:
        seen.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    return seen


def full_disk(_: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_mode_always_syncs_every_record_and_first_the_name_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = settled(monkeypatch)
    journal = Journal(tmp_path / "log", "always")
    for n in range(3):
        journal.append({"n": n})
    assert seen == ["file", "folder", "file", "file"]


def test_mode_batch_syncs_256_records_at_a_time_and_the_rest_on_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = settled(monkeypatch)
    journal = Journal(tmp_path / "log", "batch")
    for n in range(255):
        journal.append({"n": n})
    assert seen == []
    journal.append({"n": 255})
    assert seen == ["file", "folder"]
    journal.append({"n": 256})
    journal.close()
    assert seen == ["file", "folder", "file"]
    journal.close()
    assert len(seen) == 3


def test_mode_never_syncs_no_appends_but_a_rewrite_is_on_the_disk_when_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = settled(monkeypatch)
    journal = Journal(tmp_path / "log", "never")
    for n in range(600):
        journal.append({"n": n})
    journal.close()
    assert seen == []
    journal.remove(lambda record: record["n"] == 3)
    assert seen == ["file", "folder"]


def test_nothing_of_a_record_that_does_not_fit_is_kept_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    journal.append({"n": 1})
    before = journal.path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
    try:
        with pytest.raises(OSError, match=r"nothing of this record was stored; free space .*/log'") as caught:
            journal.append({"n": 2, "pad": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.errno == errno.EFBIG
    assert journal.path.read_bytes() == before
    journal.append({"n": 3})
    assert records(journal) == [1, 3]


def test_a_record_that_could_not_be_synced_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "log", "always")
    journal.append({"n": 1})

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left on device; nothing of this record was stored"):
        journal.append({"n": 2})
    assert records(journal) == [1]


def test_a_rewrite_that_fails_leaves_the_file_as_it_was_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "log")
    journal.append({"n": 1})
    journal.append({"n": 2})

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="the file is unchanged; free space"):
        journal.remove(lambda record: record["n"] == 1)
    assert records(journal) == [1, 2]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".log.lock", "log"]


def test_the_error_for_an_unwritable_file_names_it_and_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(IsADirectoryError, match=r"make the file and its folder writable.*/folder'"):
        Journal(tmp_path / "folder").append({"n": 1})
    with pytest.raises(OSError, match=r"make the folder writable, or choose another.*/file/"):
        Journal(tmp_path / "file" / "log").append({"n": 1})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path, number: float) -> None:
    journal = Journal(tmp_path / "log")
    with pytest.raises(ValueError, match=r"record \{'n': -?(nan|inf)\}.*finite numbers only"):
        journal.append({"n": number})
    assert not journal.path.exists()


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_survives_including_surrogates(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    journal = Journal(tmp_path_factory.mktemp("log") / "log", "never")
    journal.append({text: [text]})
    journal.append({"n": 1})
    assert [record for _, record in journal.replay()] == [{text: [text]}, {"n": 1}]


def test_a_line_that_is_still_being_written_is_left_for_the_next_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Growing(FileIO):
        """A file whose second line is completed just after its first half was read."""

        def __iter__(self) -> Iterator[bytes]:
            return iter([b'{"n":1}\n', b'{"n":2,"pa', b'd":"x"}\n', b'{"n":3}\n'])

    (tmp_path / "log").touch()
    with monkeypatch.context() as growing:
        growing.setattr(Path, "open", lambda path, _: Growing(path))
        assert records(Journal(tmp_path / "log")) == [1]
    (tmp_path / "log").write_bytes(b'{"n":1}\n{"n":2,"pad":"x"}\n{"n":3}\n')
    assert [record["n"] for _, record in Journal(tmp_path / "log").replay(8)] == [2, 3]


def test_a_line_that_is_nested_too_deeply_to_be_read_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"n":1}\n{"n":' + b"[" * 100_000 + b'\n{"n":2} {}\n{"n":3}\n')
    assert records(Journal(path)) == [1, 3]


def test_removing_nothing_touches_nothing_and_removing_one_keeps_the_other_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{ "n": 1 }\n{"n":2}\n{"n":3,  "x":1.50}')
    path.chmod(0o600)
    journal = Journal(path)
    before = journal.identity
    journal.remove(lambda _: False)
    assert journal.identity == before
    journal.remove(lambda record: record["n"] == 2)
    assert path.read_bytes() == b'{ "n": 1 }\n{"n":3,  "x":1.50}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "tail", [b'{"n": 2, "det', b'{"n":2}', b'{"n": 2, "det": "' + b"x" * 3 * BLOCK, b"{" + b"x" * BLOCK]
)
def test_append_returns_the_place_of_the_record_after_a_repair(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "log"
    for before in (b"", b'{"n":0}\n' + b'{"n":1}\n' * 3):
        path.write_bytes(before + tail)
        journal = Journal(path)
        _, offset, _ = journal.append({"n": 3})
        assert path.read_bytes()[offset:] == b'{"n":3}\n'
        assert path.read_bytes()[:offset] == before + (tail + b"\n" if tail.endswith(b"}") else b"")


def test_a_linked_file_is_rewritten_where_the_link_leads_and_nothing_of_the_old_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "log.jsonl"
    (tmp_path / "linked.jsonl").symlink_to(target)
    journal = Journal(tmp_path / "linked.jsonl")
    journal.append({"id": "a"})
    journal.append({"id": "secret"})
    journal.remove(lambda record: record["id"] == "secret")
    journal.append({"id": "b"})
    journal.close()
    assert journal.path.is_symlink()
    assert target.read_bytes() == b'{"id":"a"}\n{"id":"b"}\n'
    assert list(target.parent.iterdir()) == [target]
