from math import inf
from pathlib import Path

import pytest
from rich.console import Console

from memlab.harness.turns.play import Turn, TurnEvent
from memlab.report.turns import by_task, describe, frame_of, on_track, turns_table, write

LIVES: dict[str, list[list[TurnEvent]]] = {
    "hybrid": [["done"], ["done"], ["rest"], ["done"]],
    "bucket-recent": [["done"], ["early", "false"], ["rest"], ["again"]],
    "null": [["idle"], ["idle"], ["rest"], ["idle"]],
}


def turns(agents: tuple[str, ...] = ("reads all", "reads first and last 100"), tasks: int = 4) -> list[Turn]:
    return [
        Turn(system, agent, f"turns/{task}", 0, number, event)
        for system, life in LIVES.items()
        for agent in agents
        for task in range(tasks)
        for number, events in enumerate(life, start=1)
        for event in events
    ]


def test_the_finished_share_of_a_task_is_its_correctly_done_items() -> None:
    cells = by_task(frame_of(turns()))
    finished = {system: cells["finished"].to_dict()[system, "reads all", "turns/0"] for system in LIVES}
    assert finished == {"hybrid": 1.0, "bucket-recent": pytest.approx(1 / 3), "null": 0.0}
    rows = cells[["false", "rules", "stray", "kept", "lost"]].to_numpy().tolist()
    counted = dict(zip(cells.index, rows, strict=True))
    assert counted["bucket-recent", "reads all", "turns/0"] == [1, 0, 2, 0, 2]
    assert counted["hybrid", "reads all", "turns/0"] == [0, 0, 0, 1, inf]


def test_a_task_that_went_wrong_once_is_never_on_track_again() -> None:
    shares = on_track(frame_of(turns()))
    assert shares["bucket-recent", "reads all"].tolist() == [1, 0, 0, 0]
    assert shares["hybrid", "reads all"].tolist() == [1, 1, 1, 1]
    assert shares["null", "reads all"].tolist() == [0, 0, 0, 0]


def test_a_task_that_is_shorter_than_others_stays_as_it_ended() -> None:
    short = [one for one in turns() if one.task != "turns/0" or one.turn < 3]
    assert on_track(frame_of(short))["hybrid", "reads all"].tolist() == [1, 1, 1, 1]
    assert on_track(frame_of(short))["bucket-recent", "reads all"].tolist() == [1, 0, 0, 0]


def test_seeds_of_a_task_count_once() -> None:
    more = [one._replace(seed=seed) for one in turns() for seed in range(3)]
    assert by_task(frame_of(more)).equals(by_task(frame_of(turns())))


def test_the_same_turns_give_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        write(frame_of(turns()), tmp_path / name)
    files = {path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*")}
    assert {path.name for path in files} == {"turns.csv", "turns.png", "turns.svg"}
    assert all((tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes() for path in files)


def test_the_table_and_the_words_show_the_best_system_first_and_what_each_column_is() -> None:
    console = Console(width=120, record=True)
    console.print(turns_table(frame_of(turns())), soft_wrap=True)
    output = console.export_text()
    assert output.index("hybrid") < output.index("bucket-recent") < output.index("null")
    assert "Over 4 long tasks." in output
    assert describe(frame_of(turns())).startswith("Tasks on track to the end: hybrid 100% (reads all)")
