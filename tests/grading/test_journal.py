from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.grading.grade import Grade, Mark, Reason
from memlab.grading.journal import GRADES, Entry, Journal
from memlab.grading.run import Refused, Run, alone

RUN = Run("07", "r", "s", "", ("trust",), 7, "bubblewrap", "0.1.0", "6.1", "3.11.7", "3.11.2")
REASON = Reason("rules/read-every-turn", "Rules are read every turn.", "rules() returned [], expected é", ("rules()",))
MARK = Mark("rules", "The rules", 1 / 3, 4.0, 1, 3, visible=False, reasons=(REASON,))
ADA = Entry(Grade("ada.py", "ada.py", "d1", "ok", marks=(MARK,), seconds=0.25), RUN)
BO = Entry(Grade("bo\udcff.py", "bo", "d2", "timeout", "loading it did not return"), RUN)
SECOND_RUN = """
import sys
from pathlib import Path
from memlab.grading.run import Refused, alone
try:
    with alone(Path(sys.argv[1])):
        print("graded")
except Refused as error:
    print(error)
"""


def filled(folder: Path, *entries: Entry) -> Path:
    journal = Journal(folder)
    for one in entries:
        journal.add(one)
    journal.close()
    return folder / GRADES


def second_run(folder: Path) -> str:
    command = [sys.executable, "-c", SECOND_RUN, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_grade_is_read_as_it_was_written(tmp_path: Path) -> None:
    filled(tmp_path, ADA, BO)
    assert list(Journal(tmp_path)) == [ADA, BO]


def test_a_grade_is_on_the_disk_when_it_was_added(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for number in range(3):
        journal.add(replace_name(ADA, f"{number}.py"))
        assert (tmp_path / GRADES).read_bytes().count(b"\n") == number + 1


@pytest.mark.parametrize("cut", [1, 40])
def test_a_torn_last_line_is_passed_over_and_the_next_grade_has_a_line_of_its_own(tmp_path: Path, cut: int) -> None:
    path = filled(tmp_path, ADA, replace_name(ADA, "torn.py"))
    os.truncate(path, path.stat().st_size - cut)
    torn = [] if cut > 1 else [replace_name(ADA, "torn.py")]  # which lacks nothing but the end of its line
    assert list(Journal(tmp_path)) == [ADA, *torn]
    filled(tmp_path, BO)
    assert list(Journal(tmp_path)) == [ADA, *torn, BO]


@pytest.mark.parametrize("line", ["not json", "[]", "{}", '{"submission": "ada.py", "status": "ok"}', '{"run": 1}'])
def test_a_line_that_is_no_grade_is_passed_over(tmp_path: Path, line: str) -> None:
    path = filled(tmp_path, ADA)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")
    filled(tmp_path, BO)
    assert list(Journal(tmp_path)) == [ADA, BO]


def test_a_disk_that_is_full_keeps_what_was_graded_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.add(ADA)
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, line: full() if len(line) < 100 else write(handle, line[:100]))
    with pytest.raises(OSError, match="No space left"):
        journal.add(BO)
    monkeypatch.undo()
    assert list(Journal(tmp_path)) == [ADA]
    journal.add(BO)
    assert list(Journal(tmp_path)) == [ADA, BO]


def test_a_settled_journal_holds_one_line_for_each_and_does_not_tell_their_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, entries in ((first, [ADA, BO]), (second, [BO, BO, ADA])):
        folder.mkdir()
        filled(folder, *entries)
        Journal(folder).settle(dict.fromkeys(entries))
    assert (first / GRADES).read_bytes() == (second / GRADES).read_bytes()
    assert [one.grade for one in Journal(first)] == [ADA.grade, BO.grade]


def test_what_a_gradebook_tells_is_known_from_what_was_graded_since(tmp_path: Path) -> None:
    filled(tmp_path, ADA)
    Journal(tmp_path).settle([ADA])
    filled(tmp_path, BO)
    assert [one.told for one in Journal(tmp_path)] == [True, False]


def test_a_second_run_into_the_same_folder_is_refused_until_the_first_is_over(tmp_path: Path) -> None:
    with alone(tmp_path):
        assert "another run is grading into it" in second_run(tmp_path)
    assert second_run(tmp_path) == "graded\n"


def test_a_killed_run_leaves_its_folder_to_the_next(tmp_path: Path) -> None:
    holds = SECOND_RUN.replace('print("graded")', "print('has it', flush=True); sys.stdin.read()")
    command = [sys.executable, "-c", holds, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "has it\n"
        assert "another run" in second_run(tmp_path)
        first.kill()
        first.wait()
        assert second_run(tmp_path) == "graded\n"


def replace_name(entry: Entry, name: str) -> Entry:
    return entry._replace(grade=replace(entry.grade, submission=name))


def full() -> int:
    raise OSError(28, "No space left on device")


def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "grades").write_text("a file", encoding="utf-8")
    with pytest.raises(FileExistsError), alone(tmp_path / "grades"):
        raise Refused("never reached")
