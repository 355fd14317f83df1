from __future__ import annotations

import os
import signal
from dataclasses import replace
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from memlab.grading.course.grade_log import GRADES, Entry, GradeLog
from memlab.grading.course.run import Run, RunRefused, lock_folder
from memlab.grading.grade import Grade, Mark, Reason

RUN = Run("07", "r", "s", "", ("trust",), 7, "bubblewrap", "0.1.0", "6.1", "3.11.7", "3.11.2")
REASON = Reason("rules/read-every-turn", "Rules are read every turn.", "rules() returned [], expected é", ("rules()",))
MARK = Mark("rules", "The rules", 1 / 3, 4.0, 1, 3, visible=False, reasons=(REASON,))
ADA = Entry(Grade("ada.py", "ada.py", "d1", "ok", marks=(MARK,), seconds=0.25), RUN)
BO = Entry(Grade("bo\udcff.py", "bo", "d2", "timeout", "loading it did not return"), RUN)


def write_journal(folder: Path, *entries: Entry) -> Path:
    journal = GradeLog(folder)
    for one in entries:
        journal.add(one)
    journal.close()
    return folder / GRADES


def lock_folder_in_process(folder: Path, connection: Connection, *, keep: bool = False) -> None:
    """Lock a folder, report it, and with `keep` hold the lock until this process is killed."""
    try:
        with lock_folder(folder):
            connection.send("locked")
            if keep:
                signal.pause()
    except RunRefused as error:
        connection.send(f"{error}")


def second_run(folder: Path) -> str:
    near, far = Pipe()
    process = Process(target=lock_folder_in_process, args=(folder, far))
    process.start()
    process.join()
    return f"{near.recv()}"


def test_a_grade_is_read_back_unchanged(tmp_path: Path) -> None:
    write_journal(tmp_path, ADA, BO)
    assert list(GradeLog(tmp_path)) == [ADA, BO]


def test_an_added_grade_is_on_the_disk_at_once(tmp_path: Path) -> None:
    journal = GradeLog(tmp_path)
    for number in range(3):
        journal.add(replace_name(ADA, f"{number}.py"))
        assert (tmp_path / GRADES).read_bytes().count(b"\n") == number + 1


@pytest.mark.parametrize("cut", [1, 40])
def test_a_torn_last_line_is_skipped_and_the_next_grade_starts_a_new_line(tmp_path: Path, cut: int) -> None:
    path = write_journal(tmp_path, ADA, replace_name(ADA, "torn.py"))
    os.truncate(path, path.stat().st_size - cut)
    torn = [] if cut > 1 else [replace_name(ADA, "torn.py")]  # only the end of its line is missing
    assert list(GradeLog(tmp_path)) == [ADA, *torn]
    write_journal(tmp_path, BO)
    assert list(GradeLog(tmp_path)) == [ADA, *torn, BO]


@pytest.mark.parametrize("line", ["not json", "[]", "{}", '{"submission": "ada.py", "status": "ok"}', '{"run": 1}'])
def test_a_line_that_is_not_a_grade_is_skipped(tmp_path: Path, line: str) -> None:
    path = write_journal(tmp_path, ADA)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")
    write_journal(tmp_path, BO)
    assert list(GradeLog(tmp_path)) == [ADA, BO]


def test_a_full_disk_keeps_the_earlier_grades(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = GradeLog(tmp_path)
    journal.add(ADA)
    write = os.write
    monkeypatch.setattr(
        os, "write", lambda handle, line: raise_disk_full() if len(line) < 100 else write(handle, line[:100])
    )
    with pytest.raises(OSError, match="No space left"):
        journal.add(BO)
    monkeypatch.undo()
    assert list(GradeLog(tmp_path)) == [ADA]
    journal.add(BO)
    assert list(GradeLog(tmp_path)) == [ADA, BO]


def test_a_compacted_journal_contains_only_the_entries_to_keep(tmp_path: Path) -> None:
    path = write_journal(tmp_path, BO, ADA, BO)
    GradeLog(tmp_path).settle(iter([ADA, BO]))
    assert [one.grade for one in GradeLog(tmp_path)] == [ADA.grade, BO.grade]
    assert [one.name for one in tmp_path.iterdir() if not one.name.endswith(".lock")] == [path.name]


def test_an_entry_is_found_at_its_position_even_after_torn_lines(tmp_path: Path) -> None:
    path = write_journal(tmp_path, ADA)
    with path.open("a", encoding="utf-8") as stream:
        stream.write("é torn\n")
    write_journal(tmp_path, BO, ADA)
    journal = GradeLog(tmp_path)
    assert [journal.at(place) for place, _ in journal.placed()] == [ADA, BO, ADA]


def test_a_brief_entry_omits_only_the_text_of_its_reasons() -> None:
    (mark,) = ADA.brief().grade.marks
    assert (mark.points, mark.max_points, [one.name for one in mark.reasons]) == (
        1 / 3,
        4.0,
        ["rules/read-every-turn"],
    )
    assert "expected" not in repr(ADA.brief())


def test_the_journal_separates_the_grades_of_the_gradebook_from_later_ones(tmp_path: Path) -> None:
    write_journal(tmp_path, ADA)
    GradeLog(tmp_path).settle([ADA])
    write_journal(tmp_path, BO)
    assert [one.in_gradebook for one in GradeLog(tmp_path)] == [True, False]


def test_a_second_run_in_the_same_folder_is_refused_until_the_first_one_ends(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        assert "another run is writing to it" in second_run(tmp_path)
    assert second_run(tmp_path) == "locked"


def test_a_killed_run_releases_its_folder(tmp_path: Path) -> None:
    near, far = Pipe()
    first = Process(target=lock_folder_in_process, args=(tmp_path, far), kwargs={"keep": True})
    first.start()
    assert near.recv() == "locked"
    assert "another run" in second_run(tmp_path)
    first.kill()
    first.join()
    assert second_run(tmp_path) == "locked"


def replace_name(entry: Entry, name: str) -> Entry:
    return entry._replace(grade=replace(entry.grade, submission=name))


def raise_disk_full() -> int:
    raise OSError(28, "No space left on device")


def test_a_folder_that_cannot_be_created_raises_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "grades").write_text("a file", encoding="utf-8")
    with pytest.raises(FileExistsError), lock_folder(tmp_path / "grades"):
        raise RunRefused("never reached")
