"""Typical wrong implementations: each loses the checks that are meant for it, no other, and is told so in a sentence.

A check that a file keeps is asked with some of its cases; with all of them by `make hostile`, which sets
MEMLAB_HOSTILE=full.
"""

import os
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from memlab.labs.checks.check import EXAMPLES
from memlab.labs.checks.checking import load_checks, run_check
from memlab.labs.handout.wrong import Mistake, mistakes
from memlab.labs.lab import load, numbers
from memlab.sandbox.client import LearnerFile

LABS = numbers()
CASES = EXAMPLES if os.environ.get("MEMLAB_HOSTILE") == "full" else 2
MISTAKES = [
    pytest.param(number, one, id=f"{number}-{one.path.stem}") for number in LABS for one in mistakes(load(number))
]
PAGE = (Path(__file__).parents[2] / "docs" / "labs.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d\d) \| .+? \| `([\w-]+/[\w-]+)` \| .+? \| `(\w+)` \|$", re.MULTILINE)
FIXED = re.compile(r"is not written yet|has no \w+\. Keep|\) raised \w+: |did not return|ended Python|does not load")
"""What memlab.sandbox.client says where there is no answer."""


@cache
def lost(number: str, mistake: Mistake) -> dict[str, str]:
    """Ask a wrong file the checks that judge it; give those that it loses, and what is said."""
    lab = load(number)
    with TemporaryDirectory() as folder:
        path = Path(folder) / lab.file
        path.write_text(mistake.source(), encoding="utf-8")
        checks = load_checks(lab)
        with LearnerFile(path, lab.class_name) as file:
            judged = mistake.judged_by(lab)
            findings = [run_check(checks[name], file, EXAMPLES if name in mistake.loses else CASES) for name in judged]
    return {one.check.name: one.message for one in findings if not one.passed}


@pytest.mark.parametrize("number", LABS)
def test_there_are_at_least_twelve_mistakes_with_different_misconceptions(number: str) -> None:
    thoughts = {one.thinks for one in mistakes(load(number))}
    assert len(thoughts) == len(mistakes(load(number))) >= 12


@pytest.mark.parametrize(("number", "mistake"), MISTAKES)
def test_a_mistake_fails_the_checks_that_it_names_and_no_other(number: str, mistake: Mistake) -> None:
    assert sorted(lost(number, mistake)) == sorted(mistake.loses)


@pytest.mark.parametrize(("number", "mistake"), MISTAKES)
def test_the_answer_names_what_was_called_and_what_was_expected(number: str, mistake: Mistake) -> None:
    says = lost(number, mistake)[mistake.loses[0]]
    called = "|".join(filter(None, [*load(number).rubric.interface, load(number).class_name]))
    assert FIXED.search(says) or re.search(rf"\b(?:{called})\(.*expected ", says, re.DOTALL), says


@pytest.mark.parametrize("number", LABS)
def test_every_misconception_with_a_file_on_the_page_fails_the_check_beside_it(number: str) -> None:
    loses = {one.path.stem: one.loses for one in mistakes(load(number))}
    rows = [(check, stem) for lab, check, stem in ROW.findall(PAGE) if lab == number]
    assert [(check, stem) for check, stem in rows if check not in loses[stem]] == []


def test_a_file_that_does_not_name_its_failed_checks_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text('"""It thinks."""\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"odd\.py: begin with a docstring"):
        Mistake.read(path)


def test_a_changed_function_replaces_the_original(tmp_path: Path) -> None:
    (tmp_path / "published.py").write_text(
        '"""Right."""\n\nimport os\n\nA = 1\n\n\nclass Mix:\n    def one(self):\n        return A\n\n\n'
        "def two():\n    return os\n\n\nif __name__ == '__main__':\n    two()\n",
        encoding="utf-8",
    )
    (tmp_path / "wrong").mkdir()
    path = tmp_path / "wrong" / "odd.py"
    path.write_text(
        '"""It thinks.\n\nInstead in: published.py\nLoses: a/b,\nc/d\n"""\n\nimport re\n\nA = 2\n\n\n'
        "class Mix:\n    def one(self):\n        return -A\n\n    def new(self):\n        return re\n\n\n"
        "B = 3\nC = B\n\n\ndef three():\n    return Mix, C\n",
        encoding="utf-8",
    )
    mistake = Mistake.read(path)
    assert (mistake.thinks, mistake.loses) == ("It thinks.", ("a/b", "c/d"))
    assert mistake.source().endswith("\n    two()\n")
    module: dict[str, object] = {}
    exec(mistake.source(), module)  # noqa: S102 - a file of this test
    mix = module["Mix"]()  # type: ignore[operator]
    assert (mix.one(), mix.new(), module["two"](), module["three"]()) == (-2, re, module["os"], (module["Mix"], 3))  # type: ignore[operator]
