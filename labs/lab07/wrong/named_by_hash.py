"""Assumes that hash() gives a text the same number in every process.

Instead in: solution.py
Loses: names/the-same-in-every-process
"""


class MemoryMix:
    def _learned_name(self, detail: str) -> str:
        name = f"learned-{hash(detail)}"
        while name in self._facts() and first_body(self._facts()[name]) != detail:
            name += "x"
        return name
