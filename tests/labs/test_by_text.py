"""Files by people who read the lab's text alone: no honest one loses a check, each wrong one loses that of its mistake.

An honest file is asked with some of the cases; with all of them by `make hostile`, which sets MEMLAB_HOSTILE=full.
"""

import os
from pathlib import Path

import pytest
from by_text import lab06, lab07

from memlab.labs.checks.check import EXAMPLES
from memlab.labs.checks.checking import CheckResult, load_checks, run_checks
from memlab.labs.lab import load

FILES = {"06": lab06, "07": lab07}
CASES = EXAMPLES if os.environ.get("MEMLAB_HOSTILE") == "full" else 2
WRONG = [(number, name) for number, files in FILES.items() for name in files.WRONG]
HONEST = [(number, name) for number, files in FILES.items() for name in files.HONEST]


@pytest.mark.parametrize(("number", "name"), WRONG)
def test_a_wrong_file_loses_the_check_of_its_mistake_and_is_told_what_was_expected(
    number: str, name: str, tmp_path: Path
) -> None:
    loses, changes = FILES[number].WRONG[name]
    (result,) = _run(number, changes, [loses], EXAMPLES, tmp_path)
    assert not result.passed
    assert "expected" in result.message or ") raised " in result.message


@pytest.mark.parametrize(("number", "name"), HONEST)
def test_an_honest_file_loses_nothing(number: str, name: str, tmp_path: Path) -> None:
    checks = [check for step in load(number).steps for check in step.checks]
    results = _run(number, FILES[number].HONEST[name], checks, CASES, tmp_path)
    assert [(one.check.name, one.message) for one in results if not one.passed] == []


def _run(number: str, changes: lab06.Changes, checks: list[str], cases: int, folder: Path) -> list[CheckResult]:
    lab = load(number)
    path = folder / lab.file
    path.write_text(lab06.changed(number, changes), encoding="utf-8")
    every = load_checks(lab)
    return run_checks([every[name] for name in checks], path, lab.class_name, examples=cases)
