"""Assumes that the to-do is not part of the budget, and adds it after trimming.

Instead in: solution.py
Loses: budget/twenty-todos-within, budget/too-small-is-said, budget/never-larger-and-the-pins-whole
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        pinned, items = self._pinned_items(), self._optional_items(task)
        prompt = self._layout(pinned, left_out=len(items))
        if len(prompt) > budget_chars:
            raise ValueError(f"budget_chars={budget_chars} is too small: rules, task and next to-do need {len(prompt)}")
        todo = [item for item in items if item.section == "TODO"]
        kept: list[Item] = []
        rest = [item for item in items if item.section != "TODO"]
        for item in rest:
            longer = self._layout([*pinned, *kept, item], left_out=len(rest) - len(kept) - 1)
            if len(longer) <= budget_chars:
                kept.append(item)
        return self._layout([*pinned, *kept, *todo], left_out=len(rest) - len(kept))
