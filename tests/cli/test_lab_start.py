from __future__ import annotations

import json
from pathlib import Path

import pytest
from lab_runs import LAB, MINE, SKELETON, run_lab

from memlab.labs.lab import in_words, load, numbers
from memlab.labs.learner import editor_workspace

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_list_names_the_labs_and_the_learners_files() -> None:
    output = run_lab("list")
    assert all(words in output for words in ("06", LAB.rubric.title, "memory_store.py", "07", "memory_mix.py"))


def test_list_shows_the_times_of_the_core_and_of_extra_from_the_rubric() -> None:
    lines = run_lab("list").splitlines()
    for line, rubric in zip(lines[1:], [load(number).rubric for number in numbers()], strict=False):
        assert in_words(rubric.core_minutes) in line
        assert in_words(rubric.minutes["extra"]) in line


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
