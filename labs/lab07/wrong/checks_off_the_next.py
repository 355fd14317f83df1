"""Assumes that the finished item is always the first of the list.

Instead in: published.py
Loses: working/check-off-takes-that-one, working/check-off-of-something-else-changes-nothing
"""


class MemoryMix:
    def check_off(self, item: str) -> None:
        if self.working["todo"]:
            self.working["todo"].pop(0)
