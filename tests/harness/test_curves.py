from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from memlab.harness.check.case import Case
from memlab.harness.check.static import static_errors
from memlab.harness.curves import BUDGETS, CurveRound, Curves, Point, StretchedTemplate, TimedCell, load_curves
from memlab.harness.running.workspace import ScenarioEnvironment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.context import count_tokens
from memlab.memory.text import fold
from memlab.systems.degenerate.baselines import Null
from memlab.systems.entry import Entry
from memlab.systems.oracle import minimal_context
from memlab.systems.registry import entries, entry
from memlab.terms import Event, Probe, Scenario

SHORT = (10, 30)
NAMES = ("oracle", "null", "pins-only", "bucket-recent", "bucket-search", "hybrid")
LIVES = load_curves()
NOISE = {"episode", "tool", "turn"}


def lived(
    tmp_path: Path, names: tuple[str, ...] = NAMES, histories: tuple[int, ...] = SHORT, jobs: int = 1
) -> list[Point]:
    curves = Curves([entry(name) for name in names], histories, BUDGETS, jobs=jobs)
    return [point for cell in curves.play(tmp_path / "curves.csv") for point in cell]


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[Point]:
    return lived(tmp_path_factory.mktemp("curves"))


def of(points: list[Point], system: str) -> list[Point]:
    found = [point for point in points if point.system == system]
    assert len(found) == len(LIVES) * len(SHORT) * len(BUDGETS) * 3
    return found


def events(scenario: Scenario) -> Iterator[Event]:
    return (step for step in scenario.timeline if isinstance(step, Event))


def filler(scenario: Scenario) -> list[Event]:
    stating = {one for claim in scenario.claims.values() for one in claim.events}
    return [event for event in events(scenario) if event.kind in NOISE and event.id not in stating]


@pytest.mark.parametrize("life", LIVES, ids=lambda one: str(one.file.id))
@pytest.mark.parametrize("history", [1, 7, 10, 1_000])
def test_a_life_has_one_distinct_episode_for_each_place_of_its_history(life: StretchedTemplate, history: int) -> None:
    fillers = filler(life.sample_with_history(0, history, BUDGETS))
    assert len(fillers) == len({event.text for event in fillers}) == history


@pytest.mark.parametrize("life", LIVES, ids=lambda one: str(one.file.id))
def test_the_evidence_is_early_midway_and_late_in_a_history_of_any_length(life: StretchedTemplate) -> None:
    for history in (10, 1_000):
        scenario = life.sample_with_history(0, history, (100,))
        noise = {event.id for event in filler(scenario)}
        is_filler = [event.id in noise for event in events(scenario)]
        places = [
            sum(is_filler[:place]) / history for place, event in enumerate(events(scenario)) if event.id not in noise
        ]
        stated = {event.id: place for event, place in zip(_rest(scenario, noise), places, strict=True)}
        ages = [
            [stated[scenario.claims[name].events[0]] for name in key.expect or ()]
            for key in answer_keys(scenario).values()
        ]
        assert ages == [[0, 0], [0.5, 0.5], [0.9, 1]]


def _rest(scenario: Scenario, noise: set[str]) -> list[Event]:
    return [event for event in events(scenario) if event.id not in noise]


@pytest.mark.parametrize("life", LIVES, ids=lambda one: str(one.file.id))
def test_only_the_evidence_contains_the_answer(life: StretchedTemplate) -> None:
    for seed in range(10):
        assert list(static_errors(Case(life, life.sample(seed)))) == []
        scenario = life.sample_with_history(seed, 200, (100,))
        known = ClaimMatcher({name: claim.needles for name, claim in scenario.claims.items()})
        assert not [one for event in filler(scenario) for one in known.needles_in(fold(event.text))]


@pytest.mark.parametrize("life", LIVES, ids=lambda one: str(one.file.id))
def test_the_smallest_budget_holds_the_task_and_the_answer_to_one_question(life: StretchedTemplate) -> None:
    for seed in range(5):
        assert (
            max(
                count_tokens(minimal_context(key))
                for key in answer_keys(life.sample_with_history(seed, 10, (100,))).values()
            )
            < BUDGETS[0]
        )


def test_every_life_differs_between_seeds_and_the_same_seed_gives_the_same() -> None:
    for life in LIVES:
        assert life.sample_with_history(1, 20, (100,)) == life.sample_with_history(1, 20, (100,))
        assert len({str(life.sample_with_history(seed, 10, (100,)).claims) for seed in range(20)}) > 10


def test_compare_does_not_run_the_scenarios_of_curves() -> None:
    assert all(one.family != "curves" for one in load_all([library()]))


def test_each_probe_occurs_once_for_each_budget_in_ascending_order() -> None:
    probes = [step for step in LIVES[0].sample_with_history(0, 10, BUDGETS).timeline if isinstance(step, Probe)]
    assert [(one.id, one.budget) for one in probes[: len(BUDGETS)]] == [(f"first@{one}", one) for one in BUDGETS]
    assert len(probes) == 3 * len(BUDGETS)
    assert {one.verb for one in probes} == {"assemble"}


def test_the_oracle_keeps_and_finds_everything_and_null_nothing(points: list[Point]) -> None:
    assert {(one.survives, one.recall) for one in of(points, "oracle")} == {(1, 1)}
    assert {(one.survives, one.recall) for one in of(points, "null")} == {(0, 0)}


def test_pins_alone_keep_every_task_and_find_no_evidence(points: list[Point]) -> None:
    assert {(one.survives, one.recall) for one in of(points, "pins-only")} == {(1, 0)}


def test_a_larger_budget_never_takes_away_what_the_newest_lines_hold(points: list[Point]) -> None:
    ordered = sorted(of(points, "bucket-recent"), key=lambda one: (one.history, one.scenario, one.probe, one.budget))
    steps = [(one, two) for one, two in pairwise(ordered) if one.budget < two.budget]
    assert len(steps) == len(ordered) - len(ordered) // len(BUDGETS)
    assert all(one.recall <= two.recall for one, two in steps)
    assert any(one.recall < two.recall for one, two in steps)


def test_the_reference_keeps_every_task_at_every_budget(points: list[Point]) -> None:
    assert {one.survives for one in of(points, "hybrid")} == {1}


def test_two_runs_write_the_same_bytes_also_in_several_processes(tmp_path: Path) -> None:
    written = []
    for number, jobs in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert len(lived(folder, ("bucket-search", "random", "hybrid"), (10,), jobs)) == 3 * 8 * 3 * len(BUDGETS)
        written.append((folder / "curves.csv").read_bytes())
    assert written[0] == written[1] == written[2]
    assert written[0].startswith(
        b"system,history,budget,scenario,seed,probe,survives,recall,error\nbucket-search,10,100,"
    )


def test_finished_points_are_in_the_file_if_the_run_is_stopped(tmp_path: Path) -> None:
    cells = Curves([entry("oracle"), entry("null")], (10,), (100,)).play(tmp_path / "curves.csv")
    assert next(cells)[0].system == "oracle"
    rows = (tmp_path / "curves.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == ["oracle"] * 3
    cells.close()


def test_an_earlier_run_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    for name in ("oracle", "null"):
        assert len(list(Curves([entry(name)], (10,), (100,)).play(tmp_path / "curves.csv"))) == len(LIVES)
    assert "null" in (tmp_path / "curves.csv").read_text(encoding="utf-8")
    assert "oracle" in (tmp_path / "previous.csv").read_text(encoding="utf-8")


class Says(Null):
    def assemble(self, task: str, budget: int) -> str:
        return "something"


@pytest.mark.parametrize(("limit", "error"), [(0, "over 0 s"), (600, "")])
def test_a_question_over_the_time_limit_is_an_error(tmp_path: Path, limit: float, error: str) -> None:
    scenario = LIVES[0].sample_with_history(0, 10, (100, 200))
    environment = ScenarioEnvironment(tmp_path / "cell", scenario.world)
    results = TimedCell(Entry("mine", "", "yours", Says), environment, answer_keys(scenario), limit=limit).play(
        scenario
    )
    assert {(one.error, one.items) for one in results} == {(error, () if error else ("something",))}
    assert len(results) == 6


def test_a_life_whose_process_was_killed_has_an_error_at_every_question() -> None:
    lost = CurveRound(LIVES[0], 0, ("null", "hybrid"), 60, history=10, budgets=(100,)).lost(1, "ended")
    assert [(one.system, one.error, one.key.overlay) for one in lost] == [("hybrid", "ended", "history=10")] * 3


def test_every_system_that_memlab_ships_answers_a_short_life(tmp_path: Path) -> None:
    curves = Curves(entries(), (10,), (1_000,))
    found = [point for cell in curves.play(tmp_path / "curves.csv") for point in cell]
    assert {point.system for point in found} == {one.name for one in entries()}
    assert {point.error for point in found} == {""}
    assert curves.cells() == len(entries()) * len(LIVES)
