"""Lab 07 as published: four stores, one prompt composed from them, and promotion of recurring details.

It has known flaws, which learners find and fix: the prompt exceeds its budget, long rules are cut, a lie that was
logged twice is promoted, a torn line makes the log unreadable, and the name of a promoted fact depends on the process.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

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
        self.working = {"task": task, "todo": list(todo)}

    def check_off(self, item: str) -> None:
        """Working memory: remove a finished to-do."""
        self.working["todo"] = [entry for entry in self.working.get("todo", []) if entry != item]

    def log_episode(self, kind: str, detail: str) -> None:
        """Episodic memory: append an event."""
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(json.dumps({"kind": kind, "detail": detail}) + "\n")

    def episodes(self) -> list[dict[str, str]]:
        """Episodic memory: return all events, oldest first."""
        if not EPISODIC.exists():
            return []
        lines = EPISODIC.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]

    def write_fact(self, name: str, description: str, body: str) -> None:
        """Semantic memory: store a fact under its name."""
        facts = self._facts()
        facts[name] = {"description": description, "body": body}
        SEMANTIC.write_text(json.dumps(facts, indent=2), encoding="utf-8")

    def _facts(self) -> dict[str, dict[str, str]]:
        """Return every fact by its name."""
        if not SEMANTIC.exists():
            return {}
        facts: dict[str, dict[str, str]] = json.loads(SEMANTIC.read_text(encoding="utf-8"))
        return facts

    def rules(self) -> str:
        """Procedural memory: return the rules, read from their file."""
        return RULES.read_text(encoding="utf-8").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn: rules, facts, recent episodes, scratchpad, and the recited to-do list."""
        context = "\n\n".join(self._parts(task))
        if len(context) > budget_chars:
            half = budget_chars // 2
            context = context[:half] + "\n...[trimmed]...\n" + context[-half:]
        if todo := self.working.get("todo", []):
            context += "\n\n[RECITE -> do next] " + ", ".join(todo)
        return context

    def _parts(self, task: str) -> list[str]:
        """List the sections: [RULES], relevant [FACTS], three [RECENT] episodes, [WORKING]; empty ones left out."""
        parts = ["[RULES]\n" + self.rules()]
        if facts := self._relevant_facts(task):
            parts.append("[FACTS]\n" + "\n".join(facts))
        if recent := self.episodes()[-3:]:
            parts.append("[RECENT]\n" + "\n".join(f"{episode['kind']}: {episode['detail']}" for episode in recent))
        if todo := self.working.get("todo", []):
            parts.append(f"[WORKING] task={self.working['task']}\ntodo: {', '.join(todo)}")
        return parts

    def _relevant_facts(self, task: str) -> list[str]:
        """List the bodies of the facts whose description shares a word with the task."""
        words = set(task.lower().split())
        return [fact["body"] for fact in self._facts().values() if words & set(fact["description"].lower().split())]

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each recurring detail from the log to the facts, unless it names a path that does not exist."""
        counts: dict[str, int] = {}
        for episode in self.episodes():
            counts[episode["detail"]] = counts.get(episode["detail"], 0) + 1
        promoted = []
        for detail, count in counts.items():
            if count < min_count:
                continue
            ok, problems = self._verify_fresh(detail)
            if not ok:
                print(f"SKIP (stale, not promoted): {detail}")
                for problem in problems:
                    print(f"  - {problem}")
                continue
            name = f"learned-{abs(hash(detail)) % 10000}"
            self.write_fact(name, "learned from repeated episodes", detail)
            promoted.append((name, detail, count))
        return promoted

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
