"""What is done is always the first on the list.

Instead in: published.py
Loses: working/check-off-takes-that-one, working/check-off-of-something-else-changes-nothing
"""


class MemoryMix:
    def check_off(self, item: str) -> None:
        if self.working["todo"]:
            self.working["todo"].pop(0)
