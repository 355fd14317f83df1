"""Assumes that a default value is created anew for each object.

Instead in: published.py
Loses: working/each-memory-has-its-own
"""


class MemoryMix:
    def __init__(self, working: dict[str, Any] = {}) -> None:
        self.working = working
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str]) -> None:
        self.working["task"] = task
        self.working["todo"] = list(todo)
