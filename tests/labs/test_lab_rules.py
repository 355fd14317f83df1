"""The sentence of a lab's text beside a check is in that text, and every check has one."""

import pytest

from memlab.labs.handout.rules import RULES, load_rules, rule_of
from memlab.labs.lab import load, numbers


@pytest.mark.parametrize("number", numbers())
def test_every_sentence_is_in_the_text_of_its_step(number: str) -> None:
    lab = load(number)
    sections = (lab.folder / "lab.md").read_text(encoding="utf-8").split("\n## ")
    for name, sentence in load_rules(lab.folder / RULES).items():
        step = name.partition("/")[0]
        own = " ".join(" ".join(one.split()) for one in sections if f"(`{step}`, " in one.partition("\n")[0])
        assert sentence in own, f"{name}: correct labs/{lab.name}/{RULES} or lab.md"


@pytest.mark.parametrize("number", numbers())
def test_every_check_has_a_sentence_and_every_sentence_a_check(number: str) -> None:
    lab = load(number)
    checks = {check for step in lab.steps for check in step.checks}
    assert all(rule_of(lab, check) for check in checks)
    assert load_rules(lab.folder / RULES).keys() <= checks | {step.name for step in lab.steps}
    assert not rule_of(lab, "stale/script-that-moved"), "a scenario of the family stale, not a check of the step"
