"""The sentence of a lab's text that states the rule of a check, from the lab's rules.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from memlab.labs.lab import Lab

RULES = "rules.toml"


def rule_of(lab: Lab, check: str) -> str:
    """Return the sentence for a check of a step, or else that of the step; "" if there is none."""
    rules = load_rules(lab.folder / RULES)
    step = next((step.name for step in lab.steps if check in step.checks), "")
    return rules.get(check) or rules.get(step, "")


@cache
def load_rules(path: Path) -> dict[str, str]:
    """Return the sentences of a lab by check or step; none if it has no such file."""
    found: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))["rules"] if path.exists() else {}
    return found
