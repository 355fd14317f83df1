from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.memory.journal import Journal


def records(journal: Journal) -> list[int]:
    return [record["n"] for _, _, record in journal.replay()]


def test_a_torn_last_line_is_repaired_and_nothing_before_it_is_lost(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("size", [1, 7, 400, 3000])
def test_reading_backwards_is_reading_forwards_reversed_whatever_the_line_length(tmp_path: Path, size: int) -> None:
    journal = Journal(tmp_path / "log")
    for n in range(60):
        journal.append({"n": n, "pad": "é" * size})
    assert [record["n"] for record in journal.backwards()] == list(reversed(range(60)))


def test_the_last_records_are_read_without_reading_the_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    for n in range(2000):
        journal.append({"n": n, "pad": "x" * 200})
    newest = journal.backwards()
    assert [next(newest)["n"] for _ in range(3)] == [1999, 1998, 1997]
    newest.close()  # type: ignore[attr-defined]


def test_a_record_stands_at_the_offset_that_append_gave(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log")
    journal.append({"n": 1})
    offset = journal.append({"n": 2})
    assert [record["n"] for start, _, record in journal.replay(offset) if start == offset] == [2]


def test_a_writer_follows_when_another_has_rewritten_the_file(tmp_path: Path) -> None:
    first, second = Journal(tmp_path / "log"), Journal(tmp_path / "log")
    first.append({"n": 1})
    second.append({"n": 2})
    second.rewrite(lambda record: None if record["n"] == 1 else record)
    first.append({"n": 3})
    assert records(second) == [2, 3]


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memlab.memory.journal import Journal\n"
        "j = Journal(Path(sys.argv[1]))\n"
        "for n in range(150): j.append({'n': n, 'by': sys.argv[2], 'pad': 'x' * (n * 7 % 900)})"
    )
    path = tmp_path / "log"
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), str(by)]) for by in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    told = [(record["by"], record["n"]) for _, _, record in Journal(path).replay()]
    assert sorted(told) == sorted((str(by), n) for by in range(3) for n in range(150))
