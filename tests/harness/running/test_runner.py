from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memlab.harness.comparison import FEW_SEEDS, Comparison
from memlab.harness.running.results import read_results
from memlab.harness.running.runner import play
from memlab.harness.running.workers import Round, run
from memlab.harness.scenarios.loading import load
from memlab.harness.scoring.metrics import METRICS
from memlab.memory.text import Refused
from memlab.systems.entry import Entry
from memlab.systems.registry import entry
from memlab.terms import Event, Memory, Result, Workspace

Write = Callable[[str], Path]
TIMELINE = """\
world: {files: {a.sh: x}, env: {MEMLAB_TEST: "on"}}
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - world: {move: {a.sh: b.sh}}
  - restart: crash
  - probe: {id: what, recall: what is the first thing, k: 2, expect: [one]}
  - probe: {id: make, assemble: use the first thing, budget: 10, keep: [one]}
"""


class Plain:
    """Keeps every text in a file, and serves all of them."""

    def __init__(self, workspace: Workspace) -> None:
        self.file = workspace.directory / "notes"

    def observe(self, event: Event) -> None:
        with self.file.open("a", encoding="utf-8") as notes:
            notes.write(event.text + "\n")

    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        return self.file.read_text(encoding="utf-8").splitlines()[:k]

    def assemble(self, task: str, budget: int) -> str:
        return self.file.read_text(encoding="utf-8")[: budget * 4]


class Raises(Plain):
    def observe(self, event: Event) -> None:
        raise LookupError(f"no place for {event.kind}")


class Refuses(Plain):
    def observe(self, event: Event) -> None:
        super().observe(event)
        raise Refused("never again")


class Declines(Plain):
    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        raise Refused("not that question")


class Greedy(Plain):
    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        return ["x"] * (k + 3)

    def assemble(self, task: str, budget: int) -> str:
        return "x" * 10_000_000


class ReturnsNone(Plain):
    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        return None  # type: ignore[return-value] # what a careless system does


class Wanders(Plain):
    def observe(self, event: Event) -> None:
        super().observe(event)
        os.chdir("/")


class Destroys(Plain):
    def observe(self, event: Event) -> None:
        shutil.rmtree(Path.cwd())


class Obstructs(Plain):
    def observe(self, event: Event) -> None:
        Path("b.sh").mkdir()


class Squats(Plain):
    """Takes the place that the next system would live in, if it could be guessed."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        for number in range(3):
            (workspace.directory.parent.parent / str(number) / "root").mkdir(parents=True, exist_ok=True)


class Looks(Plain):
    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        return [f"{Path('a.sh').exists()} {Path('b.sh').exists()} {os.environ.get('MEMLAB_TEST')}"]


def run_system(write: Write, system: type[Plain]) -> list[Result]:
    scenario = load(write(TIMELINE)).sample(0)
    return next(iter(play(scenario, [Entry(system.__name__.lower(), "", "yours", system)])))


def test_a_system_answers_after_a_crash_from_what_it_wrote(write: Write) -> None:
    results = run_system(write, Plain)
    assert [METRICS["passes"](one) for one in results] == [1, 1]
    assert [one.error for one in results] == ["", ""]


def test_a_system_that_raises_is_an_error_at_every_probe_and_never_a_pass(write: Write) -> None:
    results = run_system(write, Raises)
    assert [METRICS["passes"](one) for one in results] == [0, 0]
    assert all("observe() of 'raises' raised LookupError: no place for turn" in one.error for one in results)


def test_a_refusal_does_not_count_as_an_error(write: Write) -> None:
    assert [METRICS["passes"](one) for one in run_system(write, Refuses)] == [1, 1]


def test_a_declined_question_has_no_answer_and_the_next_one_follows(write: Write) -> None:
    recall, assemble = run_system(write, Declines)
    assert (recall.items, recall.notes, recall.error) == ((), ("not that question",), "")
    assert [METRICS["passes"](one) for one in (recall, assemble)] == [0, 1]


def test_an_answer_over_k_or_the_budget_is_cut_before_scoring_and_recorded_as_a_violation(write: Write) -> None:
    recall, assemble = run_system(write, Greedy)
    assert (len(recall.items), recall.broke) == (2, ("k",))
    assert (assemble.items, assemble.broke) == (("x" * 40,), ("budget",))


def test_an_invalid_answer_is_an_error_that_names_the_valid_type(write: Write) -> None:
    assert "recall() of 'returnsnone' returned None; it must return a list" in run_system(write, ReturnsNone)[0].error


def test_a_system_that_changes_its_folder_is_moved_back_to_the_root(write: Write) -> None:
    before = Path.cwd()
    results = run_system(write, Wanders)
    assert [METRICS["passes"](one) for one in results] == [1, 1]
    assert Path.cwd() == before


@pytest.mark.parametrize(
    ("system", "says"), [(Destroys, "removed the world's root"), (Obstructs, "a change of the world")]
)
def test_a_system_that_breaks_its_world_costs_its_own_cell_alone(write: Write, system: type[Plain], says: str) -> None:
    results = run_system(write, system)
    assert [METRICS["passes"](one) for one in results] == [0, 0]
    assert all(says in one.error for one in results)
    assert [METRICS["passes"](one) for one in run_system(write, Plain)] == [1, 1]


def test_a_system_cannot_take_the_place_of_the_next_one(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cells").mkdir()
    monkeypatch.setattr("memlab.sandbox.folders.workspaces_folder", lambda: str(tmp_path / "cells"))
    entries = [Entry("squats", "", "yours", Squats), Entry("plain", "", "yours", Plain)]
    _, after = play(load(write(TIMELINE)).sample(0), entries)
    assert [METRICS["passes"](one) for one in after] == [1, 1]
    assert list((tmp_path / "cells").iterdir()) == []


def test_the_world_exists_on_disk_where_a_system_looks(write: Write) -> None:
    assert run_system(write, Looks)[0].items == ("False True on",)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_comparison_writes_every_cell_in_the_same_order_whatever_the_jobs(
    write: Write, tmp_path: Path, jobs: int
) -> None:
    names = ("null", "bucket-recent", "oracle")
    comparison = Comparison([load(write(TIMELINE))], [entry(name) for name in names], seeds=FEW_SEEDS + 1, jobs=jobs)
    cells = list(comparison.play(tmp_path / "results.jsonl"))
    planned = [(seed, name) for seed in range(FEW_SEEDS) for name in names] + [(FEW_SEEDS, "bucket-recent")]
    assert len(cells) == comparison.cells() == len(planned)
    stored = read_results(tmp_path / "results.jsonl")
    assert [(one.key.seed, one.system) for one in stored[::2]] == planned
    assert stored == [result for cell in cells for result in cell]


def test_rounds_give_the_same_answers_in_this_process_and_in_others(write: Write) -> None:
    rounds = [Round(load(write(TIMELINE)), seed, ("bucket-search", "hybrid")) for seed in range(2)]
    here, there = ([[one.items for one in cell] for cell in run(rounds, jobs, lambda _: None)] for jobs in (1, 2))
    assert here == there


class CannotErase(Plain):
    cannot = ("erase",)

    def observe(self, event: Event) -> None:
        assert event.kind != "erase"
        super().observe(event)


ERASED = """\
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - turn: {id: two, text: "the second thing is blue", needles: [blue]}
  - erase: {events: [one]}
  - probe: {id: gone, recall: what is the first thing, k: 2, expect: [two], forbid: {one: {why: erased}}}
  - probe: {id: kept, recall: what is the second thing, k: 2, expect: [two]}
"""


def test_a_probe_that_needs_what_a_system_cannot_do_is_not_applicable(write: Write) -> None:
    scenario = load(write(ERASED)).sample(0)
    (cell,) = play(scenario, [Entry("mine", "", "yours", CannotErase)])
    gone, kept = cell
    assert gone.not_applicable == "'mine' declares that it cannot erase"
    assert gone.items == ()
    assert all(math.isnan(metric(gone)) for metric in METRICS.values())
    assert (kept.not_applicable, kept.error, METRICS["passes"](kept)) == ("", "", 1)


def test_an_error_is_never_not_applicable(write: Write) -> None:
    class Broken(CannotErase):
        def observe(self, event: Event) -> None:
            raise LookupError("no place")

    (cell,) = play(load(write(ERASED)).sample(0), [Entry("mine", "", "yours", Broken)])
    assert [(one.not_applicable, METRICS["passes"](one)) for one in cell] == [("", 0), ("", 0)]


def test_the_time_of_one_event_is_measured(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    class Slow(Plain):
        def observe(self, event: Event) -> None:
            now[0] += 0.25
            super().observe(event)

    (cell,) = play(load(write(ERASED)).sample(0), [Entry("mine", "", "yours", Slow)])
    assert {one.observe_seconds for one in cell} == {0.25}
