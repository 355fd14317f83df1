"""Assumes that only setting a task needs trust, and checking off a to-do does not.

Instead in: solution.py
Loses: trust/a-stranger-gives-no-task
"""


class MemoryMix:
    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        todo = self.working.get("todo", [])
        if item in todo:
            todo.remove(item)
