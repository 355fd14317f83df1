"""Assumes that every prompt should contain every fact.

Instead in: published.py
Loses: assemble/only-facts-about-the-task
"""


class MemoryMix:
    def _relevant_facts(self, task: str) -> list[str]:
        return [fact["body"] for fact in self._facts().values()]
