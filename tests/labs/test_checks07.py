"""Lab 07's checks tell right from wrong: the published design, the solution, nothing written, and typical mistakes."""

import json
from collections import Counter
from pathlib import Path

import pytest

from memlab.labs.checks import checking
from memlab.labs.checks.checking import CheckResult
from memlab.labs.checks.lab07 import CHECKS
from memlab.labs.lab import load
from memlab.labs.rubric import Step
from memlab.sandbox.client import LearnerFile, Raised

LAB = load("07")
PUBLISHED, SOLUTION = LAB.folder / "published.py", LAB.folder / "solution.py"
BUILD = [step for step in LAB.steps if step.part == "build"]
FIX = [step for step in LAB.steps if step.part == "fix"]
PARAMETERS = "self, *args, **named"
STUBS = "class MemoryMix:\n    working = None\n" + "".join(
    f"    def {name}({PARAMETERS}):\n        raise NotImplementedError\n" for name in LAB.rubric.interface
)


def broken(step: Step, path: Path) -> list[CheckResult]:
    return [one for one in checking.check_step(LAB, step, path) if not one.passed]


@pytest.mark.parametrize("step", LAB.steps, ids=lambda step: step.name)
def test_the_solution_passes_every_check(step: Step) -> None:
    assert broken(step, SOLUTION) == []


@pytest.mark.parametrize("step", BUILD, ids=lambda step: step.name)
def test_the_published_design_keeps_every_check_of_build(step: Step) -> None:
    assert broken(step, PUBLISHED) == []


@pytest.mark.parametrize("step", FIX, ids=lambda step: step.name)
def test_the_published_design_breaks_every_step_of_fix(step: Step) -> None:
    assert broken(step, PUBLISHED)


@pytest.mark.parametrize("step", LAB.steps, ids=lambda step: step.name)
def test_an_unwritten_method_fails_and_the_message_says_so(step: Step, tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    path.write_text(STUBS, encoding="utf-8")
    findings = checking.check_step(LAB, step, path)
    assert not any(one.passed for one in findings)
    assert all(
        "is not written yet" in one.message or "takes no" in one.message or "working" in one.message for one in findings
    )


def test_each_check_belongs_to_one_task_and_each_check_of_a_task_exists() -> None:
    counted = Counter(check for step in LAB.steps for check in step.checks)
    assert counted == Counter(check.name for check in CHECKS)
    assert all(CHECKS[check].step == step.name for step in LAB.steps for check in step.checks)


def test_build_and_fix_have_fifty_points_each_in_the_order_of_the_lab() -> None:
    assert [sum(step.points for step in part) for part in (BUILD, FIX)] == [50, 50]
    assert list(LAB.steps) == BUILD + FIX
    assert all(2 <= len(step.checks) <= 12 for step in LAB.steps)


def test_a_step_needs_earlier_ones_alone() -> None:
    names = [step.name for step in LAB.steps]
    assert all(names.index(need) < names.index(step.name) for step in LAB.steps for need in step.needs)


def test_promotion_that_returns_none_fails_with_the_expected_return_value(tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    path.write_text(PUBLISHED.read_text(encoding="utf-8").replace("        return promoted\n", ""), encoding="utf-8")
    (finding,) = checking.run_checks([CHECKS["promote/the-detail-counts"]], path, LAB.class_name)
    wanted = "returned None, expected the list of (name, detail, count) of each promoted detail"
    assert finding.message == f"promote_recurring() {wanted}"


def test_earlier_versions_may_be_in_facts_json_under_other_names(tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    source = PUBLISHED.read_text(encoding="utf-8")
    source = source.replace("json.dumps(facts, indent=2)", 'json.dumps({**facts, "_before": ["an older text"]})')
    source = source.replace("        return facts\n", '        facts.pop("_before")\n        return facts\n')
    path.write_text(source, encoding="utf-8")
    fact_checks = [check for check in CHECKS if check.step == "facts"]
    assert [one.message for one in checking.run_checks(fact_checks, path, LAB.class_name) if not one.passed] == []


@pytest.mark.parametrize(
    ("name", "args", "named"),
    [
        ("write_fact", ["port", "the port", "It is 3000."], {"source": None}),
        ("write_fact", ["port", "the port", 3000], {}),
        ("log_episode", ["note", None], {}),
        ("log_episode", ["note", "a bird"], {"source": None}),
    ],
)
def test_the_solution_refuses_text_that_it_could_not_read_back(
    name: str, args: list[object], named: dict[str, object]
) -> None:
    with LearnerFile(SOLUTION, LAB.class_name) as file:
        file.reset()
        file.call("write_fact", "owner", "who keeps the harbour", "Mara keeps it.")
        answer = file.attempt(name, *args, **named)
        assert isinstance(answer, Raised)
        assert answer.is_refusal
        assert "Mara keeps it." in file.call("assemble", "harbour")


@pytest.mark.parametrize("name", ["facts.json", "episodes.jsonl"])
def test_the_solution_builds_a_prompt_if_a_file_is_a_folder_or_is_not_text(name: str) -> None:
    with LearnerFile(SOLUTION, LAB.class_name) as file:
        file.reset({f"mix/{name}/a.txt": "", "mix/rules.md": "- Be slow."})
        file.write("mix/rules.md", b"- Be slow.\xff")
        file.call("write_fact", "owner", "who keeps the harbour", "Mara keeps it.")
        assert "Mara keeps it." in file.call("assemble", "harbour")


def test_the_solution_promotes_under_another_name_if_the_old_fact_has_a_damaged_history() -> None:
    with LearnerFile(SOLUTION, LAB.class_name) as file:
        file.reset()
        for _ in range(2):
            file.call("log_episode", "note", "the harbour freezes")
        ((name, *_),) = file.call("promote_recurring")
        fact = {"description": "the organ", "body": "It is old.", "before": [1]}
        file.write("mix/facts.json", json.dumps({name: fact}))
        ((other, *_),) = file.call("promote_recurring")
        assert other != name
