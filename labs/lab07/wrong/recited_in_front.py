"""Assumes that the most important text comes first, and recites the to-do before the rules.

Instead in: published.py
Loses: assemble/in-priority-order, trim/todo-recited-last, trim/the-middle-is-trimmed, trim/the-recital-is-not-trimmed
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        context = "\n\n".join(self._parts(task))
        if len(context) > budget_chars:
            half = budget_chars // 2
            context = context[:half] + "\n...[trimmed]...\n" + context[-half:]
        todo = self.working.get("todo", [])
        if todo:
            context = "[RECITE -> do next] " + ", ".join(todo) + "\n\n" + context
        return context
