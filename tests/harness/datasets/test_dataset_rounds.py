from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from data_files import write_data

from memlab.harness.datasets.catalogue import load
from memlab.harness.datasets.judging import LISTED
from memlab.harness.datasets.rounds import ConversationRound
from memlab.harness.running.results import read_results
from memlab.harness.running.saved_run import play_to_file
from memlab.terms import Result

BROKEN = '''
class Broken:
    """Fails at the third event."""
    def __init__(self, workspace):
        self.seen = 0
    def observe(self, event):
        self.seen += 1
        if self.seen == 3:
            raise ValueError("no more room")
    def recall(self, query, k=5):
        return []
'''
LISTENER = '''
class Listener:
    """Serves what it was asked for and what it saw of each event."""
    def __init__(self, workspace):
        self.workspace, self.lines = workspace, []
    def observe(self, event):
        self.lines.append(f"{event.kind} {event.source} {event.about} {event.session} {self.workspace.clock():.0f}")
    def recall(self, query, k=5):
        return [f"{query} {k}", *self.lines][:k]
'''


def timeless(results: list[Result]) -> list[Result]:
    return [replace(one, seconds=0.0, observe_seconds=0.0) for one in results]


def rounds(tmp_path: Path, *systems: str, name: str = "locomo") -> list[ConversationRound]:
    return [ConversationRound(name, one, systems) for one in load(name, write_data(tmp_path, name))]


def run(planned: list[ConversationRound], path: Path, jobs: int = 1) -> list[Result]:
    with closing(play_to_file(planned, jobs, path, {})) as cells:
        return [result for cell in cells for result in cell]


def test_a_system_observes_every_event_without_labels_and_is_asked_every_question_in_order(tmp_path: Path) -> None:
    (file := tmp_path / "listener.py").write_text(LISTENER, encoding="utf-8")
    found = run(rounds(tmp_path, f"{file}:Listener"), tmp_path / "results.jsonl")
    assert not [one.error for one in found if one.error]
    assert [one.items[0] for one in found] == [f"{one.key.query} {LISTED}" for one in found]
    assert found[0].items[1] == "turn user  s1 1683554160"
    assert len(found[0].items) == 1 + 4


def test_the_error_of_a_system_is_in_each_of_its_results_and_the_others_are_played(tmp_path: Path) -> None:
    (file := tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    found = run(rounds(tmp_path, f"{file}:Broken", "bucket-search"), tmp_path / "results.jsonl")
    errors = [one.error for one in found if one.system.endswith("Broken")]
    assert len(errors) == 4
    assert all("no more room" in error for error in errors)
    assert not [one for one in found if one.system == "bucket-search" and (one.error or not one.items)]


def test_two_processes_write_the_results_that_one_writes(tmp_path: Path) -> None:
    planned = rounds(tmp_path, "bucket-search", "hybrid", name="poisonedrag")
    one = run(planned, tmp_path / "one.jsonl")
    two = run(planned, tmp_path / "two.jsonl", jobs=2)
    assert timeless(one) == timeless(two)


@pytest.mark.parametrize("name", ["locomo", "beam", "longmemeval", "factconsolidation", "poisonedrag", "memshield"])
def test_the_results_file_holds_everything_that_judging_needs(name: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    assert run(rounds(tmp_path, "bucket-search", "hybrid", name=name), path) == read_results(path)


def test_a_cell_whose_process_died_is_an_error_at_every_question(tmp_path: Path) -> None:
    (planned,) = rounds(tmp_path, "null")
    assert [one.error for one in planned.lost(0, "killed")] == ["killed"] * 4
    assert [one.key for one in planned.lost(0, "killed")] == planned.answer_keys()
