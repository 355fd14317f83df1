"""Has a scratchpad that never ends to be looked at.

Attack: 6
Behind: solution.py
Tasks: working
Keeps: none
Status: timeout
Limits: 1
"""


class Endless(dict):
    def items(self):
        while True:
            yield ("task", "")


def endless(self):
    return Endless(task="")


MemoryMix.working = property(endless, lambda self, value: None)
