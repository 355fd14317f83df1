"""Assumes that from now on everybody names a source.

Instead in: solution.py
Loses: working/check-off-takes-that-one, working/check-off-of-something-else-changes-nothing, trim/todo-recited-last,
trim/nothing-to-recite, trust/a-stranger-gives-no-task
"""


class MemoryMix:
    def check_off(self, item: str, *, source: str) -> None:
        if not rank(source):
            raise ValueError(f"{source!r} is untrusted: it may not check off a to-do")
        self.working["todo"] = [entry for entry in self.working.get("todo", []) if entry != item]
