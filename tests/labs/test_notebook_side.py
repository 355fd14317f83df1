from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from notebook_kernel import Kernel, ReadOutput, upto

from memlab.labs.lab import load
from memlab.labs.learner import kernel as running_kernel
from memlab.labs.learner import notebook_commands
from memlab.labs.learner.messages import SENTENCE
from memlab.labs.learner.notebook_commands import Notebook, open_lab
from memlab.labs.learner.notebook_errors import NotebookError
from memlab.labs.learner.policies import RIGHT, policies
from memlab.labs.learner.progress import read
from memlab.labs.learner.sorting import ITEMS, sort_items

pytest_plugins = ["notebook_kernel"]  # its fixtures


def test_opening_a_lab_makes_its_folder_and_names_the_first_open_step(
    kernel: Kernel, tmp_path: Path, read_output: ReadOutput
) -> None:
    del kernel
    open_lab("06")
    assert (tmp_path / "lab06-work").is_dir()
    assert "Next: write" in read_output()


def test_a_lab_opened_again_inside_its_trials_keeps_its_folder(lab: Notebook, tmp_path: Path) -> None:
    lab.fresh("a.txt")
    assert Path.cwd() == tmp_path / "lab06-work" / "try"
    open_lab("06")
    open_lab("6")
    assert [path.name for path in tmp_path.iterdir()] == ["lab06-work"]
    assert not list(Path.cwd().glob("lab*"))


def test_an_unknown_lab_is_one_sentence_and_no_traceback(kernel: Kernel) -> None:
    del kernel
    with pytest.raises(NotebookError, match=r"there is no lab '08'\. There are: 06") as error:
        open_lab("08")
    assert error.value._render_traceback_() == [str(error.value)]


def test_fresh_empties_the_trials_and_nothing_else(lab: Notebook, tmp_path: Path, read_output: ReadOutput) -> None:
    lab.fresh("scripts/deploy.sh")
    (tmp_path / "lab06-work" / "kept.txt").touch()
    Path("left-over").touch()
    lab.fresh("docs/page.md")
    assert [str(path) for path in Path().rglob("*") if path.is_file()] == ["docs/page.md"]
    assert (tmp_path / "lab06-work" / "kept.txt").exists()
    assert "A fresh folder, with docs/page.md." in read_output()


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "", ".", "a/../../outside"])  # noqa: S108 - it is refused
def test_fresh_makes_no_file_outside_its_folder(
    lab: Notebook, tmp_path: Path, read_output: ReadOutput, name: str
) -> None:
    lab.fresh("before")
    lab.fresh(name)
    assert "is outside the fresh folder" in read_output()
    assert sorted(path.name for path in (tmp_path / "lab06-work").rglob("*")) == ["before", "try"]


def test_variables_set_by_fresh_are_restored_after_the_next_call(
    lab: Notebook, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODE", "mine")
    kernel.run("HELP = {'mine': 'kept by hand'}")
    lab.fresh(env={"MODE": "trial", "ONLY_HERE": "1"}, commands={"pnpm": "usage: pnpm --frozen"})
    assert (os.environ["MODE"], os.environ["ONLY_HERE"]) == ("trial", "1")
    assert kernel.user_ns["HELP"] == {"pnpm": "usage: pnpm --frozen"}
    lab.fresh()
    assert (os.environ["MODE"], os.environ.get("ONLY_HERE")) == ("mine", None)
    assert kernel.user_ns["HELP"] == {}


def test_a_check_does_not_depend_on_earlier_trials(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "verify"))
    lab.fresh(env={"LAB_DATABASE_URL": "a trial"})
    lab.check("verify")
    assert "✓ verify" in read_output()
    assert os.environ["LAB_DATABASE_URL"] == "a trial"


def test_a_tree_names_files_folders_and_links(lab: Notebook, read_output: ReadOutput) -> None:
    lab.fresh("scripts/deploy.sh", "a.txt")
    Path("link").symlink_to("/nowhere")
    read_output()
    lab.tree()
    assert read_output() == "a.txt\nlink -> /nowhere\nscripts/\n  deploy.sh\n"


@pytest.mark.parametrize("method", ["check", "hint", "chart"])
def test_an_unknown_step_is_answered_with_the_nearest(lab: Notebook, read_output: ReadOutput, method: str) -> None:
    getattr(lab, method)("recal")
    assert "no step 'recal'. Did you mean 'recall'" in read_output()


def test_a_call_that_does_not_fit_is_answered_by_what_the_method_does(lab: Notebook, read_output: ReadOutput) -> None:
    lab.check("write", "recall")  # type: ignore[call-arg]
    assert "lab.check: too many positional arguments. Check a step and" in read_output()


def test_hints_open_one_at_a_time(lab: Notebook, read_output: ReadOutput) -> None:
    first, second = load("06").hints["write"][:2]
    lab.hint("write")
    assert first.split()[:6] == read_output().split()[6:12]
    lab.hint()
    assert second.split()[:6] == read_output().split()[6:12]
    assert read(Path("lab06-work"), "06", print).hints == {"write": 2}


def test_a_chart_is_kept_and_the_next_begins_with_it(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "gate"))
    lab.chart("gate")
    lab.chart("names")
    assert "Since the chart of 'gate'" in read_output()
    assert list(read(Path("lab06-work"), "06", print).charts) == ["gate", "names"]


def test_a_chart_before_build_is_done_says_what_is_lacking(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "recall"))
    lab.chart("names")
    assert "memory_store.py cannot be played yet" in read_output()


def test_play_shows_a_scenarios_story_and_suggests_the_nearest_name_for_an_unknown_one(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "gate"))
    lab.play("stale/script-that-moved")
    assert "Your memory:" in read_output()
    lab.play("stale/script-that-move")
    assert "Did you mean 'stale/script-that-moved'" in read_output()


def test_finish_saves_the_passed_steps_and_names_the_open_ones(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.run(*upto(cells, "gate"))
    monkeypatch.setattr(notebook_commands, "open_steps", lambda *_: ("words", "trust"))
    lab.finish()
    assert "Open: words, trust. Go on with words." in read_output()
    held = read(Path("lab06-work"), "06", print).held
    assert {one.name for one in load("06").steps} - set(held) == {"words", "trust"}
    monkeypatch.setattr(notebook_commands, "open_steps", lambda *_: ())
    lab.finish()
    assert "Lab 06 is done: every step passes." in read_output()
    for ask in (lab.check, lab.hint):
        ask()
        assert read_output() == "Every step passes. Next: lab.finish()\n"


def test_a_notebook_run_from_the_top_again_starts_fresh(
    kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*cells.values())
    lab = open_lab("06")
    lab.play("stale/script-that-moved")
    assert "You have not run any cell since this lab was opened" in read_output()
    kernel.run(*upto(cells, "gate"))
    lab.play("stale/script-that-moved")
    assert "FAILED" in read_output()


def test_a_misspelt_tag_is_named(lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput) -> None:
    kernel.run(*upto(cells, "write"), cells["write"].replace("# lab06: write", "# lab06: wirte"))
    lab.check("write")
    assert "The cell '# lab06: wirte' counts as one of your own. If you mean '# lab06: write'" in read_output()


def test_a_passed_step_also_reports_the_last_untagged_cell(
    lab: Notebook, kernel: Kernel, cells: dict[str, str], read_output: ReadOutput
) -> None:
    kernel.run(*upto(cells, "write"), "def write_memory(*args):\n    pass")
    lab.check("write")
    answer = read_output()
    assert "✓ write" in answer
    assert "write_memory was last run in a cell without a tag" in answer


def test_a_folder_that_was_deleted_under_the_notebook_is_reported(lab: Notebook, read_output: ReadOutput) -> None:
    lab.fresh()
    shutil.rmtree(Path("../../lab06-work").resolve())
    for ask in (lab.tree, lab.fresh):
        ask()
        assert "was deleted. Restart the kernel" in read_output()
    with pytest.raises(NotebookError, match="was deleted"):
        open_lab("06")


def test_a_drawing_that_fails_is_reported(lab: Notebook, read_output: ReadOutput) -> None:
    lab.draw_prompt(None)
    assert "not NoneType and int" in " ".join(read_output().split())


def test_in_a_plain_python_a_check_says_where_it_works_and_a_picture_is_saved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, read_output: ReadOutput
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (running_kernel, notebook_commands):
        monkeypatch.setattr(module, "shell", lambda: None)
    lab = open_lab("06")
    for ask, command in (
        (partial(lab.check, "write"), "memlab lab check write"),
        (partial(lab.play, "stale/some"), "memlab lab play stale/some"),
        (partial(lab.chart, "trust"), "memlab lab chart trust"),
        (lab.finish, "memlab lab finish"),
    ):
        ask()
        assert f"In a terminal: {command}\n" in read_output()
    lab.fresh(commands={"pnpm": "usage"})
    assert "put them into the HELP of your own file" in read_output()
    lab.draw_prompt("[RULES]\nbe calm")
    assert (tmp_path / "lab06-work" / "prompt.png").exists()


def test_the_table_of_policies_has_one_right_solution_and_the_answer_explains_every_wrong_pair() -> None:
    assert "4 of 4 right" in policies(RIGHT)
    for store, (written, recalled) in RIGHT.items():
        for wrong in ({store: (written, "?")}, {store: ("z", recalled)}, {store: "abc"}, {store: 7}, {}):
            assert "3 of 4 right" in policies(RIGHT | {store: None} | wrong)  # type: ignore[arg-type]
        turned = policies(RIGHT | {store: (recalled, written)})
        assert "3 of 4 right" in turned
        assert f"{store}: not yet" in turned
    assert "'workin' is not a store. Did you mean 'working'" in policies({"workin": ("a", "a")})


def test_each_item_has_one_right_store_and_a_wrong_one_is_answered_by_its_query() -> None:
    right = {letter: item.store for letter, item in ITEMS.items()}
    assert "6 of 6 right" in sort_items(right)
    assert set(right.values()) == set(RIGHT)
    for letter, item in ITEMS.items():
        wrong = next(store for store in RIGHT if store != item.store)
        answer = sort_items(right | {letter: wrong})
        assert f"{letter}: not {wrong}. It should be found by {item.query!r}" in answer
        assert "5 of 6 right" in answer
        assert f"{letter}: not sorted yet." in sort_items(right | {letter: "?"})
    assert "a: not sorted yet. Did you mean 'semantic'" in sort_items({"a": "semantics"})
    assert "'z' is not an item" in sort_items({"z": "semantic"})


def test_the_items_to_sort_are_printed_in_a_notebook_without_their_stores(
    lab: Notebook, read_output: ReadOutput
) -> None:
    lab.sort()
    output = read_output()
    assert all(f"  {letter}  {item.text}\n" in output for letter, item in ITEMS.items())
    assert max(map(len, output.splitlines())) <= SENTENCE


@pytest.mark.parametrize("answers", [None, dict.fromkeys(RIGHT, ("d", "c"))])
def test_no_line_of_the_policies_is_longer_than_a_cell_shows_without_breaking_words(
    lab: Notebook, read_output: ReadOutput, answers: dict[str, tuple[str, str]] | None
) -> None:
    lab.policies(answers)
    assert max(map(len, read_output().splitlines())) <= SENTENCE


def test_a_real_kernel_shows_answers_pictures_and_no_traceback(tmp_path: Path, cells: dict[str, str]) -> None:
    sources = [
        'from memlab import open_lab\nlab = open_lab("06")',
        *upto(cells, "write"),
        'lab.check("write")',
        'lab.draw_prompt("[RULES]\\nbe calm", 100)',
        'open_lab("60")',
    ]
    made = [nbformat.v4.new_code_cell(one) for one in sources]  # type: ignore[no-untyped-call]
    document = nbformat.v4.new_notebook(cells=made)  # type: ignore[no-untyped-call]
    NotebookClient(document, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}).execute()
    *_, checked, drawn, unknown = [cell.outputs for cell in document.cells]
    assert "✓ write" in checked[0].text
    assert drawn[0].data["text/plain"] == "<IPython.core.display.Image object>"
    assert drawn[0].data["image/png"]
    assert unknown[0].traceback == ["there is no lab '60'. There are: 06, 07."]
