"""Faults are counted: a careful system loses nothing, and each careless one loses or doubles what it should."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.harness.faults.faults import NotMeasurable, Outcome, run_faults
from memlab.systems.entry import Entry
from memlab.systems.notes import lines_of
from memlab.systems.registry import entry
from memlab.terms import Event, Workspace

FAULTS = (
    *("none, same process", "restart", "kill -9 between writes", "kill -9 within a write"),
    *("file size limit", "two writers", "torn file"),
)


class Careful:
    """Appends whole lines, takes a half one back, and begins with a new line."""

    def __init__(self, workspace: Workspace) -> None:
        self.path = workspace.directory / "notes"
        self.open()
        if self.path.stat().st_size:
            os.write(self.file, b"\n")

    def open(self) -> None:
        self.file = os.open(self.path, os.O_CREAT | os.O_APPEND | os.O_RDWR)

    def observe(self, event: Event) -> None:
        line, size = "".join(f"{one}\n" for one in lines_of(event)).encode(), self.path.stat().st_size
        if os.write(self.file, line) < len(line):
            os.ftruncate(self.file, size)
            raise OSError("the disk is full")

    def recall(self, query: str, k: int = 5) -> list[str]:
        words = set(query.split())
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        return sorted(lines, key=lambda line: -len(words & set(line.split())))[:k]

    def assemble(self, task: str, budget: int) -> str:
        return ""


class Late(Careful):
    """Writes every third time, and what is left when it is deleted."""

    waiting = b""

    def observe(self, event: Event) -> None:
        self.waiting += "".join(f"{one}\n" for one in lines_of(event)).encode()
        if self.waiting.count(b"\n") == 3:
            os.write(self.file, self.waiting)
            self.waiting = b""

    def __del__(self) -> None:
        os.write(self.file, self.waiting)


class Whole(Careful):
    """Writes all it knows from the start, at each write."""

    def open(self) -> None:
        self.path.touch()
        self.known = self.path.read_text(encoding="utf-8").splitlines()

    def __init__(self, workspace: Workspace) -> None:
        self.path = workspace.directory / "notes.json"
        self.known = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else []

    def observe(self, event: Event) -> None:
        self.known += lines_of(event)
        self.path.write_text(json.dumps(self.known), encoding="utf-8")

    def recall(self, query: str, k: int = 5) -> list[str]:
        return [line for line in self.known if set(query.split()[5:6]) <= set(line.split())][:k]


class Twice(Careful):
    """Writes its last line again when it opens."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        for line in self.path.read_bytes().splitlines()[-2:-1]:
            os.write(self.file, line + b"\n")


class InMemory(Careful):
    """Stores nothing."""

    def __init__(self, workspace: Workspace) -> None:
        del workspace
        self.known: list[str] = []

    def observe(self, event: Event) -> None:
        self.known += lines_of(event)

    recall = Whole.recall


class Forgetful(Careful):
    """Cannot answer in a process that did not write."""

    is_new = True

    def observe(self, event: Event) -> None:
        super().observe(event)
        self.is_new = False

    def recall(self, query: str, k: int = 5) -> list[str]:
        if self.is_new:
            raise KeyError("index")
        return super().recall(query, k)


def outcomes(make: Callable[[Workspace], object], seed: int = 0) -> dict[str, Outcome]:
    return {one.fault: one for one in run_faults(Entry("mine", "", "yours", make), seed, 12, 1)}  # type: ignore[arg-type]


def losing(found: dict[str, Outcome]) -> set[str]:
    return {name for name, one in found.items() if one.lost}


def test_a_careful_system_and_the_reference_lose_and_double_nothing_under_any_fault() -> None:
    for found in (outcomes(Careful), outcomes(entry("hybrid").build)):
        assert tuple(found) == FAULTS
        assert not [one for one in found.values() if one.lost or one.doubled]
        assert [one.acknowledged for one in found.values()][:2] == [24, 12]
        assert found["two writers"].acknowledged == 24
    assert outcomes(Careful)["file size limit"].refused == 12


def test_a_system_that_writes_late_loses_in_each_process_that_is_killed() -> None:
    found = outcomes(Late)
    assert {"kill -9 between writes", "kill -9 within a write"} <= losing(found)
    assert found["restart"].lost == []  # twelve writes are four times three


def test_a_system_that_writes_its_file_anew_loses_it_on_a_full_disk_between_two_writers_and_torn() -> None:
    found = outcomes(Whole)
    assert losing(found) >= {"file size limit", "two writers", "torn file"}
    assert found["torn file"].lost == list(range(12))
    assert "Unterminated string" in found["torn file"].error or "Expecting" in found["torn file"].error
    assert found["restart"].lost == found["kill -9 between writes"].lost == []


def test_a_system_that_writes_a_line_again_doubles_it() -> None:
    found = outcomes(Twice)
    assert found["restart"].doubled == [11]
    assert not losing({name: one for name, one in found.items() if name != "file size limit"})


def test_a_system_without_storage_loses_all_at_a_restart() -> None:
    assert outcomes(InMemory)["restart"].lost == list(range(12))


def test_a_question_that_raises_is_a_loss_with_its_reason() -> None:
    found = outcomes(Forgetful)["restart"]
    assert (found.lost, found.error) == (list(range(12)), "a question raised KeyError: 'index'")


def test_a_seed_chooses_the_same_in_each_run() -> None:
    assert outcomes(Late, 3) == outcomes(Late, 3)
    assert outcomes(Late, 3) != outcomes(Late, 4)


def test_a_system_that_finds_nothing_cannot_be_measured() -> None:
    with pytest.raises(NotMeasurable, match=r"null finds none of 24 events"):
        list(run_faults(entry("null"), 0, 12, 1))


def test_the_command_counts_in_the_sandbox_and_fails_for_a_loss(tmp_path: Path) -> None:
    careless = (
        "from memlab import lines_of\n"
        "class Late:\n"
        "    def __init__(self, workspace):\n"
        "        self.file = open(workspace.directory / 'notes', 'a+')\n"
        "    def observe(self, event): self.file.writelines(line + '\\n' for line in lines_of(event))\n"
        "    def recall(self, query, k=5):\n"
        "        self.file.seek(0)\n"
        "        return [line for line in self.file if query.split()[5] in line][:k]\n"
    )
    (tmp_path / "late.py").write_text(careless, encoding="utf-8")
    run = CliRunner().invoke
    done = run(app, ["faults", f"{tmp_path / 'late.py'}:Late", "--writes", "6", "--kills", "1"], env={"COLUMNS": "200"})
    assert done.exit_code == 1, done.output
    assert "kill -9 between writes: lost: w" in done.output
    for words in (["nobody"], ["null"], ["oracle"], [f"{tmp_path / 'late.py'}:Early"]):
        assert run(app, ["faults", *words]).exit_code == 2, words
