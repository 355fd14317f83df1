from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.cli import lab as command
from memlab.labs.lab import Lab, load
from memlab.labs.learner import check_order, editor_workspace
from memlab.labs.learner.progress import FILE, Progress, write
from memlab.labs.pictures import closing
from memlab.sandbox.client import LearnerFile

LAB = load("06")
SKELETON = (LAB.folder / "skeleton.py").read_text(encoding="utf-8")
PUBLISHED = (LAB.folder / "published.py").read_text(encoding="utf-8")
FORGETFUL = PUBLISHED + "\n\ndef recall(query):\n    return None\n"
MINE = Path("memory_store.py")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run_lab(*words: str, code: int = 0, typed: str = "") -> str:
    """Run `memlab lab` with these words, which must end with a code, and return its output."""
    result = CliRunner().invoke(app, ("lab", *words), env={"COLUMNS": "200"}, input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def holding(number: str = "06") -> list[str]:
    held: list[str] = json.loads(Path(FILE).read_text(encoding="utf-8"))[number]["held"]
    return held


def test_list_names_the_labs_and_the_learners_files() -> None:
    output = run_lab("list")
    assert all(words in output for words in ("06", LAB.rubric.title, "memory_store.py", "07", "memory_mix.py"))


def test_start_writes_the_skeleton_and_what_to_read_and_names_the_next_command() -> None:
    output = run_lab("start", "06")
    assert Path("lab06/memory_store.py").read_text(encoding="utf-8") == SKELETON
    assert Path("lab06/README.md").read_text(encoding="utf-8").startswith("# Lab 06")
    assert "def write_memory(" in Path("lab06/lab.md").read_text(encoding="utf-8")
    assert "Next: cd lab06; memlab lab check" in output


def test_start_writes_the_learners_notebook_where_one_is_wanted() -> None:
    run_lab("start", "06", "mine", "--notebook")
    cells = json.loads(Path("mine/lab06.ipynb").read_text(encoding="utf-8"))["cells"]
    assert any("NotImplementedError" in "".join(cell["source"]) for cell in cells)
    assert sorted(path.name for path in Path("mine").iterdir()) == ["README.md", "lab06.ipynb"]


def test_start_never_overwrites_what_is_there() -> None:
    MINE.write_text("# mine", encoding="utf-8")
    Path("README.md").write_text("# my own", encoding="utf-8")
    output = run_lab("start", "06", ".", code=2)
    assert MINE.read_text(encoding="utf-8") == "# mine"
    assert "memory_store.py exists already and was not changed" in output
    assert "memlab lab reset" in output
    MINE.unlink()
    run_lab("start", "06", ".")
    assert Path("README.md").read_text(encoding="utf-8") == "# my own"


def test_start_follows_no_link_out_of_its_folder(tmp_path: Path) -> None:
    Path("lab06").mkdir()
    Path("lab06/README.md").symlink_to(tmp_path / "elsewhere")
    run_lab("start", "06")
    assert not (tmp_path / "elsewhere").exists()
    Path("linked").mkdir()
    Path("linked/memory_store.py").symlink_to(tmp_path / "elsewhere")
    assert "exists already" in run_lab("start", "06", "linked", code=2)
    assert not (tmp_path / "elsewhere").exists()


def test_a_reset_that_cannot_write_leaves_the_learners_file_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    run_lab("start", "06", ".")
    MINE.write_text("# mine", encoding="utf-8")

    def full(path: Path, text: str) -> None:
        del text
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(editor_workspace, "_create", full)
    assert "No space left" in run_lab("reset", "--yes", code=2)
    assert MINE.read_text(encoding="utf-8") == "# mine"


def test_control_characters_in_a_folder_name_do_not_reach_the_terminal() -> None:
    run_lab("start", "06", "a\x1b[31mb")
    assert "\x1b" not in run_lab("status", "--dir", "a\x1b[31mb")


def test_the_next_command_says_which_lab_and_can_be_typed() -> None:
    run_lab("start", "06", "my work")
    run_lab("start", "07", "other")
    Path("other/memory_mix.py").rename("my work/memory_mix.py")
    assert "Next: memlab lab check --dir 'my work' --lab 06" in run_lab("status", "--dir", "my work", "--lab", "06")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("start", "08"), "there is no lab '08'. There are: 06, 07."),
        (("start", "06", "file"), "File exists. A folder is required"),
        (("check",), "this folder holds no memory_store.py or memory_mix.py. Begin with `memlab lab start 06`"),
        (("check", "--dir", "nowhere"), "nowhere holds no memory_store.py"),
        (("check", "recal", "--dir", "mine"), "has no step 'recal'. Did you mean 'recall'? Its steps: write, recall,"),
        (("hint", "recal", "--dir", "mine"), "Did you mean 'recall'?"),
        (("reset", "recal", "--dir", "mine"), "Did you mean 'recall'?"),
        (("check", "--dir", "mine", "--lab", "07"), "mine holds no memory_mix.py. Begin with `memlab lab start 07`"),
        (("status", "--dir", "both"), "both contains labs 06 and 07: choose one with --lab 06."),
        (("check", "--dir", "book"), "book/lab06.ipynb"),
        (("finish",), "Begin with `memlab lab start 06`"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    Path("file").touch()
    for folder, files in {
        "mine": ["memory_store.py"],
        "both": ["memory_store.py", "memory_mix.py"],
        "book": ["lab06.ipynb"],
    }.items():
        Path(folder).mkdir()
        for name in files:
            Path(folder, name).touch()
    assert message.replace("book/", "") in run_lab(*words, code=2)


def test_a_folder_above_the_work_names_the_folder_to_go_to() -> None:
    run_lab("start", "06")
    assert "There is one in lab06: go there, or add --dir lab06." in run_lab("check", code=2)


def test_a_folder_above_two_labs_names_both() -> None:
    run_lab("start", "06")
    run_lab("start", "07")
    assert "There is one in lab06 and in lab07: go to the one you mean" in run_lab("check", code=2)


def test_a_lab_does_not_start_in_the_folder_of_another_and_inside_one_only_with_an_explicit_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_lab("start", "07")
    assert "lab07/memory_mix.py exists already, of lab 07" in run_lab("start", "06", "lab07", code=2)
    assert not Path("lab07", MINE).exists()
    monkeypatch.chdir("lab07")
    assert "Continue with: cd ..; memlab lab start 06" in run_lab("start", "06", code=2)
    assert "Continue with: memlab lab check" in run_lab("start", "07", code=2)
    assert not list(Path().glob("lab0*/"))
    run_lab("start", "06", "../lab06")


@pytest.mark.parametrize(("number", "function"), [("06", "write_memory"), ("07", "rules")])
def test_check_of_the_skeleton_names_the_first_step_its_check_and_the_next_command(number: str, function: str) -> None:
    run_lab("start", number, ".")
    output = run_lab("check", code=1)
    first = load(number).steps[0].name
    assert output.startswith(f"✗ {first}")
    assert f"{function} is not written yet: it raises NotImplementedError" in output
    assert output.endswith(f"Next: memlab lab hint {first}\n")
    assert holding(number) == []


def test_check_goes_on_while_steps_hold_and_stops_at_the_first_open_one_with_its_answer() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    output = run_lab("check", code=1)
    assert output.startswith("✓ write")
    assert "✗ recall" in output
    assert "returned None, expected" in output
    assert "after   write_memory(" in output
    assert "stale" not in output
    assert holding() == ["write"]


def test_check_resumes_at_the_first_open_step() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    assert run_lab("check", code=1).startswith("✗ recall")


def test_a_step_that_held_before_and_fails_now_is_named_as_such() -> None:
    MINE.write_text(SKELETON, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    assert run_lab("check", code=1).startswith("✗ write passed before and fails now")
    assert holding() == []
    assert "passed before" not in run_lab("check", code=1)


def test_check_of_one_step_says_that_it_holds_and_what_comes_next() -> None:
    MINE.write_text(PUBLISHED, encoding="utf-8")
    output = run_lab("check", "recall")
    assert "✓ recall" in output
    assert "Next: memlab lab check, for stale" in output
    assert set(holding()) == {"write", "recall"}


def test_a_step_that_breaks_an_earlier_one_is_reported_with_its_answer_and_where_to_look() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    write(Path(), "06", Progress(["recall"]))
    output = run_lab("check", "stale", code=1)
    assert "✓ stale" in output
    assert "✗ recall passed before and fails now" in output
    assert "returned None, expected" in output
    assert output.endswith("recall passed before: check first what you changed last.\nNext: memlab lab hint recall\n")
    assert holding() == ["write", "stale"]


def test_check_says_once_that_build_is_done_before_the_answer_of_the_first_fix() -> None:
    MINE.write_text(PUBLISHED, encoding="utf-8")
    done = "Build is done: 50 of 50 points. Go on with Part 2, Break it, in lab.md; then check goes on with `names`."
    lines = run_lab("check", code=1).splitlines()
    place = lines.index(done)
    assert lines[place - 1].startswith("✓ gate")
    assert lines[place + 1].startswith("✗ names")
    assert "Build is done" not in run_lab("check", code=1)


def test_a_step_checked_out_of_order_says_what_comes_first() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    output = run_lab("check", "gate", code=1)
    assert "gate builds on recall, which comes first:\n✗ recall" in output
    assert output.endswith("Next: memlab lab hint recall\n")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def write_memory(:", "✗ memory_store.py does not load, line 1: SyntaxError"),
        ("\nimport nowhere", "✗ memory_store.py does not load, line 2: ModuleNotFoundError: No module named 'nowhere'"),
        ("while True: pass", "Is there a loop without an end?"),
        ("raise SystemExit", "✗ memory_store.py does not load, line 1: SystemExit"),
    ],
)
def test_a_file_that_does_not_load_says_so_and_forgets_nothing(
    source: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if source.startswith("while"):  # the others take no time, and may take it
        monkeypatch.setattr(check_order, "LearnerFile", functools.partial(LearnerFile, limit=0.5))
    MINE.write_text(source, encoding="utf-8")
    write(Path(), "06", Progress(["write"]))
    output = run_lab("check", code=1)
    assert message in " ".join(output.split())
    assert output.endswith("Next: correct it, then memlab lab check\n")
    assert holding() == ["write"]


def test_the_suggested_commands_work_in_the_current_folder() -> None:
    run_lab("start", "06", "mine")
    assert run_lab("check", "--dir", "mine", code=1).endswith("Next: memlab lab hint write --dir mine\n")


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


def test_a_damaged_progress_file_is_moved_aside_with_a_message() -> None:
    run_lab("start", "06", ".")
    Path(FILE).write_text("{", encoding="utf-8")
    assert "is corrupt and was renamed to .memlab-lab-spoiled-1.json" in " ".join(run_lab("status").split())


def test_a_notebook_is_checked_like_a_file() -> None:
    solved = LAB.folder.parents[1] / "notebooks" / "lab06_solved.ipynb"
    Path("lab06.ipynb").write_bytes(solved.read_bytes())
    assert "✓ recall" in run_lab("check", "recall")
    run_lab("reset", "--yes")
    assert Path("lab06-1.ipynb").read_bytes() == solved.read_bytes()
    assert run_lab("check", code=1).startswith("✗ write")


def saves(*steps: Callable[[], object]) -> Callable[[float], None]:
    """Give a sleep in which the learner does one thing after the other, and then presses Ctrl-C."""
    coming = iter(steps)

    def sleep(_: float) -> None:
        act = next(coming, None)
        if act is None:
            raise KeyboardInterrupt
        act()

    return sleep


def save(source: str) -> Callable[[], None]:
    def act() -> None:
        MINE.write_text(source, encoding="utf-8")
        os.utime(MINE, ns=(1, MINE.stat().st_mtime_ns + 1))

    return act


def test_watch_checks_again_at_every_save_and_ends_at_ctrl_c_with_a_friendly_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_lab("start", "06", ".")
    coming = saves(lambda: None, MINE.unlink, save("("), save(FORGETFUL))
    monkeypatch.setattr(command, "sleep", coming)
    output = run_lab("check", "--watch")
    assert [line.split(":")[0] for line in output.splitlines() if line[:1] in {"✗", "✓"}] == [
        "✗ write",
        "✗ memory_store.py does not load, line 1",
        "✓ write",
        "✗ recall",
    ]
    assert output.count("Watching memory_store.py") == 3
    assert output.endswith("Your progress is saved: `memlab lab check` continues from there.\n")
    assert "\x1b" not in output


def test_watch_ends_when_the_requested_steps_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    run_lab("start", "06", ".")
    monkeypatch.setattr(command, "sleep", saves(save(PUBLISHED)))
    assert "✓ write" in run_lab("check", "write", "--watch")


def test_finish_says_what_is_open() -> None:
    MINE.write_text(FORGETFUL, encoding="utf-8")
    output = run_lab("finish", code=1)
    assert "✗ recall" in output
    assert output.endswith("The closing chart is drawn once every step passes.\n")
    assert not list(Path().glob("*.png"))


def test_finish_runs_the_scenarios_when_all_steps_pass_and_says_what_comes_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def play(lab: Lab, path: Path, folder: Path) -> SimpleNamespace:
        assert (lab, path, folder) == (LAB, MINE, Path())
        return SimpleNamespace(words="Your memory passes 5 %.\n\nLab 06 is done.", png=folder / "lab06-chart.png")

    MINE.write_text(SKELETON, encoding="utf-8")
    write(Path(), "06", Progress([one.name for one in LAB.steps]))
    monkeypatch.setattr(check_order, "check_until_failure", lambda *_: iter(()))  # each law has tests of its own
    monkeypatch.setattr(closing, "finish", play)
    harder = "memlab compare --systems hybrid,memory_store.py:recall_and_trust"
    assert run_lab("finish").splitlines() == [
        "All 12 steps of lab 06 pass.",
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


def test_without_the_extra_a_check_says_what_to_install() -> None:
    run_lab("start", "06", ".")
    start = "import sys; sys.modules['hypothesis'] = None; from memlab.cli import app; app()"
    done = subprocess.run([sys.executable, "-c", start, "lab", "check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'memlab[labs]'" in done.stderr
    assert "Traceback" not in done.stderr
