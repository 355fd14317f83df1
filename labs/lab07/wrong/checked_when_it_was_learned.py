"""Assumes that a fact that was checked at promotion need not be checked when it is served.

Instead in: solution.py
Loses: guard/the-prompt-is-checked-too, guard/what-nobody-can-check-is-served-with-a-note
"""


class MemoryMix:
    def _relevant(self, task: str) -> list[str]:
        asked = self._words(task)
        facts = sorted(self._facts().values(), key=lambda fact: self._worth(fact, asked), reverse=True)
        return [self._marked(fact, fact["body"]) for fact in facts if self._worth(fact, asked) > 0]
