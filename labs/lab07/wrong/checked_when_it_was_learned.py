"""Assumes that a fact that was checked at promotion need not be checked when it is served.

Instead in: solution.py
Loses: guard/the-prompt-is-checked-too, guard/what-nobody-can-check-is-served-with-a-note
"""


class MemoryMix:
    def _relevant_facts(self, task: str) -> list[str]:
        task_words = self._words(task)
        facts = sorted(self._facts().values(), key=lambda fact: self._priority(fact, task_words), reverse=True)
        return [self._with_source(fact, fact["body"]) for fact in facts if self._priority(fact, task_words) > 0]
