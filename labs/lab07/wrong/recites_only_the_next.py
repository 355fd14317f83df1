"""Assumes that only the first to-do is recited.

Instead in: published.py
Loses: trim/todo-recited-last
"""


class MemoryMix:
    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        context = "\n\n".join(self._parts(task))
        if len(context) > budget_chars:
            half = budget_chars // 2
            context = context[:half] + "\n...[trimmed]...\n" + context[-half:]
        todo = self.working.get("todo", [])
        if todo:
            context += "\n\n[RECITE -> do next] " + todo[0]
        return context
