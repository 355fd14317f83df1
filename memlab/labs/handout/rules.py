"""The sentence of a lab's text that states the rule of a check, from the lab's rules.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from memlab.labs.lab import Lab

RULES = "rules.toml"


def rule_of(lab: Lab, check: str) -> str:
    """Return the sentence for a check, or else that of its step; "" if the lab has none."""
    rules = load_rules(lab.folder / RULES)
    return rules.get(check) or rules.get(check.partition("/")[0], "")


@cache
def load_rules(path: Path) -> dict[str, str]:
    """Return the sentences of a lab by check or step; none if it has no such file."""
    found: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))["rules"] if path.exists() else {}
    return found
