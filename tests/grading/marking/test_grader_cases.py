"""The inputs of the checks: random, reproducible, and not known in advance."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st
from tiny_checks import ADD, CHECKS, KEEP, RIGHT, SAY
from tiny_lab import NoIsolation, grade_source, mark, tiny

from memlab.grading.grade import Grade
from memlab.grading.marking import step_task
from memlab.grading.marking.config import GradingConfig
from memlab.labs.checks.check import Check, LearnerFile
from memlab.labs.checks.checking import CheckResult

pytestmark = pytest.mark.usefixtures("tiny_checks")


def without_seconds(one: Grade) -> Grade:
    """Return the grade without its time, which differs in each run."""
    return replace(one, seconds=0.0)


COUNTS = """
import os, tempfile
def add(one, two):
    with open(os.path.join(tempfile.gettempdir(), "counted"), "a+") as seen:
        seen.write(".")
        return one + two if seen.tell() <= {most} else 0
"""


def test_a_file_that_answers_correctly_only_so_often_fails_the_second_round() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_task, "CASES_PER_ROUND", (12,))
        most = next(most for most in range(1, 1000) if grade_source(tiny(ADD), COUNTS.format(most=most)).points == 10)
    found = grade_source(tiny(ADD), COUNTS.format(most=most))
    assert found.points == 0
    assert found.marks[0].reasons[0].message.startswith(step_task.SECOND_ROUND)


CACHES = """
import os, tempfile
def tell(word):
    open("stored", "w").write(word)
def ask():
    cache = os.path.join(tempfile.gettempdir(), "cache")
    if not os.path.exists(cache):
        open(cache, "w").write(open("stored").read())
    return open(cache).read()
"""


def test_a_file_that_answers_from_a_cache_fails_the_second_round() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_task, "CASES_PER_ROUND", (12,))
        assert grade_source(tiny(KEEP), CACHES).points == 10
    (reason,) = mark(grade_source(tiny(KEEP), CACHES), "keep").reasons[:1]
    assert reason.message.startswith(step_task.SECOND_ROUND)
    assert grade_source(tiny(KEEP), CACHES.replace("tempfile.gettempdir()", "os.getcwd()")).points == 10


def test_a_file_with_hard_coded_words_fails_because_words_are_substituted() -> None:
    hard_coded = "def say(name):\n    return f'Hello {name}' if name in ('Ann', 'Bob', 'Cleo', 'bird') else 'Hello'\n"
    first, *_ = mark(grade_source(tiny(SAY), hard_coded), "say").reasons
    assert first.name == "say/greets-birds"
    assert "bird" not in first.message


def test_a_submission_gets_the_same_grade_every_time() -> None:
    lab = tiny(ADD, SAY)
    wrong = RIGHT.replace("one + two", "one + min(two, 30)").replace("Hello {name}", "{name}")
    first = grade_source(lab, wrong)
    grade_source(lab, RIGHT)
    assert without_seconds(grade_source(lab, wrong)) == without_seconds(first)
    assert first.marks[0].reasons


def test_the_cases_are_the_same_in_another_process() -> None:
    code = (
        "import sys; sys.path.append('..');"
        "from tiny_checks import ADD, CHECKS, SAY; from tiny_lab import grade_source, tiny;"
        "from memlab.grading.marking import step_task; step_task.load_checks = lambda _: CHECKS;"
        "print(grade_source(tiny(ADD, SAY), sys.argv[1]).marks)"
    )
    wrong = RIGHT.replace("one + two", "one + two if one * two % 7 else 0").replace("Hello", "Hallo")
    other_process = subprocess.run(
        [sys.executable, "-c", code, wrong], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    assert other_process.stdout.strip() == str(grade_source(tiny(ADD, SAY), wrong).marks)


def test_the_cases_do_not_depend_on_other_imported_modules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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


def test_checks_run_in_a_new_order_in_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def record_name(check: Check, *_: object) -> CheckResult:
        order.append(check.name)
        return CheckResult(check, passed=True)

    monkeypatch.setattr(step_task, "run_check", record_name)
    names = [check.name for check in CHECKS]
    lab = tiny({"step": "many", "checks": names})
    for seed in (1, 2, 1):
        grade_source(lab, RIGHT, seed=seed)
    rounds = [order[at : at + len(names)] for at in range(0, len(order), len(names))]
    assert all(sorted(one) == sorted(names) for one in rounds)
    assert len({tuple(one) for one in rounds[:4]}) == 4
    assert rounds[4:] == rounds[:2]


def test_another_private_seed_draws_other_cases() -> None:
    source = "import os, tempfile\ndef add(one, two):\n    return [one, two]\n"
    messages = {grade_source(tiny(ADD), source, seed=seed).marks[0].reasons[1].message for seed in range(3)}
    assert messages == {"add(0, 0) returned [0, 0], expected 0"}
    assert len({GradingConfig(tiny(ADD), seed, NoIsolation()).derive_seed("add/adds", 0) for seed in range(50)}) == 50
