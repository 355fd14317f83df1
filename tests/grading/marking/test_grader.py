"""One submission, graded: what it gets, how it fared, and why it lost a point."""

import importlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st
from tiny_lab import Here, graded, mark, tiny

from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking import attempt, step_task
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.labs.checks.check import Check, Checks, LearnerFile, expect, fail
from memlab.labs.checks.checking import CheckResult
from memlab.sandbox.sandbox import Sandbox, SandboxNotStarted

CHECKS = Checks("06")
NUMBERS = st.integers(0, 50)


@CHECKS.add("add", one=NUMBERS, two=NUMBERS)
def adds(work: LearnerFile, one: int, two: int) -> None:
    """Two numbers are added."""
    work.reset()
    expect(work.call("add", one, two), one + two, f"{one + two}", work)


@CHECKS.add("add")
def begins_with_zero(work: LearnerFile) -> None:
    """Nothing and nothing is zero."""
    work.reset()
    expect(work.call("add", 0, 0), 0, "0", work)


@CHECKS.add("say", name=st.sampled_from(["Ann", "Bob", "Cleo"]))
def greets(work: LearnerFile, name: str) -> None:
    """Everybody is greeted."""
    work.reset()
    expect(work.call("say", name), f"Hello {name}", "a greeting", work)


@CHECKS.add("say")
def tells_of_birds(work: LearnerFile) -> None:
    """Birds are greeted, always the same."""
    work.reset()
    expect(work.call("say", "bird"), "Hello bird", "a greeting", work)


@CHECKS.add("keep")
def keeps_what_it_is_told(work: LearnerFile) -> None:
    """Words that were told are kept."""
    work.reset()
    work.call("tell", "bird")
    expect(work.call("ask"), "bird", "what it was told", work)


@CHECKS.add("broken")
def is_broken(work: LearnerFile) -> None:
    """Nobody can divide by zero: this is no law."""
    work.reset()
    expect(work.call("add", 1, 1), 1 / 0, "nothing", work)


@CHECKS.add("broken")
def stumbles_over_itself(work: LearnerFile) -> None:
    """Nobody can ask this: it is no law."""
    work.reset()
    work.write("a", 5)  # type: ignore[arg-type] # as meant


@CHECKS.add("shape")
def is_a_list(work: LearnerFile) -> None:
    """Two stands in a list in a list."""
    work.reset()
    if work.call("add", 1, 1)[0][0] != 2:
        fail(work, "gave another list")


ADD = {"step": "add", "checks": ["add/adds", "add/begins-with-zero"]}
SAY = {"step": "say", "checks": ["say/greets", "say/tells-of-birds"]}
KEEP = {"step": "keep", "checks": ["keep/keeps-what-it-is-told"]}
RIGHT = "def add(one, two):\n    return one + two\n\n\ndef say(name):\n    return f'Hello {name}'\n"


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the checks of this file asked; what the labs' own files get is asked in test_rubric_proof.py."""
    monkeypatch.setattr(step_task, "load_checks", lambda _: CHECKS)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give the folder that a submission finds for temporary files: it outlives its processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def plain(one: Grade) -> Grade:
    """Leave out what is another in each run."""
    return replace(one, seconds=0.0)


def test_each_law_that_does_not_hold_is_a_reason_with_the_smallest_case() -> None:
    found = graded(tiny(ADD, SAY), RIGHT.replace("one + two", "one + min(two, 30)"))
    add, say = found.marks
    (reason,) = (one for one in add.reasons if one.name == "add/adds")
    assert (reason.requirement, reason.message) == ("Two numbers are added.", "add(0, 31) returned 30, expected 31")
    assert (add.passed, add.total, add.points) == (1, 2, 0)
    assert (say.passed, say.total, say.points, say.reasons) == (2, 2, 10, ())


COUNTS = """
import os, tempfile
def add(one, two):
    with open(os.path.join(tempfile.gettempdir(), "counted"), "a+") as seen:
        seen.write(".")
        return one + two if seen.tell() <= {most} else 0
"""


def test_who_answers_rightly_so_often_and_no_more_is_found_out_the_second_time(elsewhere: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_task, "CASES_PER_ROUND", (12,))
        assert graded(tiny(ADD), COUNTS.format(most=1000)).points == 10
        most = (elsewhere / "counted").stat().st_size
        (elsewhere / "counted").unlink()
        assert graded(tiny(ADD), COUNTS.format(most=most)).points == 10
        (elsewhere / "counted").unlink()
    found = graded(tiny(ADD), COUNTS.format(most=most))
    assert found.points == 0
    assert found.marks[0].reasons[0].message.startswith(step_task.SECOND_ROUND)


CACHES = """
import os, tempfile
def tell(word):
    open("told", "w").write(word)
def ask():
    cache = os.path.join(tempfile.gettempdir(), "cache")
    if not os.path.exists(cache):
        open(cache, "w").write(open("told").read())
    return open(cache).read()
"""


def test_who_answers_from_a_cache_is_found_out_the_second_time(elsewhere: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_task, "CASES_PER_ROUND", (12,))
        assert graded(tiny(KEEP), CACHES).points == 10
    (elsewhere / "cache").unlink()
    (reason,) = mark(graded(tiny(KEEP), CACHES), "keep").reasons[:1]
    assert reason.message.startswith(step_task.SECOND_ROUND)
    assert graded(tiny(KEEP), CACHES.replace("tempfile.gettempdir()", "os.getcwd()")).points == 10


def test_who_knows_the_words_of_a_law_by_heart_is_asked_in_others() -> None:
    by_heart = "def say(name):\n    return f'Hello {name}' if name in ('Ann', 'Bob', 'Cleo', 'bird') else 'Hello'\n"
    first, *_ = mark(graded(tiny(SAY), by_heart), "say").reasons
    assert first.name == "say/tells-of-birds"
    assert "bird" not in first.message


def test_a_submission_gets_the_same_grade_whenever_it_is_graded() -> None:
    lab = tiny(ADD, SAY)
    wrong = RIGHT.replace("one + two", "one + min(two, 30)").replace("Hello {name}", "{name}")
    first = graded(lab, wrong)
    graded(lab, RIGHT)
    assert plain(graded(lab, wrong)) == plain(first)
    assert first.marks[0].reasons


def test_the_cases_are_the_same_in_another_program() -> None:
    code = (
        "import sys; sys.path.append('..'); import tiny_lab, test_grader; from memlab.grading.marking import step_task;"
        "step_task.load_checks = lambda _: test_grader.CHECKS;"
        "print(tiny_lab.graded(tiny_lab.tiny(test_grader.ADD, test_grader.SAY), sys.argv[1]).marks)"
    )
    wrong = RIGHT.replace("one + two", "one + two if one * two % 7 else 0").replace("Hello", "Hallo")
    elsewhere = subprocess.run(
        [sys.executable, "-c", code, wrong], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    assert elsewhere.stdout.strip() == str(graded(tiny(ADD, SAY), wrong).marks)


def test_the_cases_are_the_same_whatever_else_is_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    drawn: list[str] = []
    check = Check("any", "any/text", "Any text.", lambda _, text: drawn.append(text), {"text": st.text()})
    (tmp_path / "nothing.py").touch()
    with LearnerFile(tmp_path / "nothing.py") as work:
        check.run(work, 1, 100)
        first, drawn[:] = list(drawn), []
        (tmp_path / "someones.py").write_text(f"WORDS = {[f'word {n}' for n in range(300)]}", encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.import_module("someones")
        check.run(work, 1, 100)
    assert drawn == first


def test_laws_are_asked_in_an_order_of_their_own_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def noted(check: Check, *_: object) -> CheckResult:
        order.append(check.name)
        return CheckResult(check, passed=True)

    monkeypatch.setattr(step_task, "run_check", noted)
    names = [check.name for check in CHECKS]
    lab = tiny({"step": "many", "checks": names})
    for seed in (1, 2, 1):
        graded(lab, RIGHT, seed=seed)
    rounds = [order[at : at + len(names)] for at in range(0, len(order), len(names))]
    assert all(sorted(one) == sorted(names) for one in rounds)
    assert len({tuple(one) for one in rounds[:4]}) == 4
    assert rounds[4:] == rounds[:2]


def test_another_private_seed_draws_other_cases() -> None:
    source = "import os, tempfile\ndef add(one, two):\n    return [one, two]\n"
    says = {graded(tiny(ADD), source, seed=seed).marks[0].reasons[1].message for seed in range(3)}
    assert says == {"add(0, 0) returned [0, 0], expected 0"}
    assert len({GradingConfig(tiny(ADD), seed, Here()).derive_seed("add/adds", 0) for seed in range(50)}) == 50


def test_each_task_is_asked_in_a_room_of_its_own(elsewhere: Path) -> None:
    level = Here()
    leaves = "import builtins\nbuiltins.left = getattr(builtins, 'left', 0) + 1\n"
    found = graded(tiny(ADD, SAY), leaves + RIGHT, level=level)
    assert (found.points, level.rooms) == (20, 3)  # and one to see whether it loads
    del elsewhere


@pytest.mark.parametrize(
    ("does", "status", "says"),
    [
        ("import os; os._exit(3)", "crashed", "ended Python itself (exit code 3)"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "crashed",
            "was ended by SIGKILL (from outside, as where memory is short",
        ),
        (
            "import os; os.kill(os.getpid(), 11)",
            "crashed",
            "was ended by SIGSEGV (it touched memory that is not its own",
        ),
        ("import os; os.kill(os.getpid(), 24)", "timeout", "was ended by SIGXCPU (its computing time was used up)"),
        ("import os; os.kill(os.getpid(), 40)", "crashed", "was ended by signal 40"),
        ("raise MemoryError", "crashed", "raised MemoryError: it needs more memory than a submission may use"),
        ("while True: pass", "timeout", "did not return within 1 s. Is there a loop without an end?"),
        ("import time; time.sleep(0.5); return one + two", "timeout", "the calls of this check took"),
        ("return 1 / 0", "ok", ""),
        ("raise SystemExit", "ok", ""),
    ],
)
def test_what_one_task_does_wrong_is_told_and_the_others_keep_their_marks(
    monkeypatch: pytest.MonkeyPatch, does: str, status: str, says: str
) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    monkeypatch.setattr(attempt, "TASK_SECONDS", 3.0)
    found = graded(tiny(ADD, SAY), f"{RIGHT}def add(one, two):\n    {does}\n")
    assert (found.status, found.points) == (status, 10)
    assert says in found.message
    assert found.message.startswith("in the task 'add': ") or not says
    assert {one.name for one in mark(found, "add").reasons} == {"add/adds", "add/begins-with-zero"}


@pytest.mark.parametrize(
    ("source", "status", "says"),
    [
        ("def add(:\n", "syntax error", "memory_store.py does not load, line 1: SyntaxError: invalid syntax"),
        ("if True:\nadd = 1\n", "syntax error", "memory_store.py does not load, line 2: IndentationError: expected an"),
        ("x = '\ud800'\n", "syntax error", "memory_store.py does not load, line 1: SyntaxError: (unicode error)"),
        ("import nowhere_at_all\n", "crashed", "memory_store.py does not load, line 1: ModuleNotFoundError"),
        ("import os; os._exit(0)\n", "crashed", "loading memory_store.py ended Python itself (exit code 0)"),
        ("while True: pass\n", "timeout", "loading memory_store.py did not return within 1 s"),
        (" \n", "missing", "memory_store.py is empty"),
    ],
)
def test_what_does_not_load_is_asked_nothing_and_each_task_says_why(
    monkeypatch: pytest.MonkeyPatch, source: str, status: str, says: str
) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    level = Here()
    found = graded(tiny(ADD, SAY), source, level=level)
    assert (found.status, found.points) == (status, 0)
    assert found.message.startswith(says)
    assert [one.message for mark in found.marks for one in mark.reasons] == [f"was not checked: {found.message}"] * 2
    assert level.rooms <= 2


def test_a_class_that_is_not_there_is_missing_and_no_crash() -> None:
    lab = tiny({"step": "rules", "checks": ["rules/read-every-turn"]}, lab="07")
    found = graded(lab, "class Mix:\n    pass\n")
    assert (found.status, found.points) == ("missing", 0)
    assert found.message == "memory_mix.py has no class MemoryMix. Keep the name that it had: the interface is fixed"
    assert graded(lab, "class MemoryMix:\n    def __init__(self):\n        raise OSError\n").status == "crashed"


def test_what_could_not_be_read_is_missing_with_its_reason() -> None:
    nothing = Submission("anna", "", "there is no file memory_store.py in it", "digest")
    level = Here()
    found = grade(nothing, GradingConfig(tiny(ADD), 1, level))
    assert (found.status, found.message, found.points, level.rooms) == ("missing", nothing.problem, 0, 0)
    assert mark(found, "add").reasons[0].message == f"was not checked: {nothing.problem}"


def test_one_law_that_loops_leaves_the_other_laws_their_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    found = graded(
        tiny(SAY), "def say(name):\n    while name not in ('Ann', 'Bob', 'Cleo'): pass\n    return 'Hello ' + name\n"
    )
    assert (found.status, mark(found, "say").passed, mark(found, "say").points) == ("timeout", 1, 5)


def test_no_more_calls_of_a_task_may_not_come_back_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    checks = Checks("06")
    for number in range(5):

        def one(work: LearnerFile) -> None:
            """Something is given."""
            work.reset()
            work.call("add", 1, 1)

        one.__name__ = f"law-{number}"
        checks.add("many")(one)
    monkeypatch.setattr(step_task, "load_checks", lambda _: checks)
    level = Here()
    many = {"step": "many", "checks": [check.name for check in checks]}
    reasons = mark(graded(tiny(many), "def add(one, two):\n    while True: pass\n", level=level), "many").reasons
    assert level.rooms == 1 + attempt.MAX_TIMEOUTS
    assert sum("was not checked: 2 calls of this task did not return" in one.message for one in reasons) == 3


def test_a_submission_that_used_up_its_time_is_asked_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "SUBMISSION_SECONDS", 0.0)
    found = graded(tiny(ADD, SAY), RIGHT)
    assert (found.status, found.points) == ("timeout", 0)
    assert "used up its limit of 0 s" in found.message


def test_a_task_that_needs_one_that_earned_nothing_is_not_asked() -> None:
    found = graded(tiny(ADD, SAY | {"needs": ["add"]}), RIGHT.replace("one + two", "0"))
    says = mark(found, "say").reasons[0].message
    assert (found.points, says) == (0, "was not checked: it needs the task 'add', which earned nothing")


@pytest.mark.parametrize("check_name", ["broken/is-broken", "broken/stumbles-over-itself"])
def test_a_fault_of_ours_is_internal_and_takes_no_point_from_other_tasks(check_name: str) -> None:
    lab = tiny({"step": "broken", "checks": [check_name]}, ADD | {"needs": ["broken"]}, SAY)
    found = graded(lab, RIGHT)
    assert (found.status, found.points) == ("internal", 20)
    (reason,) = mark(found, "broken").reasons
    assert reason.message == found.message
    assert "The submission is not at fault" in found.message
    assert "Traceback" in found.fault
    assert "Error" in found.fault
    assert "Traceback" not in found.message


def test_an_answer_of_another_shape_is_a_lost_law_and_no_fault_of_ours() -> None:
    found = graded(tiny({"step": "shape", "checks": ["shape/is-a-list"]}), RIGHT)
    assert (found.status, found.points) == ("ok", 0)
    assert "returned or left something of another shape" in mark(found, "shape").reasons[0].message


def test_a_room_that_cannot_be_had_is_no_fault_of_the_submission_and_gives_no_grade() -> None:
    class Shut(Here):
        def start_sandbox(self) -> Sandbox:
            return Sandbox(["/bin/false"], "/tmp", env={})  # noqa: S108 - nothing is written there

    with pytest.raises(SandboxNotStarted, match="a sandbox could not be started"):
        graded(tiny(ADD), RIGHT, level=Shut())


def test_only_some_tasks_are_graded_with_the_points_that_they_have_among_all() -> None:
    lab = tiny(ADD, SAY | {"needs": ["add"]})
    found = graded(lab, RIGHT.replace("one + two", "0"), only=("say",))
    assert [(one.task, one.points) for one in found.marks] == [("say", 0)]
    assert [one.task for one in graded(lab, RIGHT, only=("say",)).marks] == ["say"]


def test_a_hidden_task_is_marked_so_and_its_trouble_tells_nothing_of_what_it_asks() -> None:
    found = graded(tiny(SAY | {"visible": False}), "import os\ndef say(name):\n    os._exit(0)\n")
    assert not mark(found, "say").visible
    assert (found.status, found.message) == ("crashed", "in the task 'say': its checks are hidden")
    assert any("say(" in one.message for one in mark(found, "say").reasons)
