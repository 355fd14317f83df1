"""Each sentence of a lab's text with must, never or exactly is asked by a check, and a wrong file shows its violation.

The table is rules_in_text.toml. The tests report a new sentence, a check that is gone, and a wrong file that passes it.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import load, numbers

TABLE = tomllib.loads(Path(__file__).with_name("rules_in_text.toml").read_text(encoding="utf-8"))
RULE = re.compile(r"\b(?:must|never|exactly)\b", re.IGNORECASE)
CODE = re.compile(r"^```python.*?^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"\n[> ]*\n|\n(?=(?:[-*|#]|\d+\.) )")
MARKUP = re.compile(r"^\s*(?:> ?|#+ |[-*] |\d+\. )*")
END = re.compile(r"""(?<=[.!?:])[*")]*\s+(?=[A-Z`*"(])""")


def sentences(page: str) -> Iterator[str]:
    """Yield the sentences of a page with one of the words, each on one line; code in Python is left out."""
    for block in BLOCK.split(CODE.sub("", page)):
        text = " ".join(" ".join(MARKUP.sub("", line) for line in block.splitlines()).split())
        yield from (one for one in END.split(text) if RULE.search(one))


@pytest.mark.parametrize("number", numbers())
def test_each_sentence_with_a_rule_is_in_the_table_once_and_each_row_is_a_sentence(number: str) -> None:
    found = list(sentences((load(number).folder / "lab.md").read_text(encoding="utf-8")))
    says = [row["says"] for row in TABLE[f"lab{number}"]]
    assert {one: [row for row in says if row in one] for one in found if sum(row in one for row in says) != 1} == {}
    assert [row for row in says if not any(row in one for one in found)] == []


@pytest.mark.parametrize("number", numbers())
def test_each_rule_has_a_check_that_runs_and_a_wrong_file_that_fails_it(number: str) -> None:
    lab = load(number)
    loses = {one.path.stem: one.loses for one in mistakes(lab)}
    checks = {check for step in lab.steps for check in step.checks}
    rules = [row for row in TABLE[f"lab{number}"] if "about" not in row]
    assert [row for row in rules if row["check"] not in checks or row["check"] not in loses.get(row["wrong"], ())] == []
    assert len(rules) > len(TABLE[f"lab{number}"]) / 2
