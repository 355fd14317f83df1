from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import memlab
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.systems.entry import UnknownSystem

WEEK = "recall/first-week"
OWN = """
class Own:
    def __init__(self):
        self.lines = []
    def observe(self, event):
        self.lines.append(event.text)
    def recall(self, query, k=5):
        return self.lines[:k]
"""


class Own:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def observe(self, event: memlab.Event) -> None:
        self.lines.append(event.text)

    async def recall(self, query: str, k: int = 5) -> list[str]:
        return self.lines[:k]


class Failing:
    def observe(self, event: memlab.Event) -> None:
        raise KeyError(event.id)

    def assemble(self, task: str, budget: int) -> str:
        return ""


def test_a_class_runs_in_this_process_and_the_results_and_a_warning_say_so() -> None:
    with pytest.warns(UserWarning, match="Own runs in this process, without a sandbox"):
        results = memlab.play(WEEK, [Own, "null"])
    assert results.systems == ["Own", "null"]
    assert {one.isolation for one in results if one.system == "Own"} == {"none, in memlab's process"}
    assert any(one.items for one in results if one.system == "Own")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_errors_of_a_class_are_results_with_its_own_line() -> None:
    results = memlab.play(WEEK, Failing)
    assert all("observe() of 'Failing' raised KeyError" in one.error for one in results)
    assert all("test_comparing.py, line " in one.error for one in results)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_class_and_the_same_class_in_a_file_give_the_same_answers(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    results = memlab.play(WEEK, [Own, f"{tmp_path / 'own.py'}:Own"])
    ours, theirs = ([one.items for one in results if one.system == system] for system in results.systems)
    assert ours == theirs


def test_a_loaded_scenario_is_run_as_it_is_and_has_its_own_seed_and_attack() -> None:
    loaded = select(load_all([library()]), WEEK)[0].sample(3)
    found, by_id = memlab.play(loaded, "bucket-search"), memlab.play(WEEK, "bucket-search", 3)
    assert [(one.key, one.items) for one in found] == [(one.key, one.items) for one in by_id]
    with pytest.raises(ValueError, match="seed = 3, attack = '': a loaded scenario has both"):
        memlab.play(loaded, "null", 3)


def test_a_system_does_not_see_the_folder_of_the_scenario_that_it_plays(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "recall"
    folder.mkdir(parents=True)
    file = folder / "first-week.yaml"
    file.write_text((library() / "recall" / file.name).read_text(encoding="utf-8"), encoding="utf-8")
    look = f"[str(__import__('os').path.exists({str(file)!r}))]"
    (tmp_path / "own.py").write_text(OWN.replace("self.lines[:k]", look), encoding="utf-8")
    results = memlab.play(WEEK, f"{tmp_path / 'own.py'}:Own", folder=tmp_path / "mine")
    assert {one.items for one in results if one.key.verb == "recall"} == {("False",)}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_class_that_cannot_be_named_or_shared_between_processes_is_refused() -> None:
    with pytest.raises(UnknownSystem, match="is no class or function with a name"):
        memlab.play(WEEK, partial(Own))
    with pytest.raises(ValueError, match=r"Own is a class of this process\. Give FILE:CLASS, or jobs = 1"):
        memlab.compare(Own, WEEK, 1, jobs=2)
    with pytest.raises(UnknownSystem, match="memlab has a system 'null'"):
        memlab.play(WEEK, type("null", (Own,), {}))


def test_a_comparison_is_that_of_the_command_line(tmp_path: Path) -> None:
    results = memlab.compare(["bucket-search", "null"], [WEEK], 2, out=tmp_path)
    assert {one.key.seed for one in results if one.system == "bucket-search"} == {0, 1}
    assert all(one.key.noise and one.key.labels in {"none", "subjects"} for one in results)
    assert list(memlab.read(tmp_path)) == list(results)


def test_an_executor_plays_a_run_that_reports_its_progress_and_resume_finishes_it(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(1) as executor:
        whole = memlab.compare("null", WEEK, 2, jobs=executor, out=tmp_path, progress=lambda *now: seen.append(now))
    assert seen == [(done, len(seen) - 1) for done in range(len(seen))]
    file = tmp_path / "results.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    finished = memlab.compare("null", WEEK, 2, out=tmp_path, resume=True)
    assert [(one.key, one.items) for one in finished] == [(one.key, one.items) for one in whole]
    assert not (tmp_path / "previous.jsonl").exists()


def test_an_error_of_the_first_call_of_progress_ends_the_run_before_anything_is_written(tmp_path: Path) -> None:
    def refuse(finished: int, total: int) -> None:
        raise KeyError(finished, total)

    with pytest.raises(KeyError):
        memlab.compare("null", WEEK, 1, out=tmp_path / "new", progress=refuse)
    assert not (tmp_path / "new").exists()


def test_a_group_is_its_systems_and_an_attack_on_nothing_starts_no_run() -> None:
    assert memlab.compare("lab", WEEK, 1).systems == ["lab06", "lab07"]
    with pytest.raises(BadScenario, match="revive applies to none of these scenarios"):
        memlab.compare("null", WEEK, 1, attacks="revive")


def test_what_is_unknown_is_named() -> None:
    with pytest.raises(BadScenario, match="no scenario or family is called 'recal'"):
        memlab.compare("null", "recal")
    with pytest.raises(UnknownSystem, match="Did you mean 'null'"):
        memlab.compare("nul", WEEK)
    with pytest.raises(ValueError, match="seeds = 0"):
        memlab.compare("null", WEEK, 0)


def test_scenarios_and_systems_are_listed_by_name() -> None:
    assert list(memlab.scenarios("recall/first-*")) == [WEEK]
    assert set(memlab.scenarios("stale")) < set(memlab.scenarios())
    assert "hybrid" in memlab.list_systems()
