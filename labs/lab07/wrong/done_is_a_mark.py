"""Assumes that a finished item stays in the list, with a mark.

Instead in: published.py
Loses: working/check-off-takes-that-one, trim/todo-recited-last, trim/nothing-to-recite
"""


class MemoryMix:
    def check_off(self, item: str) -> None:
        todo = self.working["todo"]
        for i in range(len(todo)):
            if todo[i] == item:
                todo[i] = "[x] " + item
