"""The checks of Lab 06: kept by what they are about, broken by what a fix is there for."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.labs.checks.checking import CheckResult, run_checks
from memlab.labs.checks.lab06 import CHECKS
from memlab.labs.lab import load
from memlab.labs.rubric import Step
from memlab.sandbox.client import LearnerFile

LAB = load("06")
BUILD, FIX = ([step for step in LAB.steps if step.part == part] for part in ("build", "fix"))
PUBLISHED, SOLUTION = LAB.folder / "published.py", LAB.folder / "solution.py"
FENCE = r"(?ms)^```python{}\n(.*?)^```$"

WRONG = {
    "write/keeps-one-row-for-each-name": (PUBLISHED, '(f"- [{name}](")', '(f"- [{name}")'),
    "names/stay-in-the-folder": (
        SOLUTION,
        "page = page_of(slug(name))\n",
        "MEM_DIR.mkdir(exist_ok=True)\n    page = page_of(name.replace('/', '-'))\n    page.touch()\n    slug(name)\n",
    ),
    "names/leave-the-index-alone": (SOLUTION, "name == INDEX.stem.lower()", "name == INDEX.stem"),
    "words/small-ones-match-nothing": (SOLUTION, " if shared else 0.0", ""),
    "trust/a-page-without-header-is-not-the-users": (SOLUTION, 'return "unknown"', 'return "user"'),
    "trust/untrusted-facts-come-with-a-note": (SOLUTION, 'source == one_line(source) != ""', "True"),
    "trust/untrusted-orders-are-not-served": (
        SOLUTION,
        "not ORDER.search(split_page(name)[1])",
        "'evil.example' not in split_page(name)[1]",
    ),
    "trust/a-lower-rank-does-not-outrank": (SOLUTION, "relevances[name] * weight(name)", "relevances[name]"),
    "versions/keep-it-for-good": (SOLUTION, 'rename(folder / f"{free}.md")', 'rename(folder / f"{free % 8}.md")'),
    "guard/sees-what-is-missing": (SOLUTION, "DOMAIN.match(chunk)", "DOMAIN.search(chunk)"),
    "repair/outlives-a-lost-page": (SOLUTION, " if name in pages}", "}"),
    "repair/loses-nothing-on-the-next-write": (SOLUTION, 'n") or ""', 'n")'),
}
"""Mistakes that no file of labs/lab06/wrong makes, by the check: the file it is made in, what stands there, and what is
written instead."""


def broken(steps: list[Step], path: Path) -> list[CheckResult]:
    """Ask some steps of a file, and give what does not hold."""
    return [one for one in run_checks([CHECKS[name] for step in steps for name in step.checks], path) if not one.passed]


@pytest.mark.parametrize("path", [PUBLISHED, SOLUTION], ids=["published", "solution"])
def test_the_published_design_and_the_solution_keep_every_check_of_build(path: Path) -> None:
    assert not broken(BUILD, path)


def test_the_solution_keeps_every_check_of_fix() -> None:
    assert not broken(FIX, SOLUTION)


def test_the_published_design_breaks_a_check_of_each_fix() -> None:
    assert {one.check.step for one in broken(FIX, PUBLISHED)} == {step.name for step in FIX}


def test_a_file_of_stubs_fails_every_check_and_the_message_names_what_is_not_written_yet(tmp_path: Path) -> None:
    path = tmp_path / LAB.file
    who = "source='user', session=None"
    stubs = [f"def {name}(*args, {who}):\n    raise NotImplementedError" for name in LAB.rubric.interface]
    path.write_text("\n".join(stubs), encoding="utf-8")
    found = broken(list(LAB.steps), path)
    assert [one.check.name for one in found] == [name for step in LAB.steps for name in step.checks]
    assert all("is not written yet" in one.message for one in found)


def test_each_check_belongs_to_the_task_of_its_step_and_to_no_other() -> None:
    assert sorted((step.name, name) for step in LAB.steps for name in step.checks) == sorted(
        (check.step, check.name) for check in CHECKS
    )


@pytest.mark.parametrize(
    "returned", ["not problems", "problems", "(not problems, ', '.join(problems))", "(problems, not problems)"]
)
def test_a_guard_that_returns_anything_but_ok_and_problems_fails_verify_and_not_first_gate(
    returned: str, tmp_path: Path
) -> None:
    path = tmp_path / LAB.file
    code = PUBLISHED.read_text(encoding="utf-8")
    path.write_text(code.replace("    return not problems, problems\n", f"    return {returned}\n"), encoding="utf-8")
    finding = run_checks([CHECKS[LAB.step("verify").checks[0]]], path)[0]
    assert not finding.passed
    assert "expected two values, (ok, problems)" in finding.message


def test_build_and_fix_have_fifty_points_each_and_every_step_needs_only_earlier_steps() -> None:
    assert [sum(step.points for step in part) for part in (BUILD, FIX)] == [50, 50]
    names = [step.name for step in LAB.steps]
    assert all(set(step.needs) <= set(names[:at]) for at, step in enumerate(LAB.steps))


@pytest.mark.parametrize("name", WRONG)
def test_a_typical_mistake_breaks_the_check_that_is_meant_for_it(name: str, tmp_path: Path) -> None:
    source, right, wrong = WRONG[name]
    text = source.read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / LAB.file
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert not run_checks([CHECKS[name]], path)[0].passed


@pytest.mark.parametrize(
    ("memory", "missing"),
    [
        ("ship() and Tool() are in scripts/deploy.py.", []),
        ("undo() is in scripts/deploy.py.", ["undo"]),
        ("Call help() first.", []),
        ("undo() is in scripts/gone.py.", []),
        ("undo() is in ../outside.py.", []),
    ],
)
def test_the_solution_reports_functions_that_no_named_file_of_the_folder_defines(
    memory: str, missing: list[str]
) -> None:
    with LearnerFile(SOLUTION) as file:
        file.reset()
        file.write("scripts/deploy.py", "def ship():\n    pass\n\n\nclass Tool:\n    pass\n")
        found = file.call("verify_before_trust", memory)[1]
    assert [one for one in found if "function" in one] == [f"function is not defined: {name}" for name in missing]


@pytest.mark.parametrize(
    ("right", "wrong", "returned"),
    [
        ("if shared > most:", "if shared > 9:", "None, expected the body of package-manager"),
        (
            "[-1].strip()",
            "[-1]",
            repr("\n\nAt nine.\n") + ", expected the body of package-manager, without white space around it",
        ),
    ],
)
def test_a_wrong_answer_is_reported_in_the_terms_of_the_lab(
    right: str, wrong: str, returned: str, tmp_path: Path
) -> None:
    path = tmp_path / LAB.file
    path.write_text(PUBLISHED.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")
    finding = run_checks([CHECKS["recall/gives-the-body"]], path)[0]
    assert finding.message == f"recall('which package manager') returned {returned}"


def test_the_lines_of_the_readme_run_the_cells_of_build_and_break_it_in_an_editor(tmp_path: Path) -> None:
    (tmp_path / LAB.file).write_text(PUBLISHED.read_text(encoding="utf-8"), encoding="utf-8")
    begins = re.findall(FENCE.format(""), (LAB.folder / "README.md").read_text(encoding="utf-8"))
    build_part = (LAB.folder / "lab.md").read_text(encoding="utf-8").partition("# Part 3")[0]
    cells = [
        cell
        for cell in re.findall(FENCE.format(" run"), build_part)
        if not re.search(r"open_lab|lab\.(check|play)", cell)
    ]
    path = tmp_path / "experiment.py"
    path.write_text("\n".join([*begins, *cells]), encoding="utf-8")
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(cells) >= 10
    assert {"STALE", "MEMORY.md", "heron."} <= set(re.findall(r"[\w.]+:?", done.stdout))
    assert {path.name for path in tmp_path.iterdir()} <= {LAB.file, "experiment.py", "__pycache__"}
