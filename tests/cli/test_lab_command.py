from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from lab_runs import FORGETFUL, LAB, MINE, PUBLISHED, SKELETON, holding, run_lab

from memlab.labs.lab import Lab
from memlab.labs.learner import check_order
from memlab.labs.learner.progress import FILE, Progress, write
from memlab.labs.pictures import closing

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_hints_open_one_at_a_time_and_say_when_there_are_no_more() -> None:
    run_lab("start", "06", ".")
    hints = LAB.hints["write"]
    for number in range(1, len(hints) + 1):
        output = run_lab("hint")
        assert output.startswith(f"Hint {number} of {len(hints)} for write: ")
        assert output.count("Hint ") == 1
    for _ in range(2):
        output = run_lab("hint")
        assert f"There are no more hints for write: all {len(hints)} are open." in output
        assert output.count("Hint ") == len(hints)
    assert run_lab("hint", "recall").startswith("Hint 1 of ")


def test_reset_of_a_step_opens_it_closes_its_hints_and_keeps_the_file() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    run_lab("hint", "write")
    run_lab("reset", "write")
    assert holding() == []
    assert run_lab("hint", "write").startswith("Hint 1 of ")
    assert MINE.read_text(encoding="utf-8") == FORGETFUL


def test_reset_of_all_moves_the_work_aside_and_starts_again() -> None:
    for number, words in enumerate([("--yes",), ()], start=1):
        MINE.write_text(FORGETFUL + f"# {number}\n", encoding="utf-8")
        write(Path(), "06", Progress(["write"]))
        run_lab("reset", *words, typed="y\n")
        assert MINE.read_text(encoding="utf-8") == SKELETON
        assert Path(f"memory_store-{number}.py").read_text(encoding="utf-8") == FORGETFUL + f"# {number}\n"
        assert holding() == []


@pytest.mark.parametrize("typed", ["", "n\n"])
def test_reset_of_all_asks_for_confirmation(typed: str) -> None:
    MINE.write_text("# mine", encoding="utf-8")
    assert "Nothing was changed. Use --yes to skip the question." in run_lab("reset", typed=typed, code=2)
    assert MINE.read_text(encoding="utf-8") == "# mine"


def test_status_shows_each_step_with_part_and_minutes_and_the_points_of_both_parts_apart() -> None:
    MINE.touch()
    write(Path(), "06", Progress(["write"]))
    lines = run_lab("status").splitlines()
    steps = [line.split() for line in lines if " min " in line]
    assert [words[:5] for words in steps if words[0] == "✓"] == [
        ["✓", "write", "build", str(LAB.step("write").minutes), "min"]
    ]
    assert [words[0] for words in steps[1:]] == [one.name for one in LAB.steps[1:]]
    built = sum(one.points for one in LAB.steps if one.part == "build")
    fixed = sum(one.points for one in LAB.steps if one.part == "fix")
    assert any(line.endswith(f"{LAB.step('write').points:g} of {built:g} points") for line in lines)
    assert any(line.startswith("Fix ") and line.endswith(f" 0 of {fixed:g} points") for line in lines)


def test_status_shows_how_many_steps_of_the_core_are_done_which_are_left_and_those_of_extra_apart() -> None:
    MINE.touch()
    write(Path(), "06", Progress(["write", "recall", "next"]))
    output = run_lab("status")
    assert "Core   ██░░░░░░  2 of 8 done, 6 left: stale, verify, gate, words, trust, guard\n" in output
    assert "Extra  █░░░      1 of 4 done, 3 left: names, versions, repair\n" in output


def test_when_the_core_is_done_the_chart_comes_next_and_then_an_extra_step() -> None:
    MINE.touch()
    write(Path(), "06", Progress([one.name for one in LAB.core]))
    done = "The core of lab 06 is done: memlab lab finish draws the closing chart. Extra: next, about"
    assert done in run_lab("status")
    assert "The core of lab 06 is done" not in run_lab("status", "--dir", str(_with_open_core()))


def _with_open_core() -> Path:
    other = Path("other")
    other.mkdir()
    (other / MINE).touch()
    write(other, "06", Progress([one.name for one in LAB.core[:-1]]))
    return other


def test_another_solution_of_a_step_is_shown_only_after_its_check_passed() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    refused = run_lab("solution", "recall")
    assert refused == "recall does not pass yet: its solution opens once memlab lab check recall passes.\n"
    assert "Compare with another solution: memlab lab solution write\n" in run_lab("check", "write")
    output = run_lab("solution", "write")
    assert "# lab06: write\ndef write_memory(" in output
    assert "def recall(" not in output
    assert "Did you mean 'write'" in run_lab("solution", "writ", code=2)


def test_a_damaged_progress_file_is_moved_aside_with_a_message() -> None:
    run_lab("start", "06", ".")
    Path(FILE).write_text("{", encoding="utf-8")
    assert "is corrupt and was renamed to .memlab-lab-spoiled-1.json" in " ".join(run_lab("status").split())


def test_finish_says_what_is_open() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    output = run_lab("finish", code=1)
    assert "✗ recall" in output
    assert output.endswith("The closing chart is drawn once every step of the core passes.\n")
    assert not list(Path().glob("*.png"))


def test_finish_runs_the_scenarios_when_the_core_passes_and_says_what_comes_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def play(lab: Lab, path: Path, folder: Path, left: tuple[str, ...]) -> SimpleNamespace:
        assert (lab, path, folder, left) == (LAB, MINE, Path(), ("repair",))
        return SimpleNamespace(words="Your memory passes 5 %.\n\nLab 06 is done.", png=folder / "lab06-chart.png")

    MINE.write_text(SKELETON, encoding="utf-8")
    write(Path(), "06", Progress([one.name for one in LAB.steps if one.name != "repair"]))
    monkeypatch.setattr(check_order, "check_until_failure", lambda *_: iter(()))  # each law has tests of its own
    monkeypatch.setattr(closing, "finish", play)
    harder = "memlab compare --systems hybrid,memory_store.py:recall_and_trust"
    assert run_lab("finish").splitlines() == [
        "Core   ████████  8 of 8 done",
        "Extra  ███░      3 of 4 done, 1 left: repair",
        "Your memory passes 5 %.",
        "",
        "Lab 06 is done.",
        "The chart is lab06-chart.png.",
        "Next: cd ..; memlab lab start 07",
        f"Much harder, as it needs more than the labs teach: {harder}",
    ]


def test_play_shows_one_scenario_and_the_result_of_the_memory() -> None:
    MINE.write_text((LAB.folder / "published.py").read_text(encoding="utf-8"), encoding="utf-8")
    assert "FAILED" in run_lab("play", "stale/script-that-moved")
    assert "Did you mean 'stale/script-that-moved'" in run_lab("play", "stale/script-that-move", code=2)


def test_play_without_a_scenario_lists_the_scenarios() -> None:
    MINE.touch()
    ids = [line.strip() for line in run_lab("play").splitlines() if line.startswith("  ")]
    assert ids == [one.file.id for one in closing.load_templates("06")]


def test_chart_draws_the_effect_of_a_step_since_the_last_chart_and_saves_it_beside_the_work() -> None:
    Path("mine").mkdir()
    (Path("mine") / MINE).write_text(PUBLISHED, encoding="utf-8")
    run_lab("chart", "gate", "--dir", "mine")
    output = run_lab("chart", "names", "--dir", "mine")
    assert "Since the chart of 'gate'" in output
    assert output.endswith("The chart is mine/lab06-names.png.\n")
    assert Path("mine/lab06-names.png").read_bytes().startswith(b"\x89PNG")
    assert "Did you mean 'names'" in run_lab("chart", "name", "--dir", "mine", code=2)
