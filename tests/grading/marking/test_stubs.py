"""The real grader gives no points to stubs: constants, echoes, and printed success messages."""

import os

import pytest
from grading_runs import grade_source

from memlab.labs.lab import Lab, load, numbers

FULL = os.environ.get("MEMLAB_HOSTILE") == "full"
ANSWERS = {
    "the last argument": "args[-1] if args else ''",
    "all is well": "(True, [])",
    "four lines": "'\\n'.join('abcd')",
    "None": "None",
    "True": "True",
    "an empty text": "''",
    "an empty list": "[]",
    "an empty dictionary": "{}",
    "nothing is well": "(False, ['path does not exist: gone.sh'])",
    "what the lab prints": "print(f'wrote memory/{args[0]}.md') if args else print('STALE -- not serving as fact.')",
    "the sections of a prompt": "'[RULES]\\n\\n[FACTS]\\n\\n[RECENT]\\n\\n[WORKING] task=\\n\\n[RECITE -> do next] '",
}
GRADED = ANSWERS if FULL else list(ANSWERS)[:2]


def stub(lab: Lab, answer: str) -> str:
    """Return the source of a file whose functions all return the same answer."""
    parameters = "*args, source='user', session=None, **named"
    if not lab.class_name:
        heads = [f"def {name}({parameters}):\n    return {answer}\n" for name in lab.rubric.interface]
        return "HELP = {}\n" + "\n".join(heads)
    heads = [f"    def {name}(self, {parameters}):\n        return {answer}\n" for name in lab.rubric.interface]
    return f"class {lab.class_name}:\n    working = {{'task': '', 'todo': []}}\n\n" + "\n".join(heads)


@pytest.mark.parametrize("number", numbers())
@pytest.mark.parametrize("answer", GRADED)
def test_a_stub_earns_nothing_and_gets_a_reason_for_each_task(number: str, answer: str) -> None:
    grade = grade_source(load(number), stub(load(number), ANSWERS[answer]))
    assert grade.status == "ok"
    assert {mark.task: mark.points for mark in grade.marks if mark.points} == {}
    assert all(mark.reasons for mark in grade.marks)
