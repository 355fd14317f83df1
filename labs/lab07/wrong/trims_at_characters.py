"""Assumes that a budget is kept by cutting the text to its length.

Instead in: solution.py
Loses: budget/twenty-todos-within, budget/long-rules-whole, budget/whole-facts-and-one-line-that-counts,
budget/too-small-is-said, words/the-best-fact-stays, trim/the-recital-is-not-trimmed
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        prompt = self._layout(self._pinned_items() + self._optional_items(task), left_out=0)
        if len(prompt) <= budget_chars:
            return prompt
        mark = "\n...[trimmed]...\n"
        half = (budget_chars - len(mark)) // 2
        return prompt[:half] + mark + prompt[-half:]
