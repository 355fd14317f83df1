"""Assumes that a budget is counted in words.

Instead in: solution.py
Loses: trim/the-middle-is-trimmed, trim/twelve-hundred-unless-told, budget/twenty-todos-within,
budget/never-larger-and-the-pins-whole, budget/long-rules-whole, budget/too-small-is-said, words/the-best-fact-stays,
budget/twelve-hundred-to-the-letter
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        pinned, items = self._pinned_items(), self._optional_items(task)
        prompt = self._layout(pinned + items, left_out=0)
        if self._size(prompt) <= budget_chars:
            return prompt
        prompt = self._layout(pinned, left_out=len(items))
        if self._size(prompt) > budget_chars:
            raise ValueError(f"budget_chars={budget_chars} is too small, {self._size(prompt)} is needed")
        kept: list[Item] = []
        for item in items:
            longer = self._layout([*pinned, *kept, item], left_out=len(items) - len(kept) - 1)
            if self._size(longer) <= budget_chars:
                prompt = longer
                kept.append(item)
        return prompt

    def _size(self, text: str) -> int:
        return len(text.split())
