"""Skills that the tests store, and one written by hand."""

from __future__ import annotations

from pathlib import Path

from memlab.memory.procedural import Skill, Skills
from memlab.memory.trust import Provenance

NOON = 1_767_614_400.0
BY_HAND = """---
name: deploy-page
description: >
  How the page is deployed.
  Use it on Fridays.
license: MIT
allowed-tools: Bash(git:*) Read
paths:
  - docs
  - src
metadata:
  author: Mara
  version: "1.0"
  type: deploy
---

# Deploy

1. Build it.
2. Ship it.
"""


def taught(name: str, source: str = "user", **more: object) -> Skill:
    ranks = {"user": 3, "tool": 2, "agent": 1, "web": 0}
    origin = Provenance(source, "s", NOON, f"id-{name}")
    return Skill(name, **{"steps": f"Do {name}.", "type": "deploy", "origin": origin, "rank": ranks[source]} | more)  # type: ignore[arg-type]


def by_hand(skills: Skills, text: str = BY_HAND, name: str = "deploy-page") -> Path:
    path = skills.directory / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path
