"""A submission reads what the rubric provides, at every level, and can neither change it nor leave anything in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.grading.course.run import describe_run
from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking import provided_files
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.grading.marking.provided_files import provide_files
from memlab.labs.lab import Lab, load
from memlab.labs.rubric import BadRubric
from memlab.sandbox.client import CheckFailed, LearnerFile
from memlab.sandbox.isolation import LEVELS, Level
from memlab.sandbox.sandbox import Sandbox

FILE = """
import os
from pathlib import Path

def read(path): return Path(path).read_text()
def beside(): return (Path(__file__).parent / "words.txt").read_text()
def helper(): import helper; return helper.VALUE
def importable(name): __import__(name)
def change(path): Path(path).write_text("changed")
def change_module(): import helper; Path(helper.__file__).write_text("VALUE = 'changed'")
def leave(): import helper; (Path(helper.__file__).parent / "left.py").write_text("")
def remove(): import helper; os.remove(helper.__file__)
def shadow(): import helper; os.chmod(os.path.dirname(helper.__file__), 0o777); leave()
def replace_link(): os.remove("words.txt"); Path("words.txt").write_text("changed")
"""


@pytest.fixture(scope="module", params=LEVELS, ids=lambda one: one.name)
def level(request: pytest.FixtureRequest) -> Level:
    found: Level = request.param
    if lacking := found.problem():
        pytest.skip(lacking)
    return found


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Return Lab 06 with a rubric that provides a module of the instructor and two data files."""
    return write_rubric(tmp_path_factory.mktemp("rubric"), 'modules = ["helper"]\ndata = ["words.txt", "corpus"]\n')


@pytest.fixture(scope="module")
def provided(lab: Lab, level: Level) -> Iterator[str]:
    with provide_files(lab, level) as folder:
        yield folder


@pytest.fixture
def work(provided: str, level: Level, tmp_path: Path) -> Iterator[LearnerFile]:
    path = tmp_path / "memory_store.py"
    path.write_text(FILE, encoding="utf-8")
    with LearnerFile(path, start_sandbox=lambda: level.start_sandbox(provided)) as found:
        found.reset()
        yield found


def write_rubric(folder: Path, keys: str) -> Lab:
    text = (load("06").folder / "rubric.toml").read_text(encoding="utf-8")
    (folder / "rubric.toml").write_text(text.replace("[[task]]", f"{keys}\n[[task]]", 1), encoding="utf-8")
    (folder / "words.txt").write_text("zebra", encoding="utf-8")
    (folder / "helper.py").write_text("VALUE = 7\n", encoding="utf-8")
    (folder / "corpus").mkdir(exist_ok=True)
    (folder / "corpus" / "a.txt").write_text("a", encoding="utf-8")
    return load("06").graded_by(folder / "rubric.toml")


def refusal(folder: Path, keys: str, level: Level) -> str:
    with pytest.raises(BadRubric) as caught, provide_files(write_rubric(folder, keys), level):
        pass
    return str(caught.value)


def working() -> Level:
    return next(one for one in LEVELS if not one.problem())


def test_data_is_in_the_current_folder_and_beside_the_file_and_modules_can_be_imported(work: LearnerFile) -> None:
    assert work.call("read", "words.txt") == work.call("beside") == "zebra"
    assert work.call("read", "corpus/a.txt") == "a"
    assert work.call("helper") == 7


def test_the_checks_see_no_file_that_was_provided(work: LearnerFile) -> None:
    assert work.list_files() == work.list_around() == []


@pytest.mark.parametrize("attack", ["change_module", "leave", "remove", "shadow", "change"])
def test_nothing_that_is_provided_can_be_changed(attack: str, work: LearnerFile, provided: str) -> None:
    before = {path: path.read_bytes() for path in Path(provided).rglob("*") if path.is_file()}
    with pytest.raises(CheckFailed, match=r"raised (PermissionError|OSError)"):
        work.call(attack, *(["words.txt"] if attack == "change" else []))
    assert {path: path.read_bytes() for path in Path(provided).rglob("*") if path.is_file()} == before


def test_a_replaced_link_is_seen_by_the_checks_and_is_back_in_the_next_folder(work: LearnerFile) -> None:
    work.call("replace_link")
    assert work.list_around() == ["words.txt"]
    work.reset()
    assert work.call("read", "words.txt") == "zebra"


@pytest.mark.parametrize("name", ["memlab", "pytest", "hypothesis", "numpy"])
def test_no_other_package_can_be_imported(name: str, work: LearnerFile) -> None:
    with pytest.raises(CheckFailed, match="ModuleNotFoundError"):
        work.call("importable", name)


def test_nothing_else_of_the_rubrics_folder_is_visible(work: LearnerFile, lab: Lab, level: Level) -> None:
    if "files" in level.holds:
        with pytest.raises(CheckFailed, match="Error"):
            work.call("read", str(lab.rubric.path))


def test_by_default_nothing_is_provided() -> None:
    with provide_files(load("06"), working()) as folder:
        assert folder == ""


def test_the_folder_is_gone_after_the_run(lab: Lab) -> None:
    with provide_files(lab, working()) as folder:
        assert Path(folder).exists()
    assert not Path(folder).exists()


def test_a_submission_that_needs_a_module_is_graded_with_it_and_crashes_without(lab: Lab) -> None:
    source = "import helper\n" + (lab.folder / "published.py").read_text(encoding="utf-8").replace(
        "from __future__ import annotations\n", ""
    )

    def graded(provided: str) -> Grade:
        config = GradingConfig(lab, 7, working(), only=("stale",), provided=provided)
        return grade(Submission("a.py", source, "", "d"), config)

    with provide_files(lab, working()) as folder:
        with_it = graded(folder)
    assert (with_it.status, with_it.points) == ("ok", 4)
    assert graded("").status == "crashed"


def test_a_changed_data_file_needs_a_new_run_and_an_unchanged_one_does_not(tmp_path: Path) -> None:
    lab = write_rubric(tmp_path, 'data = ["words.txt"]')
    config, runs = GradingConfig(lab, 7, working()), []
    for words in ("zebra", "zebra", "yak"):
        (tmp_path / "words.txt").write_text(words, encoding="utf-8")
        with provide_files(lab, working()) as folder:
            runs.append(describe_run(replace(config, provided=folder)))
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ('modules = ["helpr"]', "there is no module 'helpr'."),
        ('modules = ["numppy"]', "Did you mean 'numpy'? Valid: a numppy.py or a folder numppy beside the rubric"),
        ('modules = ["a.b"]', "'a.b' is not the name of a module. Valid: a plain name, such as 'numpy'."),
        ('modules = ["memlab"]', "'memlab' must not be provided: it contains the solutions."),
        ('modules = ["json"]', "'json' is in the standard library"),
        (
            'modules = ["broken"]',
            "'broken' cannot be imported in the sandbox: import_broken.py does not load, line 1: Module",
        ),
        (
            'data = ["wrds.txt"]',
            "there is no 'wrds.txt' beside the rubric. Did you mean 'words.txt'? Valid: broken.py, corpus,",
        ),
        ('data = ["../secret"]', "'../secret' is no data file. Valid: the plain name of a file or a folder beside"),
        ('data = ["/etc/passwd"]', "'/etc/passwd' is no data file."),
        ('data = ["memory_store.py"]', "'memory_store.py' is no data file."),
    ],
)
def test_what_cannot_be_provided_is_named_with_its_line_before_grading(
    keys: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text("import not_there\n", encoding="utf-8")
    message = refusal(tmp_path, keys, working())
    line = (tmp_path / "rubric.toml").read_text(encoding="utf-8").splitlines().index(keys) + 1
    assert message.startswith(f"{tmp_path / 'rubric.toml'}: line {line}, {keys.partition(' ')[0]}: ")
    assert sentence in message


def test_a_plain_users_run_without_isolation_of_files_provides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provided_files, "is_root", lambda: False)
    message = refusal(tmp_path, 'data = ["words.txt"]', LEVELS[-1])
    assert "a submission could change them at the level rlimits. Select a stronger --isolation." in message


def test_an_installed_package_with_shared_libraries_works_at_every_level(level: Level, tmp_path: Path) -> None:
    if level.python_version().split(".")[:2] != [str(one) for one in sys.version_info[:2]]:
        pytest.skip("the sandbox has another version of Python: numpy's libraries do not fit")
    with provide_files(write_rubric(tmp_path, 'modules = ["numpy"]'), level) as folder:
        assert (Path(folder) / "modules" / "numpy").is_dir()


def test_a_folder_that_no_sandbox_can_read_is_reported_before_grading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(self: Level, provided: str = "") -> Sandbox:
        raise OSError(f"{provided} is closed at {self.name}")

    level = working()
    monkeypatch.setattr(type(level), "start_sandbox", closed)
    assert "data: no sandbox starts with them: /" in refusal(tmp_path, 'data = ["words.txt"]', level)
