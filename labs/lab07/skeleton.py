"""Lab 07: four stores, one prompt. Your file, to fill in from top to bottom.

`memlab lab check` in this folder says which step is open, what it asks for, and what your code gave instead.
`memlab lab hint` opens a hint for that step. Run the file itself to see what the lab prints.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

# The help text of each command, registered by a person. The guard never runs a command that a memory names.
HELP: dict[str, str] = {}
ROOT = Path("mix")
EPISODIC = ROOT / "episodes.jsonl"
SEMANTIC = ROOT / "facts.json"
RULES = ROOT / "rules.md"
FIRST_RULES = """\
# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green.
"""
PATH_RE = re.compile(r"\b[\w./-]+\.(?:sh|py|ya?ml|json|toml|md|txt|js|ts)\b")


class MemoryMix:
    """Four kinds of memory: working memory in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str]) -> None:
        """Working memory: start a task."""
        raise NotImplementedError("step 'working'")

    def check_off(self, item: str) -> None:
        """Working memory: remove a finished to-do."""
        raise NotImplementedError("step 'working'")

    def log_episode(self, kind: str, detail: str) -> None:
        """Episodic memory: append an event."""
        raise NotImplementedError("step 'log'")

    def episodes(self) -> list[dict[str, str]]:
        """Episodic memory: return all events, oldest first."""
        raise NotImplementedError("step 'log'")

    def write_fact(self, name: str, description: str, body: str) -> None:
        """Semantic memory: store a fact under its name."""
        raise NotImplementedError("step 'facts'")

    def rules(self) -> str:
        """Procedural memory: return the rules, read from their file."""
        raise NotImplementedError("step 'rules'")

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn: rules, facts, recent episodes, scratchpad, and the recited to-do list."""
        raise NotImplementedError("step 'trim'")

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each recurring detail from the log to the facts, unless it names a path that does not exist."""
        raise NotImplementedError("step 'promote'")

    def _verify_fresh(self, body: str) -> tuple[bool, list[str]]:
        """Check that every path that a text names exists. Returns (ok, problems)."""
        missing = [path for path in PATH_RE.findall(body) if not Path(path).exists()]
        return not missing, [f"path does not exist: {path}" for path in missing]


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
